"""The passes over a network that find out, once, where the tokens of each of its attention calls stand."""
