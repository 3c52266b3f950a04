"""What vizapp costs, measured. `python -m bench` writes bench/results.json, and pages made of it; one measure per file."""
