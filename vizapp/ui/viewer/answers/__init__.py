"""The questions of a browser about the maps that it shows: a file for each kind (`QUESTIONS` of vizapp/vocabulary.py).

Each has `remember(run: Run) -> None`, called when the maps of a run are sent, and `answer(run: str, what: Any, words: Words)
-> dict`, whose result must fit into JSON: {} for a run that is no longer known. `run` and `what` come from a browser and may be
anything. If `answer` raises, the error is logged and the browser gets {}.
"""
