"""Sentences as targets and as labels, for networks that were trained on pictures with captions (CLIP, SigLIP).

model = vizapp.load("open_clip:ViT-B-32?pretrained=laion2b_s34b_b79k")
seen = vizapp.analyse(model, "photo.jpg")
vizapp.explain(seen, "chefer", target=vizapp.text(model, "a photo of a cat"))
vizapp.analyse(vizapp.zero_shot(model, ["a photo of a cat", "a photo of a dog"]), "photo.jpg").top()
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from vizapp.core.network import output_of
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.text_tower import Cosine, TextTower, ZeroShot
from vizapp.pipeline import load
from vizapp.wording import Text


class Sentence:
    """A target: the cosine, -1 to 1, between the vectors of a picture and this sentence. `name` is the sentence in quotes.

    cosine  (1, features) -> (1, 1)
    """

    def __init__(self, sentence: str, cosine: Cosine) -> None:
        self.name, self.cosine = f"\u201c{sentence}\u201d", cosine

    def __call__(self, output: Any) -> Tensor:
        """The cosine (1, 1), from the vision tower's output for one picture."""
        features = output_of(output)
        own = (self.cosine.vectors if self.cosine.projection is None else self.cosine.projection).shape[-1]
        if features.ndim != 2 or features.shape[-1] != own:
            raise VizError(
                "The sentence {name} is compared with {own} features of a picture, and the network gives {shape}.",
                "Make it for the model of the analysis: vizapp.text(model, ...).",
                name=self.name,
                own=own,
                shape=" x ".join(map(str, features.shape[1:])),
            )
        found: Tensor = self.cosine(features)
        return found

    def __repr__(self) -> str:
        return f"Sentence({self.name})"


def text(model: VisionModel | str, sentence: str) -> Sentence:
    """Make `sentence` a target of `explain`, `compare` and `sanity`, for analyses by the same model.

    Raises
    ------
    VizError
        for a model without a text tower, and if the tokenizer cannot be loaded
    """
    if not isinstance(sentence, str) or not sentence.strip():
        raise VizError("A sentence was expected, but got {got}.", 'Such as "a photo of a cat".', got=repr(sentence))
    tower = _tower(load(model) if isinstance(model, str) else model)
    return Sentence(sentence.strip(), Cosine(_vectors(tower, [sentence.strip()]), tower.projection))


def zero_shot(model: VisionModel | str, sentences: Sequence[str]) -> VisionModel:
    """The same model as a classifier whose labels are `sentences`, with the probabilities that its two towers were trained
    for.

    Raises
    ------
    VizError
        for a model without a text tower, and for anything but a list of sentences
    """
    model = load(model) if isinstance(model, str) else model
    if (
        isinstance(sentences, str)
        or not sentences
        or not all(isinstance(one, str) and one.strip() for one in sentences)
    ):
        raise VizError(
            "Sentences were expected, a list of them, but got {got}.",
            'Such as ["a photo of a cat", "a photo of a dog"].',
            got=repr(sentences),
        )
    tower, labels = _tower(model), tuple(one.strip() for one in sentences)
    net = ZeroShot(model.net, Cosine(_vectors(tower, labels), tower.projection), tower.scale, tower.bias)
    net.to(model.device).eval()
    return replace(
        model,
        net=net,
        attention=tuple(f"net.{name}" for name in model.attention),
        pool=f"net.{model.pool}" if model.pool else None,
        labels=labels,
        activation=tower.activation,
        texts=None,  # its output is now probabilities, which no sentence can be compared with
        facts={**model.facts, "labels": "sentences"},
    )


def _tower(model: object) -> TextTower:
    if not isinstance(model, VisionModel):
        raise VizError(
            "A model by name or a VisionModel was expected, but got {kind}.",
            'vizapp.load(NAME) makes one. A network of your own takes a sentence with its picture: inputs={{"input_ids": ids}}.',
            kind=type(model).__name__,
        )
    if model.texts is None:
        hint = Text("Choose one with two towers: open_clip:NAME, or hf:NAME of a CLIP or SigLIP.")
        if model.name.startswith(("timm:", "hf-hub:")):
            hint = Text("timm has the vision tower only; the same weights with both are open_clip:NAME or hf:NAME.")
        raise VizError("{name} reads no sentences: it has no text tower.", hint, name=model.name)
    return model.texts()


def _vectors(tower: TextTower, sentences: Sequence[str]) -> Tensor:
    found = tower.vectors(sentences)
    if not bool(torch.isfinite(found).all()):
        raise VizError("The text tower gives values that are no numbers.", "Run it in float32.")
    return found
