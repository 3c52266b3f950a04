"""Writes a payload for all languages: the numbers once, and for each language the fields of the header that differ."""

import json
from collections.abc import Mapping
from typing import Any

from vizapp.analysis import Analysis
from vizapp.ui.lesson_pictures import Asked
from vizapp.ui.viewer.payload import pack, sentences
from vizapp.ui.words import Words

Headers = Mapping[str, Mapping[str, Any]]  # language -> the fields that differ from the first language's


def in_each_language(
    seen: Analysis, languages: Mapping[str, Words], asked: Asked | None = None, caution: str = "", **how: Any
) -> tuple[bytes, Headers]:
    """The payload with the sentences of the first language, and the headers of the others; `how` as for `pack`."""
    told = [(asked, words.translate, words["page"][caution] if caution else "") for words in languages.values()]
    packed = pack(seen, *told[0], **how)
    own, *others = (json.loads(json.dumps(sentences(seen, *one))) for one in told)
    return packed, {
        name: {key: value for key, value in said.items() if value != own[key]}
        for name, said in zip(list(languages)[1:], others, strict=True)
    }
