"""Make an edited network: find the attention call of a pass that each edit is about, and see that it is edited exactly once.

Layers are counted as in a trace, where some calls of a network do not appear (poolings, channels, what stands on no patch). So
the plain network is run on noise to see its calls: once, a second time if places must be followed, and a third time, on two
pictures, if the first axis of a call holds more than pictures. What it finds is kept for as long as the network lives.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial

import torch

from vizapp.core.capture.call import Call
from vizapp.core.capture.check import noise
from vizapp.core.capture.edited import EditedNetwork, unedited
from vizapp.core.capture.memory import explained
from vizapp.core.capture.picture_axis import calls_of, lie_first
from vizapp.core.capture.reading import reading
from vizapp.core.capture.site import Site
from vizapp.core.capture.survey.head_groups import joined_axes
from vizapp.core.interventions import Edit
from vizapp.core.memo import Memo
from vizapp.core.modes import normal_tensors
from vizapp.core.network import dtype_of, watched_modules
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


def edited(model: VisionModel, edits: Sequence[Edit]) -> VisionModel:
    """`model` with a network that runs under `edits`, each time it is called; `model` itself if there are none.

    Its notes say what was done. Raises `VizError` for a layer or a head that it does not have, and for two edits of one head.
    """
    if not edits:
        return model
    if isinstance(model.net, EditedNetwork):
        raise VizError("This model is edited already.", "Give all edits at once, for the plain model.")
    found, edits = sites(model), resolved(model, edits)
    by_target: dict[Hashable, Edit] = {}
    for edit in edits:
        if edit.target in by_target:
            raise VizError(
                "The edits {one} and {other} change the same thing.",
                "Give one of them.",
                one=str(by_target[edit.target]),
                other=str(edit),
            )
        by_target[edit.target] = edit
    for edit in edits:
        edit.check(found[edit.layer])
    begin = partial(EditedPass, tuple((edit, found[edit.layer]) for edit in edits))
    network = EditedNetwork(model, begin, watched_modules(model))
    return replace(model, net=network, notes=(*model.notes, *(edit.note for edit in edits)))


def resolved(model: VisionModel, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """`edits`, each once, with the number of its layer where that was counted from the end.

    Raises `VizError` for a layer that the model does not have.
    """
    if not edits:
        return ()
    n = len(sites(model))
    for edit in edits:
        if not -n <= edit.layer < n:
            raise VizError(
                "There is no layer {layer}: this model has {n}.",
                "In code, layers go from 0 to {last}, and -1 is the last.",
                layer=edit.layer,
                n=n,
                last=n - 1,
            )
    return tuple(dict.fromkeys(replace(edit, layer=edit.layer % n) for edit in edits))


class EditedPass:
    """The edits of one pass of `pictures`: each is applied to its call, and counted."""

    def __init__(self, edits: Sequence[tuple[Edit, Site]], pictures: int) -> None:
        # As it was asked for, for words; then as it is done, in one call.
        self._edits, self._pictures = [(edit, *edit.within(site)) for edit, site in edits], pictures
        self._calls: Counter[str] = Counter()
        self._done = [0] * len(edits)

    def __call__(self, call: Call) -> Call | None:
        title = replace(call, index=self._calls[call.name]).title  # a watch around several passes counts on
        self._calls[call.name] += 1
        made = call
        for index, (_, edit, site) in enumerate(self._edits):
            if site.shape.title == title:
                made = edit.apply(made, site, site.pictures_in(call, self._pictures))
                self._done[index] += 1
        return made

    def finish(self) -> None:
        """Raise `VizError` if an edit was not applied exactly once: a map of it would show what was not done."""
        for (edit, _, site), times in zip(self._edits, self._done, strict=True):
            if times != 1:
                raise VizError(
                    "The edit {edit} was applied {times} times, not once: {title} ran in a way that cannot be seen.",
                    "Compiled, traced and scripted code hides what it does: edit the network that it was made from.",
                    edit=str(edit),
                    times=times,
                    title=site.shape.title,
                )


_sites: Memo[tuple[Site, ...]] = Memo()


def sites(model: VisionModel) -> tuple[Site, ...]:
    """The layers of a trace of `model`, first layer first, as calls of its network."""
    model = unedited(model)
    key = (model.preprocess.size, model.attention, model.prefix, model.patch)
    return _sites.get(model.net, key, lambda: _found(model))


@normal_tensors()
def _found(model: VisionModel) -> tuple[Site, ...]:
    pixels = noise(model).to(model.device, dtype_of(model.net))
    with explained(model, model.device):
        calls = calls_of(model, pixels, watched_modules(model))
        read = reading(model, pixels, [shape for shape, _ in calls])
        layers = [(one, axes) for one, axes in zip(calls, read.axes, strict=True) if axes.kind == "tokens"]
        if not layers:
            raise VizError(
                "{name} has no attention between patches of the picture, so there is no layer to edit.",
                "Choose another model.",
                name=model.name,
            )
        batched = lie_first(model, pixels, calls, watched_modules(model))
        joined = read.joined()
    each = {shape.title: Site(0, shape, axes, batched) for (shape, _), axes in layers}
    heads = {first: tuple(each[title] for title in titles) for first, titles in joined.items()}
    others = {title for first, titles in joined.items() for title in titles if title != first}
    found = [
        _joined(one, heads[title]) if title in heads else one for title, one in each.items() if title not in others
    ]
    return tuple(replace(one, layer=index) for index, one in enumerate(found))


def _joined(first: Site, calls: tuple[Site, ...]) -> Site:
    """The layer that these calls are the heads or the windows of, named as the first of them that ran."""
    lead = first.shape.lead
    if first.axes.is_part:
        return replace(first, calls=calls)  # its heads are those of each call
    shape = first.shape._replace(lead=torch.Size((*lead, len(calls))))
    return replace(first, shape=shape, axes=joined_axes([one.axes for one in calls], len(lead)), calls=calls)
