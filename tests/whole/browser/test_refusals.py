"""Who is refused reads why in one language, their own: that of the page that asked."""

import json
from html import unescape
from types import SimpleNamespace
from typing import Any

import gradio as gr
import httpx
import pytest
from gradio import processing_utils
from starlette.exceptions import HTTPException

from support.chinese import english
from support.waiting import awaited
from vizapp.ui.errors import shown
from vizapp.ui.jobs import too_long
from vizapp.ui.languages import in_every_language
from vizapp.ui.limits import TURNED_AWAY, Asker, Full, Limits
from vizapp.ui.retry import Again, turned_away
from vizapp.ui.server import queue_entry
from vizapp.ui.server.bounds import Bounded
from vizapp.ui.words import Words, words_for
from vizapp.ui.words._sentences import sentences_of, sources

CHINESE = words_for("zh")
ONE = {"map": 1, "ask": 1, "long": 1, "spare": 1}
REFUSING = {"of one page": Limits(session=ONE), "of one network": Limits(address=ONE), "of all": Limits(in_all=ONE)}


def turned(limits: Limits) -> Full:
    """What the second of a crowd is told."""
    me = Asker("me", "8.8.8.8")
    with pytest.raises(Full) as found:
        limits.refuse("map", me, [me])
    return found.value


def small_page(words: Words) -> gr.Blocks:
    with gr.Blocks() as page:
        gr.Button("x", elem_id=f"ask-{words.language}").click(lambda: None, api_name="ask")
    return page


def at_the_door(monkeypatch: pytest.MonkeyPatch, language: str) -> tuple[str, Full]:
    """The answer to an event of a page in this language when the queue is full, and the error kept for that page."""
    page = in_every_language(small_page)
    queue_entry.widen(page)
    monkeypatch.setattr(queue_entry, "FLOOD", 0)
    number = next(number for number, one in page.fns.items() if one.page == ("" if language == "en" else language))
    body = SimpleNamespace(session_hash="crowd", fn_index=number)
    with pytest.raises(HTTPException) as refused:
        awaited(page._queue.push(body, None, None))
    why = TURNED_AWAY.take("crowd")
    assert why is not None
    return refused.value.detail, why


def test_each_refusal_of_the_queue_is_chinese_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Too many visitors wait for this computer: 96.请一分钟后再试。" stood there: the tables did not know what a kind of
    `VizError` says. All that the source can refuse are walked."""
    said, at_door = at_the_door(monkeypatch, "zh")
    told = {"at the door": at_door} | {name: turned(limits) for name, limits in REFUSING.items()}
    known = {
        one.templates for path in sources() for one in sentences_of(path.read_text("utf-8")) if one.maker == "Full"
    }
    assert {(one.message.key, one.hint.key) for one in told.values()} == known, "a refusal that nobody walks here"
    texts = {"by Gradio": said}
    for name, why in (told | {"too long": too_long(60.0)}).items():
        toast = shown(why, CHINESE)
        texts[f"{name}, as a toast"] = f"{toast.title} {unescape(str(toast.message))}"
        if isinstance(why, Full):
            assert turned_away(why, name, CHINESE).visible is False
            texts[f"{name}, as a line"] = json.loads(Again(CHINESE, "line").told(name))["later"].format(seconds=2)
    assert {name: text for name, text in texts.items() if english(text)} == {}
    assert at_the_door(monkeypatch, "en")[0] == "Too many visitors come at once. Try again in a minute."


ASKED = [  # by which headers, and which address -> the language of the answer
    ({"referer": "https://viz.test/zh?x=1", "accept-language": "en"}, "", "zh"),
    ({"referer": "https://viz.test/deep/zh", "accept-language": "en"}, "", "zh"),
    ({"referer": "https://viz.test/?lang=zh", "accept-language": "en"}, "", "zh"),
    ({"referer": "https://viz.test/", "accept-language": "zh-CN"}, "", "en"),
    ({"referer": "https://elsewhere.test/zh", "accept-language": "en"}, "", "en"),
    ({"accept-language": "zh-CN"}, "", "zh"),
    ({"accept-language": "zh-CN"}, "?lang=en", "en"),
    ({}, "", "en"),
]


def test_what_is_sent_is_refused_in_the_language_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also to a browser in English that shows the Chinese page."""
    monkeypatch.setattr(processing_utils, "hash_seed", b"")  # `Bounded` sets it, for good

    async def nobody(*given: Any) -> None:
        raise AssertionError("it was let in")

    async def ask() -> list[str]:
        # Nothing comes as far as a file
        files: Any = SimpleNamespace(name=lambda data: "", is_hidden=lambda path: False)
        transport = httpx.ASGITransport(Bounded(nobody, files))
        async with httpx.AsyncClient(transport=transport, base_url="https://viz.test") as client:
            sent = {"content": bytes(5 * 2**20)}
            answers = [
                await client.post(f"/gradio_api/queue/join{query}", headers=how, **sent) for how, query, _ in ASKED
            ]
        assert {one.status_code for one in answers} == {413}
        return [one.text for one in answers]

    texts = awaited(ask())
    assert [("en" if english(text) else "zh", text) for text in texts] == [
        (language, text) for (_, _, language), text in zip(ASKED, texts, strict=True)
    ]
