"""What was captured: the attention of each layer, lazy, and the road back through the layers."""
