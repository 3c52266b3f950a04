"""Nonsense for every door, from seeds: no traceback, no hang, no death; what is refused is refused in words.

    pytest tests/whole/fuzz                                # as with all other tests: a quarter of a round, in seconds
    pytest tests/whole/fuzz --rounds 20                    # eighty times as many cases, others each: before a release
    pytest tests/whole/fuzz -k calls --seed 1234           # one case again, as a failure names it

A fuzzer is a file with COUNT, the cases of one round; MEMORY, bytes that its process may take, or None; ALLOWED, what a case may
raise; and prepare(folder) -> case(rng, tries), which tries something drawn by a `random.Random` and first says what, by `tries`.
Fuzzers run in a process of their own (child.py), which says what it begins, so that who watches (watched.py) can name what it
dies of.
"""
