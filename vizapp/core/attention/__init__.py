"""The captured attention of each layer, lazy in its maps, and the way back through the layers."""
