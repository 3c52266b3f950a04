"""The questions of a browser about the maps that it shows: a file for each kind (`QUESTIONS` of vizapp/vocabulary.py).

Each has `answer(run: str, what: Any, words: Words) -> dict`, whose result must fit into JSON: {} for a run that is no longer
known, {"why": message and hint} for what cannot be answered; `about_known_run` sees to both. `run` and `what` come from a browser
and may be anything. If `answer` raises, the error is logged and the browser gets {}. Where an answer needs more than to analyse
the picture again, it has `remember(run: Run) -> None`, called when the maps of a run are sent.
"""
