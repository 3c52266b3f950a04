"""Declare a measured number once, for every table: its name, which way is better, and how it is written."""

from dataclasses import dataclass
from typing import Literal

from vizapp.vocabulary import Format as Format

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Measure:
    """A number that is measured of a map, and its words; English, for a language to translate.

    name        as columns of files have it
    title       the head of a column of the page: "On the object"
    sentence    what it tells, after a colon: "share of the map that lies on it."
    short       the head of a column where there is little room, in a terminal and on cards
    choice      an entry of a list: "% on the object"
    direction   which numbers are better
    format      "share": from 0 to 1, or in percent; "area": under a curve, 0 to 1; "times": 1 is chance; "hit": 1 or 0 for one
                picture, so that a mean is a share of hits
    paper       authors, year, title or address
    uninformed  what a uniform map gets, in words
    order       the place among columns; smaller is further left
    main        is it among the few for which any table has room?
    """

    name: str
    title: str
    sentence: str
    short: str
    choice: str
    direction: Better
    format: Format
    paper: str
    uninformed: str
    order: int
    main: bool
