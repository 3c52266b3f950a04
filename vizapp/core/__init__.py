"""Numbers: what one forward pass leaves behind, and what is computed from it. No pictures, no files, no user interface."""
