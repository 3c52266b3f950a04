"""What vizapp costs, measured. `python -m bench` writes bench/RESULTS.md; one measure per file."""
