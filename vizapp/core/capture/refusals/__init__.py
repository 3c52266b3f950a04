"""The third door: what is refused, and what is said of a pass whose maps are not the whole story."""
