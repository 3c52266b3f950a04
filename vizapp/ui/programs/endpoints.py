"""The questions of programs, a method for each endpoint. An agent reads its docstring as that of a tool, so it says everything.

To add one: a public method here, with typed arguments and plain JSON as its answer, and its section in docs/api.md.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vizapp import pipeline
from vizapp.analysis import Analysis, Request
from vizapp.core.attention.relevance import Relevance
from vizapp.core.capture.proof import known_proof, proof
from vizapp.core.methods import Method, method_named, methods, within
from vizapp.core.pauses import may_pause
from vizapp.errors import VizError
from vizapp.pipeline import as_json
from vizapp.pipeline.comparison import compare
from vizapp.ui import zero_gpu
from vizapp.ui.jobs import LIMIT, Place, Priority, Stopped, too_long
from vizapp.ui.programs import answers
from vizapp.ui.programs.arguments import Picture, picture_of
from vizapp.ui.programs.caller import caller
from vizapp.ui.progress import place_in
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.words import DEFAULT, words_for
from vizapp.vocabulary import Empty, Fusion, WantedFit
from vizapp.wording import alike

Answer = dict[str, Any]
MOST_CLASSES = 1000
MOST_STEPS = 64  # points of a curve, each a forward pass for each map


@dataclass(frozen=True)
class Endpoints:
    """The endpoints of a page. They compute in its session, and queue with its visitors.

    model  the model that the page opens with
    """

    session: Session
    model: str

    def analyse(
        self,
        picture: Picture,
        model: str | None = None,
        fit: WantedFit = "as_trained",
        layer: int | None = None,
        head: int | None = None,
        fusion: Fusion = "mean",
        top: int = 5,
    ) -> Answer:
        """Look at a picture with a Vision Transformer: the classes it sees, and how the token that its classifier reads (CLS)
        spreads its attention over the patches of the picture, layer by layer. Attention says where the network looked, not why
        it decided; ask `explain` for a method that explains a class. All layers are some thousand numbers: give `layer` where
        one will do.

        Parameters:
            picture: The path that an upload to /gradio_api/upload answered, or data:image/png;base64,... of the picture.
            model: A name: toy, timm:deit_small_patch16_224.fb_in1k ... A wrong one is answered with all. Null: the page's own.
            fit: How a picture that is not square is brought to the model: as_trained, crop, pad or squash.
            layer: One layer, from 0; -1 is the last one. Null: all layers.
            head: One head, from 0. Null: all heads, combined by fusion.
            fusion: How heads are combined where no head is named.
            top: How many of the most probable classes to name, 0 to 1000.
        Returns:
            JSON: model, fit, grid [rows, cols] of patches, prefix (tokens that are no patches), notes, layers [{name, heads}],
            top [{index, label, probability}], attention {query, head, fusion, unit, layers [{layer, values: a list of columns
            for each row of patches, on_prefix {token: share}}]}, check {word: exact or untested}, files {overlay: PNG, the last
            of these layers on the picture; numbers: NPZ}.
        """
        within(0, MOST_CLASSES, top=top)
        request = self._request(picture, model, fit)

        def work() -> Answer:
            seen, check = self._proven(request)
            found: dict[int, Relevance] = {}
            why = VizError("{model} has no layers in which patches look at patches.", model=request.model)
            for one in range(len(seen.trace.layers)) if layer is None else [layer]:
                try:
                    made = pipeline.explain(seen, "attention", layer=one, head=head, fusion=fusion)
                    found[made.settings["layer"]] = made
                except VizError as error:  # in some networks CLS joins late, and early layers lack it
                    why = error
            if not found:
                raise why
            last = found[max(found)]
            key = ("analyse", request, layer, head, fusion)
            return as_json.of_network(seen) | {
                "layers": [{"name": one.name, "heads": one.n_heads} for one in seen.trace.layers],
                "top": as_json.top_of(seen, top),
                "attention": {
                    "query": last.asked,
                    "head": head,
                    "fusion": None if head is not None else fusion,
                    "unit": str(last.unit),
                    "layers": [{"layer": one} | as_json.map_of(made) for one, made in found.items()],
                },
                "check": check,
                "files": answers.layer_files(seen, last, found, key),
            }

        return self._run(work, request)

    def explain(
        self,
        picture: Picture,
        method: str = "rollout",
        model: str | None = None,
        fit: WantedFit = "as_trained",
        query: str | None = None,
        target: str | int | None = None,
        settings: dict[str, Any] | None = None,
    ) -> Answer:
        """Make one map of a picture by one explanation method: a number for each patch. rollout follows attention through all
        layers; attention is that of one layer; chefer, legrad, grad_cam, attn_lrp and others explain a class.

        Parameters:
            picture: The path that an upload to /gradio_api/upload answered, or data:image/png;base64,... of the picture.
            method: rollout, attention, chefer, legrad, grad_cam, attn_lrp ... A wrong name is answered with all of them.
            model: A name: toy, timm:deit_small_patch16_224.fb_in1k ... A wrong one is answered with all. Null: the page's own.
            fit: How a picture that is not square is brought to the model: as_trained, crop, pad or squash.
            query: Whose attention: cls, or row,col of a patch from 0, such as 7,7. Null: what the classifier reads.
            target: The class to explain, by label or index, for methods that explain a class. Null: the most probable one.
            settings: Settings of the method by name, such as {"layer": 4, "head": 2}; layers and heads from 0. Null: as they are.
        Returns:
            JSON: model, fit, grid, prefix, notes, method, query, target {index, label} or null, settings, unit (what one value
            is), signed (can values be below zero?), values (a list of columns for each row of patches), on_prefix, hidden
            (only where a mask or a window hides patches: which), top (5 classes), check, files {overlay: PNG, the map on the
            picture; numbers: NPZ}.
        """
        chosen = offered(self.session, method)
        chosen.check(settings or {})
        request = self._request(picture, model, fit)

        def work() -> Answer:
            seen, check = self._proven(request)
            make: Callable[..., Relevance] = zero_gpu.computing(request).get("explain", pipeline.explain)
            index = seen.class_index(target)
            asked = {"query": query} if query is not None else {}
            found = make(seen, chosen.name, target=index, **asked, **(settings or {}))
            return as_json.explained(seen, found) | {
                "check": check,
                "files": answers.map_files(seen, found, ("explain", request, method, query, index, settings)),
            }

        return self._run(work, request, "long" if chosen.cost == "slow" else "map")

    def compare(
        self,
        picture: Picture,
        methods: list[str] | None = None,
        model: str | None = None,
        fit: WantedFit = "as_trained",
        target: str | int | None = None,
        steps: int = 8,
        empty: Empty = "mean",
        settings: dict[str, dict[str, Any]] | None = None,
    ) -> Answer:
        """Compare explanation methods on one picture: each draws its map of one class, and each map is tested by taking away the
        patches that it calls important (deletion, insertion), beside a random map and a bright centre. Takes ten seconds to
        minutes; on a public server at most one, without slow methods.

        Parameters:
            picture: The path that an upload to /gradio_api/upload answered, or data:image/png;base64,... of the picture.
            methods: Names of methods, such as ["rollout", "chefer", "legrad"]. Null: those that the page has ticked at first.
            model: A name: toy, timm:deit_small_patch16_224.fb_in1k ... A wrong one is answered with all. Null: the page's own.
            fit: How a picture that is not square is brought to the model: as_trained, crop, pad or squash.
            target: The class to explain, by label or index. Null: the most probable one.
            steps: Points of the curves of deletion and insertion, 0 (no curves) to 64.
            empty: What the network sees where a patch was taken away: mean (colour) or blur.
            settings: Settings of methods, such as {"rollout": {"skip_weight": 0.3}}. Null: as they are.
        Returns:
            JSON: model, fit, grid, prefix, notes, target {index, label}, rows [{method, class_specific, deletion: lower is
            better, insertion: higher is better, seconds}], maps {method: {values, on_prefix, unit, signed}}, curves {method:
            {share, deletion, insertion}}, agreement {methods, rank_correlation}, skipped {method: why it has no map}, objects,
            check, files {table: CSV; maps: PNG}.
        """
        within(0, MOST_STEPS, steps=steps)
        names = (
            [one.name for one in self.session.methods if one.chosen]
            if methods is None
            else [offered(self.session, one).name for one in methods]
        )
        request = self._request(picture, model, fit)
        tell = caller().on_progress

        def on_progress(what: str, share: float) -> None:
            tell(what, share)
            may_pause()

        def work() -> Answer:
            seen, check = self._proven(request)
            how: dict[str, Any] = {
                "steps": steps,
                "empty": empty,
                "settings": settings or {},
                "on_progress": on_progress,
            }
            result = compare(seen, names, target=seen.class_index(target), **how, **zero_gpu.computing(request))
            files = answers.comparison_files(result)
            return as_json.of_network(seen) | answers.comparison_of(result) | {"check": check, "files": files}

        return self._run(work, request, "long")

    def predict(
        self, picture: Picture, model: str | None = None, fit: WantedFit = "as_trained", top: int = 5
    ) -> Answer:
        """Say which classes a Vision Transformer sees in a picture, with their probabilities. The models that are built in know
        twelve drawn things of a toy world only; photos need one such as timm:deit_small_patch16_224.fb_in1k.

        Parameters:
            picture: The path that an upload to /gradio_api/upload answered, or data:image/png;base64,... of the picture.
            model: A name: toy, timm:deit_small_patch16_224.fb_in1k ... A wrong one is answered with all. Null: the page's own.
            fit: How a picture that is not square is brought to the model: as_trained, crop, pad or squash.
            top: How many of the most probable classes to name, 0 to 1000.
        Returns:
            JSON: model, fit, grid, prefix, notes, top [{index, label, probability}], best first; [] without a classifier.
        """
        within(0, MOST_CLASSES, top=top)
        request = self._request(picture, model, fit)

        def work() -> Answer:
            seen = self.session.analysis(request)
            return as_json.of_network(seen) | {"top": as_json.top_of(seen, top)}

        return self._run(work, request)

    # ---- helpers

    def _request(self, picture: Picture, model: str | None, fit: WantedFit) -> Request:
        path = picture_of(picture, folder.current())
        return self.session.request(path, self.model if model is None else model, fit)

    def _proven(self, request: Request) -> tuple[Analysis, Answer]:
        """The analysis, and the result of the self-test, which runs once per network. Raises `VizError` for wrong maps."""
        seen = self.session.analysis(request)
        assert seen.context is not None
        network = seen.context.model
        try:
            found = known_proof(network) or proof(network)
        except VizError as error:
            return seen, {"word": "untested", "why": str(error)}
        if refusal := found.refusal(request.model):
            raise refusal
        return seen, answers.check_of(found)

    def _run(self, work: Callable[[], Answer], about: Request, priority: Priority = "map") -> Answer:
        """Run `work()` in its turn. Raises `VizError` if it gets none."""
        one, words = caller(), words_for(DEFAULT)
        limit = LIMIT if self.session.public and priority == "long" else None

        def on_wait(place: Place | None) -> None:
            if place is not None:
                one.on_progress(place_in(words, place), 0.0)

        try:
            return self.session.run(
                work, one.visitor, priority=priority, about=about, limit=limit, on_wait=on_wait, listens=False
            )
        except Stopped as end:
            if end.why == "too_long":
                raise too_long(limit) from None
            if end.why == "unheard":
                raise VizError(
                    "Nobody listened, so nothing was computed.",
                    "Fetch an answer within {seconds:g} seconds.",
                    seconds=self.session.processor.grace,
                ) from None
            raise VizError("The run was ended.", "Ask again.") from None


def offered(session: Session, name: str) -> Method:
    """The method of a name. Raises `VizError` for an unknown one, and for slow ones on a public page."""
    if not session.public:
        return method_named(name)
    known = methods()
    if name not in known:
        quick = [one.name for one in known.values() if one.cost != "slow" and not one.lacks]
        close = alike(name, quick)
        raise VizError(
            "There is no method '{name}'.",
            "Did you mean {close}? There are: {names}." if close else "There are: {names}.",
            name=name[:80],
            close=", ".join(close),
            names=", ".join(quick),
        )
    if known[name].cost == "slow":
        raise VizError("{name} takes too long to be offered here.", "vizapp on your own computer has it.", name=name)
    return known[name]


def endpoints_of(own: Endpoints) -> list[Callable[..., Answer]]:
    """List all endpoints: the public methods."""
    return [method for name, method in inspect.getmembers(own, inspect.ismethod) if not name.startswith("_")]
