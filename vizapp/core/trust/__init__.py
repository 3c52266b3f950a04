"""How far a map may be believed."""
