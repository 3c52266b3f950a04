"""The server below the page: who may ask, what is answered, what is kept."""
