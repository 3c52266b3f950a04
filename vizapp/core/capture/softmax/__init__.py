"""The first door: where a softmax is claimed, by the values that it weighs."""
