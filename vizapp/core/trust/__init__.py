"""Measure how far a map may be believed."""
