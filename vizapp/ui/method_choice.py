"""The choices on the tab Methods: the target, a second target to compare with, and methods in three groups with settings."""

from collections.abc import Sequence
from html import escape
from typing import Any

import gradio as gr

from vizapp.analysis import Analysis
from vizapp.core.methods import Method, methods
from vizapp.ui import comparison_html
from vizapp.ui.retry import QUIETLY
from vizapp.ui.session import Session
from vizapp.ui.settings import settings_of
from vizapp.ui.targets import NOBODY, choices_of, number_of, reads
from vizapp.ui.taught_classes import Handed, Things
from vizapp.ui.words import Words
from vizapp.vocabulary import EMPTIES

# Where the button's text is written anew, the button stays, with the focus and the drawer that it has opened.
SAYS = """
const say = () => { element.querySelector("button").textContent = props.value; };
watch("value", say);
say();
"""


class MethodChoice:
    """The controls, and their choices for the network on the stage. The target stands on the page; the rest is in a drawer.

    target, sentence, other  the target (a class, or a typed sentence), and the target to compare it with
    empty   the filling for patches that are taken away
    boxes   the groups of methods; settings  the parameters of all of them
    opener  the button of the drawer; handed  asks the viewer for taught things
    """

    def __init__(self, session: Session, words: Words) -> None:
        self._words, self._public = words, session.public
        self._kinds = _kinds(session.methods)

    def place_target(self) -> None:
        """Add to the row that is being built what is explained, and the button that opens all other choices."""
        page = self._words["page"]
        self.target = gr.Dropdown([], label=page["target"], info=page["target_help"], elem_id="methods-target")
        self.sentence = gr.Textbox(
            label=page["sentence"],
            info=page["sentence_help"],
            max_length=200,
            visible=False,
            elem_id="methods-sentence",
        )
        ticked = [one for some in self._kinds.values() for one in some if one.chosen]
        opens = 'id="methods-chip" data-drawer="methods-pick" aria-expanded="false"'
        self.opener = gr.HTML(
            self._counted(len(ticked)),
            html_template=f'<button type="button" {opens}></button>',
            js_on_load=SAYS,
            elem_id="methods-opener",
        )

    def place_drawer(self) -> None:
        """Add the drawer: methods in their groups, what they show, their settings, and how they are compared."""
        page = self._words["page"]
        every = [one for some in self._kinds.values() for one in some]
        with gr.Column(elem_id="methods-pick", elem_classes="drawer"):
            self.boxes = [_checkboxes(self._words, kind, some) for kind, some in self._kinds.items()]
            if lacking := lacking_here(self._words, self._public):
                gr.HTML(f"<p>{page['lacking'].format(**lacking)}</p>", elem_id="methods-lacking")
            with gr.Row(elem_id="methods-choice"):
                self.other = gr.Dropdown([], label=page["other"], info=page["other_help"], elem_id="methods-other")
                self.empty = gr.Radio(
                    [(page[f"empty_{one}"], one) for one in EMPTIES],
                    value="mean",
                    label=page["empty"],
                    info=page["empty_help"],
                )
            with gr.Accordion(page["what"], open=False):
                gr.HTML(comparison_html.what(self._words, every))
            with gr.Accordion(page["settings"], open=False, elem_id="methods-settings"):
                gr.HTML(f"<p>{page['settings_help']}</p>")
                self.settings = settings_of(self._words, every)
        self.handed = Handed("methods-things")

    def follow_ticks(self) -> None:
        """Keep the button's number, and the boxes of settings, with the ticked methods."""

        def told(*some: list[str]) -> list[Any]:
            ticked = [name for names in some for name in names]
            return [self._counted(len(ticked)), *self.settings.shown_for(ticked)]

        boxes = list(self.settings.boxes.values())
        gr.on([box.change for box in self.boxes], told, self.boxes, [self.opener, *boxes], **QUIETLY)

    def _counted(self, number: int) -> str:
        return self._words.say("page", "methods_chip", n=number)

    def offer(
        self, seen: Analysis, asked: Any, things: Things | None, aside: list[str], ticked: Any
    ) -> tuple[Any, ...]:
        """Return new values of `target`, `other`, `sentence`, of the methods that are set aside, and of `boxes`.

        asked   the last comparison; aside  methods that were ticked before but not offered; ticked  those of each group
        """
        words, page = self._words, self._words["page"]
        here = things and things.of(seen)
        choices, is_read = choices_of(words, seen, here), gr.Textbox(visible=reads(seen))
        wanted = {*aside, *(name for some in ticked for name in some)}
        offered, left = _offered(words, self._kinds, seen, wanted, ticked, here)
        if not choices:
            none = gr.Dropdown(
                choices=[], value=None, info=page["no_classes"], interactive=False, elem_classes=["no-classes"]
            )
            return none, none, is_read, left, *offered
        first = next((value for _, value in choices if number_of(value) is None), choices[0][1])
        if asked and number_of(asked[0]) is not None and asked[0] in [value for _, value in choices]:
            first = asked[0]  # a taught thing stays chosen in the next picture, too
        helped = page["taught_help" if here else "target_help"]
        if not here and not seen.labels:
            helped = page["outputs_help"]
        nobody = (page["nobody"], NOBODY)
        return (
            gr.Dropdown(choices=choices, value=first, info=helped, interactive=True, elem_classes=[]),
            gr.Dropdown(
                choices=[nobody, *choices], value=NOBODY, info=page["other_help"], interactive=True, elem_classes=[]
            ),
            is_read,
            left,
            *offered,
        )


def _kinds(offered: list[Method]) -> dict[str, list[Method]]:
    """Sort methods into three groups."""
    quick = [one for one in offered if one.cost == "quick"]
    return {
        "class": [one for one in quick if one.class_specific],
        "every": [one for one in quick if not one.class_specific],
        "slow": [one for one in offered if one.cost == "slow"],
    }


def lacking_here(words: Words, public: bool) -> dict[str, str]:
    """Return methods that need a missing package, and the packages; {} if there are none, or if the visitor cannot install it."""
    some = [] if public else [one for one in methods().values() if one.lacks]
    if not some:
        return {}
    packages = " ".join(dict.fromkeys(one.lacks for one in some))
    names = words.listed(comparison_html.name_of(words, one.name) for one in some)
    return {"methods": escape(names), "packages": escape(packages)}


def _labels(
    words: Words, kind: str, some: list[Method], seen: Analysis | None = None, target: object = None
) -> list[tuple[str, str]]:
    """(label, name) of methods; the label says if the method means nothing for the network of `seen`."""

    def label(one: Method) -> str:
        alike = kind == "slow" and not one.class_specific
        name = comparison_html.name_of(words, one.name)
        name = words.say("page", "name_every_class", method=name) if alike else name
        here = seen is None or not one.why_not(seen.trace, target)
        return name if here else words.say("page", "name_not_here", method=name)

    return [(label(one), one.name) for one in some]


def _offered(
    words: Words,
    kinds: dict[str, list[Method]],
    seen: Analysis,
    wanted: set[str],
    ticked: Sequence[list[str]],
    things: Things | None,
) -> tuple[list[gr.CheckboxGroup], list[str]]:
    """Return the groups of methods for a network, and the `wanted` ones that it lacks: they are ticked again for the next one.

    Without a target, methods that explain one are not offered. The labels of other methods say if they mean nothing here.
    """
    # A sentence that is not typed yet counts as a target, too.
    other = "a sentence, or a thing" if things or reads(seen) else None
    has_target = bool(seen.best(1) or other or (not seen.labels and seen.context and seen.context.chooses))
    groups, left = [], set(wanted)
    for (kind, some), now in zip(kinds.items(), ticked, strict=True):
        here = [one for one in some if has_target or not one.class_specific]
        names = [one.name for one in here if one.name in wanted]
        left -= {one.name for one in here}
        # Send a value only if it changes: the visitor may be ticking boxes just now.
        value = {} if set(names) == set(now) else {"value": names}
        groups.append(gr.CheckboxGroup(choices=_labels(words, kind, here, seen, other), visible=bool(here), **value))
    return groups, sorted(left)


def _checkboxes(words: Words, kind: str, some: list[Method]) -> gr.CheckboxGroup:
    return gr.CheckboxGroup(
        _labels(words, kind, some),
        value=[one.name for one in some if one.chosen],
        label=words["page"][f"kind_{kind}"],
        elem_id=f"methods-{kind}",
        visible=bool(some),
    )
