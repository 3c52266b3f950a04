"""The drawn world and the networks that learned it."""
