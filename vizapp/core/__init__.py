"""Numbers: what one forward pass leaves behind, and what is computed from it. torch and numpy; no pictures, no files, no page."""
