"""What the browser may ask of the maps that it shows: a file per kind of question, found by itself.

Each has `remember(run: Run) -> None`, called when the maps of a run are sent, and `answer(run: str, what: Any, words: Words)
-> dict`, which JSON can hold: {} for a run that is not known any more. `run` and `what` may be anything: they come from a
browser. What an `answer` raises is logged and answered by {}.
"""
