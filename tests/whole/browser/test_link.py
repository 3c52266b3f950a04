"""The address is the view: copied, opened elsewhere, reloaded, gone back to, framed, and asked for by somebody hostile."""

import random
import re
from collections.abc import Callable
from fnmatch import fnmatch
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest

import vizapp
from support.english import LINK, PAGE, VIEWER
from support.expected import opens
from support.viz import Viz, assert_same, hash_of, painted
from vizapp.ui.lesson_pictures import Place
from vizapp.ui.session import Session
from vizapp.vocabulary import COLOUR_MAPS, FUSIONS

LAYERS = "viewer.payload.layers.length"


def copied(viz: Viz, what: str = "link") -> str:
    """What the button of *Share* puts into the clipboard; it says so for some seconds."""
    viz.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if not viz.js("find('save').open"):
        viz.find("save").locator("summary").click()
    button = viz.find("links").locator(f".copy-{what}")
    said = LINK["copied_upload" if viz.js("location.hash").find("picture=upload/") >= 0 else "copied"]
    button.click()
    button.get_by_text(said, exact=True).wait_for()
    viz.find("save").locator("summary").press("Escape")
    return str(viz.page.evaluate("navigator.clipboard.readText()"))


def after_hash(address: str) -> str:
    return "#" + address.partition("#")[2]


def some_state(rng: random.Random, layers: int, readout: str) -> dict[str, Any]:
    """A view as somebody could have it: any key that is no matter of the moment."""
    state = {
        "place": rng.choice([None, [round(rng.uniform(0.2, 0.8), 3), rng.uniform(0.2, 0.8)]]),
        "layer": rng.choice(range(layers)),  # the page knows no other
        "head": rng.randrange(3),
        "fusion": rng.choice(["one", *FUSIONS]),
        "method": rng.choice(["attention", "attention", "rollout"]),
        "skipWeight": rng.random(),
        "direction": rng.choice(["from", "to"]),
        "scale": rng.choice(["map", "layer", "all", "fixed"]),
        "fixed": rng.random(),
        "colours": rng.choice(list(COLOUR_MAPS)),
        "opacity": rng.random(),
        "byValue": rng.random() < 0.5,
        "smooth": rng.random() < 0.5,
        "grid": rng.random() < 0.5,
        "metric": rng.choice(["energy", "pointing", "auc"]),
        "outline": rng.random() < 0.5,
        "shapes": rng.choice([[], [{"box": [0.2, 0.25, 0.6, rng.uniform(0.5, 0.9)]}]]),
        "sinks": rng.random() < 0.3,
    }
    depth = rng.choice([None, "atlas", "atlas", "score"])
    return state | {
        **{one: one == depth for one in ("atlas", "score")},
        "pinned": state["place"] is not None,
        "token": rng.choice([None, readout]) if not state["place"] else None,
    }


def test_four_random_views_are_the_same_elsewhere_pixel_by_pixel(viz: Viz, visit: Callable[..., Viz]) -> None:
    rng, page = random.Random(28), viz.page
    seen: set[str] = set()
    other: Viz | None = None
    for number in range(4):
        if number % 2 == 0:  # another picture, another model
            [
                lambda: page.locator("#lesson-two").click(),
                lambda: page.locator("#choose .gallery-item").nth(1).click(),
            ][number // 2]()
            viz.wait_for_maps()
            if number:
                viz.choose_model("crate")
        state = some_state(rng, viz.js(LAYERS), viz.js("viewer.payload.readout"))
        known = {key: value for key, value in state.items() if viz.js("argument in state.declared", key)}
        assert known.keys() == state.keys()
        viz.js("state.set(argument)", state)
        address = copied(viz)
        if other is None:
            other = visit(after_hash(address), viewport=page.viewport_size)
        elif number % 2:  # followed on a page that shows another view
            other.follow(after_hash(address))
            followed = "(opacity) => document.querySelector('.viz').viewer.state.get('opacity') === opacity"
            other.page.wait_for_function(followed, arg=state["opacity"])
        else:  # the same browser once more, which has the page's files and remembers nothing else
            assert other.errors == []
            other.page.evaluate("localStorage.clear()")
            with other.leaving():
                other.page.goto("about:blank")
                other.page.goto(address)
                other.wait_for_maps()
        for _ in range(20):  # on a busy machine one of the two may rest before it has painted
            here, there = painted(viz), painted(other)
            if here.keys() == there.keys() and all(np.array_equal(here[name], there[name]) for name in here):
                break
        assert_same(there, here, f"{number}: {address}")
        for key, value in state.items():
            assert other.js("state.get(argument)", key) == value, (number, key)
        assert hash_of(other) == hash_of(viz), "and its own address is the same"
        assert other.page.locator("#link-line p").inner_text() == ""
        seen.add(address)
    assert len(seen) == 4


def test_the_first_analysis_is_that_of_the_link_and_its_colours_win(
    visit: Callable[..., Viz], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page does not first analyse its own picture, and without a link it makes no additional request."""
    plain = visit()
    joins = [one for one in plain.requests if "queue/join" in one or "/run/" in one]
    assert len([one for one in joins if "queue/join" in one]) <= 2, joins
    assert plain.choice("colours") == "viridis"
    plain.display()
    plain.page.locator(".viz-colours").select_option("cividis")
    assert hash_of(plain)["colours"] == "cividis"
    plain.follow("#layer=1&colours=magma")
    plain.page.wait_for_function("document.querySelector('.viz').viewer.state.get('colours') === 'magma'")
    plain.idle()
    asked: list[str] = []
    analysis = Session.analysis
    monkeypatch.setattr(Session, "analysis", lambda self, one: asked.append(str(one)) or analysis(self, one))
    viz = visit("?__sign=secret#picture=lesson/two/7&model=mean&fit=pad&layer=1")
    assert {one.rpartition("/")[2] for one in asked} == {"two-7.png seen by mean (pad)"}
    assert viz.choice("layer") == 1
    assert viz.choice("colours") == "viridis", "a link that says none means the page's own"
    assert hash_of(viz) == {"v": "1", "picture": "lesson/two/7", "model": "mean", "fit": "pad", "layer": "1"}
    assert viz.page.get_by_label(PAGE["model"], exact=True).input_value() == "toy, without CLS"
    address = copied(viz)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?lang=en#v=1&picture=[^?]*layer=1", address)
    assert "secret" not in address
    viz.lesson("two")
    assert hash_of(viz)["picture"] == "lesson/two/8", "the lesson goes on from there"
    with plain.leaving():
        plain.page.goto("about:blank")
        plain.page.goto(viz.page.url.partition("?")[0])
        plain.wait_for_maps()
    assert plain.choice("colours") == "cividis", "what was chosen is remembered; a link is not"


def test_back_and_forward_lead_from_picture_to_picture(kept: Viz) -> None:
    viz, page = kept, kept.page
    viz.lesson("two")
    entries = page.evaluate("history.length")
    for layer in range(1, 3):
        viz.slide("layer", layer)
        viz.hover(1, layer)
        hash_of(viz)
    viz.click(2, 2)
    viz.leave()
    first, one = hash_of(viz), painted(viz)
    assert first["layer"] == "1", "from 0"
    assert page.evaluate("history.length") == entries, "a layer is no step of the history"
    viz.lesson("clutter")
    viz.js("state.set({ smooth: true })")
    second, two = hash_of(viz), painted(viz)
    assert page.evaluate("history.length") == entries + 1
    assert "pinned" not in second, "the place was of the picture before"
    page.go_back()
    viz.wait_for_maps()
    assert hash_of(viz) == first
    assert_same(painted(viz), one)
    page.go_forward()
    viz.wait_for_maps()
    assert hash_of(viz) == second
    assert_same(painted(viz), two)
    assert page.evaluate("history.length") == entries + 1


def test_a_hand_that_scrubs_writes_a_few_times_a_second(kept: Viz) -> None:
    """Safari refuses the hundred and first in half a minute."""
    viz = kept
    viz.page.evaluate(
        """() => { window.written = []; for (const how of ["replaceState", "pushState"])
             history[how] = (...given) => { window.written.push(how); History.prototype[how].apply(history, given); }; }"""
    )
    pauses = viz.page.evaluate(  # that a timer of the page has meanwhile
        """async () => { const { state } = document.querySelector(".viz").viewer; let pauses = 0;
             const timer = setInterval(() => pauses++, 300);
             for (let i = 0; i < 120; i++) { state.set({ skipWeight: i / 200, hover: [i / 200, 0.5] });
               await new Promise((next) => setTimeout(next, 10)); }
             clearInterval(timer);
             return pauses; }"""
    )
    hash_of(viz)
    written = viz.page.evaluate("window.written")
    viz.page.evaluate("() => { delete history.replaceState; delete history.pushState; }")  # the page is kept
    assert set(written) == {"replaceState"}
    assert 2 <= len(written) <= pauses + 2
    assert viz.page.evaluate("location.hash").endswith("skipWeight=0.595"), "the last one is not lost"


def test_a_tab_is_a_step_and_opens_by_a_link(visit: Callable[..., Viz]) -> None:
    viz = visit("#tab=methods")
    page, field = viz.page, viz.page.locator("#methods-target input")
    assert field.is_visible()
    page.wait_for_function("document.querySelector('#methods-target input').value.includes('%')")
    assert hash_of(viz)["tab"] == "methods"
    page.get_by_role("tab", name=PAGE["tab_attention"]).click()
    page.locator("#viewer").wait_for()
    assert "tab" not in hash_of(viz)
    page.go_back()
    field.wait_for()
    assert hash_of(viz)["tab"] == "methods"
    page.go_forward()
    page.locator("#viewer").wait_for()
    assert "tab" not in hash_of(viz)


def test_an_upload_stays_in_its_browser(viz: Viz, visit: Callable[..., Viz], pictures: SimpleNamespace) -> None:
    """A link to it says so elsewhere, and shows the view once the picture is uploaded there."""
    page = viz.page
    viz.drawer("plus")
    assert not page.locator("#keeps-pictures").is_visible()
    viz.upload(pictures.landscape)
    viz.js(
        "state.set({ layer: 0, head: 1, fusion: 'one', direction: 'to', place: [0.4, 0.4], pinned: true, colours: 'magma' })"
    )
    address = copied(viz)
    before, picture = painted(viz), viz.js("viewer.payload.id")
    assert "picture=upload/" in address
    viz.reload()
    assert viz.js("viewer.payload.id") == picture
    assert_same(painted(viz), before)
    assert page.locator(".viz-colours").input_value() == "magma"
    other = visit(after_hash(address), viewport=page.viewport_size)
    assert other.page.locator("#link-line p").inner_text() == LINK["upload"]
    assert other.js("viewer.payload.id") != picture
    assert other.choice("layer") == 0, "the view is kept"
    other.upload(pictures.landscape)
    other.page.wait_for_function("document.querySelector('.viz').viewer.view.pinned")
    assert other.js("view.map.values.join()") == viz.js("view.map.values.join()")
    assert [other.choice(one) for one in ("layer", "head", "direction")] == [0, 1, "to"]
    assert not other.page.locator("#link-line p").is_visible(), "what was said is over"
    other.upload(pictures.square)
    assert not other.js("view.pinned"), "only the picture that the link was about"
    # Back from another picture, and forgotten.
    viz.lesson("two")
    page.go_back()
    viz.wait_for_maps()
    assert_same(painted(viz), before)
    viz.drawer("plus")
    page.locator("#forget-pictures").click()
    page.locator("#keeps-pictures").wait_for(state="hidden")
    viz.reload()
    assert page.locator("#link-line p").inner_text() == LINK["upload"]
    viz.lesson("two")
    assert not page.locator("#link-line p").is_visible(), "another picture ends it, too"


# What a link says of the view, what the line says of it, and what the address says then.
STRANGE = {
    "fit=evil": ("fit (as trained)", "layer={own}"),
    "layer=999": ("layer (layer {layers} instead)", "layer={last}"),
    "layer=-1": ("layer (layer {opens} instead)", ""),
    "head=77&fusion=one": ("head (head {heads} instead)", "head={last_head}&fusion=one"),
    "place=5,-3": ("place (the nearest patch instead)", "place=0.[89]*,0.[01]*"),
    "place=here": ("place (left out)", ""),
    "token=nosuch": ("token (what the classifier reads instead)", ""),
    "moment=12": ("moment (left out)", ""),
    "chapter=nosuch": ("chapter (no chapter)", ""),
    "steps=1&step=77": ("step (the first step)", "steps=1"),
    "steps=1&number=5,5": ("number (left out)", "steps=1"),
    "steps=1&atlas=1": ("atlas (left out)", "steps=1"),
    "tab=nosuch": ("tab (the first tab)", ""),
    "nosuch=1&<b>=2": ("nosuch (left out), \u00b7b\u00b7 (left out)", ""),
    "a=1&b=1&c=1&d=1&e=1&f=1": (", ".join(f"{one} (left out)" for one in "abcd") + ", 2 more", ""),
}


def test_a_line_names_what_was_not_understood_and_the_address_becomes_what_is_shown(kept: Viz) -> None:
    viz, page, slips = kept, kept.page, []
    layers, heads, own = (viz.js(one) for one in (LAYERS, "selectors.heads", "selectors.opens.layer"))
    names = {"layers": layers, "last": layers - 1, "heads": heads, "last_head": heads - 1, "own": own, "opens": own + 1}
    hash_of(viz)
    start = re.sub("&layer=.*", "", page.evaluate("location.hash"))
    for text, (said, rest) in STRANGE.items():
        given = page.evaluate("(to) => { location.hash = to; return location.hash; }", f"{start}&{text}")
        page.wait_for_function("(given) => location.hash !== given", arg=given)
        line = page.locator("#link-line p").inner_text()
        left = page.evaluate("location.hash").removeprefix(start).removeprefix("&")
        wanted = VIEWER["strange"].format(what=said.format(**names))
        if line != wanted or not fnmatch(left, rest.format(**names)):
            slips.append(f"{text}: {line!r}, not {wanted!r}; {left!r}, not {rest.format(**names)!r}")
    assert not slips, "\n".join(slips)
    assert viz.page.get_by_label(PAGE["fit"], exact=True).input_value(), "the list of fits is not empty"


HOSTILE = [  # what is wrong with different keys is in one link
    "model=<img src=x onerror=xss()>",
    "picture=lesson/<svg onload=xss()>/1&tab=" + quote('"],*{}</style><img src=x onerror=xss()>'),
    "picture=upload/"
    + quote("../../<img src=x onerror=xss()>")
    + "&colours=constructor&metric=__proto__&token=constructor&fusion=hasOwnProperty",
    "picture=javascript:xss()&model=javascript:xss()&layer=-1&head=x&scale=all;alert(1)&shapes={{&opacity=Infinity",
    "place=8,8&pinned=1&layer=999999&head=999999&crossBlock=5",
    "__proto__=1&constructor=2&toString=3&v=1&shapes="
    + quote('[{"box":[1e308,-1e308,1e308,1e308]},{"stroke":[[0,0]],"radius":[0,0]}]'),
    f"v={'9' * 400}&picture=%00&model=%E0%A4%A&fit={'x' * 3000}&" + "&".join(f"k{n}=1" for n in range(2000)),
]

UNDERSTOOD = set("v picture model layer place pinned head shapes crossBlock token".split())


def test_a_hostile_link_is_shown_as_far_as_it_is_understood(visit: Callable[..., Viz]) -> None:
    """No script of the link runs, a line tells what was ignored, and the page works on. `visit` checks the console."""
    ran: list[str] = []
    viz = visit("#" + HOSTILE[0])
    viz.page.expose_function("xss", lambda: ran.append("xss"))
    line, slips = viz.page.locator("#link-line p"), []
    for text in HOSTILE:
        if text != HOSTILE[0]:
            line.evaluate("(one) => { one.textContent = ''; }")  # what was said of the link before
            given = viz.page.evaluate("(text) => { location.hash = text; return location.hash; }", text)
            viz.page.wait_for_function("(given) => location.hash !== given", arg=given)
            viz.wait_for_rest()
        if not line.inner_text():
            slips.append(f"{text[:60]}: nothing says that it was not all understood")
        if line.locator("*").count() or viz.page.locator("img[src=x], svg[onload]").count():
            slips.append(f"{text[:60]}: elements")
        viz.click(1, 1)
        viz.slide("layer", 1)
        viz.idle()
        if not viz.js("view.map.values.length > 0 && state.get('colours') === 'viridis'"):
            slips.append(f"{text[:60]}: no map in the page's own colours")
        if strange := set(hash_of(viz)) - UNDERSTOOD:
            slips.append(f"{text[:60]}: {strange} in the address")
    assert slips == []
    assert ran == []


def test_a_model_that_is_not_listed_is_opened_when_the_visitor_says_so(
    visit: Callable[..., Viz], models: SimpleNamespace
) -> None:
    """It opens on the layer of the link, or on its own: not in the view of the model that was shown until then."""
    viz = visit(f"#picture=lesson/two/3&model={quote(models.average)}", viewport={"width": 1280, "height": 800})
    line = viz.page.locator("#link-line p")
    own = opens(vizapp.analyse(models.average, Place.of("two/3").drawn().picture))
    viz.slide("layer", 2 if own == 0 else 1)  # another one
    assert viz.js("view.layer") != own
    assert models.average in line.inner_text()
    assert viz.js("viewer.payload.model") != models.average
    viz.page.get_by_role("button", name=LINK["yes"]).click()
    viz.wait_for_maps()
    assert viz.js("view.layer") == viz.js("view.opens.layer") == own
    assert hash_of(viz)["model"] == models.average
    assert not line.is_visible()
    viz.follow(f"#picture=lesson/two/3&model={quote(models.noted)}&layer=1")
    viz.page.get_by_role("button", name=LINK["yes"]).click()
    viz.wait_for_maps()
    assert hash_of(viz)["model"] == models.noted
    assert viz.choice("layer") == 1
    assert not line.is_visible()
    viz.reload()
    assert hash_of(viz)["model"] == models.noted, "it is this visitor's own now"
    assert not line.is_visible()


def test_lines_for_another_page_show_this_view(viz: Viz) -> None:
    viz.slide("layer", 2)
    link, frame = copied(viz), ElementTree.fromstring(copied(viz, "frame"))
    assert frame.tag == "iframe"
    page, _, view = link.partition("#")
    assert frame.get("src") == f"{page}{'&' if '?' in page else '?'}embed=1#{view}"
    assert int(frame.get("width", 0)) >= 360
    viz.tab("methods")
    viz.idle()
    assert hash_of(viz)["tab"] == "methods"
    assert viz.page.locator("#methods-files .copy-link").count() == 1, "there is a button there, too"


SHOWN = ["stage", "legend", "layers"]


def test_a_frame_has_stage_legend_and_layers(visit: Callable[..., Viz]) -> None:
    width, height = 360, 480  # as small as one may be
    viz = visit("?embed=1#picture=lesson/two/7&model=toy&layer=1", viewport={"width": width, "height": height})
    panels = viz.page.locator(".viz-panel > *")
    seen = panels.evaluate_all(
        "(all) => all.filter((one) => one.offsetHeight).map((one) => one.parentElement.dataset.panel)"
    )
    assert list(dict.fromkeys(seen)) == SHOWN
    for hidden in ("#heading", "#choose", "#tabs [role=tab]", ".viz-save"):
        assert not viz.page.locator(hidden).first.is_visible()
    most = viz.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert most[0] <= width, "nothing to scroll"
    assert most[1] <= height
    stage = viz.find("picture").bounding_box()
    assert stage["width"] >= 0.6 * min(width, height)
    full = viz.page.get_by_role("link", name=LINK["full"])
    place = full.bounding_box()
    assert place["y"] + place["height"] <= height, "the link to the whole page is in sight"
    viz.slide("layer", 1)
    hash_of(viz)
    with viz.page.context.expect_page() as opened:  # in a tab of its own, not in the frame
        full.click()
    assert viz.choice("layer") == 0
    opened.value.wait_for_url(re.compile("#.+"), wait_until="commit")
    assert "embed" not in opened.value.url
    assert after_hash(opened.value.url) == after_hash(viz.page.url), "the whole page, on the same view"
