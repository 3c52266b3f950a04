"""Helpers of the command line: typed values, progress, completion by the Tab key."""
