"""The server around the page: who may ask, what may be sent, its folder of files, and how it stops. No page is drawn here."""
