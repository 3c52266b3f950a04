"""The attention of one forward pass: an immutable `AttentionTrace`, lazy in its maps, with no reference to the network."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from vizapp.core.attention import cells as laid
from vizapp.core.attention.cells import Cells
from vizapp.core.attention.grids import by_area
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.ledger import Ledger
from vizapp.core.attention.parts import with_tensors
from vizapp.core.attention.sides import Sides, notes_of
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text, few

RUN = ".."  # between the first and the last of several patches, row by row
ALONE = (
    "In {layers} no token sees another: each attends to itself alone. PyTorch's attention takes (token, batch, feature), "
    "unless it is made with batch_first=True."
)
UNNAMED = "extra"  # and a number: learned tokens before the patches without given names
Query = str | int | tuple[int, int] | torch.Tensor | np.ndarray


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """The attention of every layer and head for one picture, and the network's answer.

    layers    first layer first; each (head, token, token). Empty for a network whose patches weigh channels and whose class
              token alone looks at patches (XCiT): that attention is in `cross`
    layout    the meaning of the tokens; if layers have grids of their own (`layouts`), that of the last layer
    logits    (classes,) float32, or None for a network without a classifier
    readout   the tokens that the classifier reads, as a query: "cls", "cls+dist", "mean" (of all patches), "pool", or patches
              of the last layer, "3,3" or "cls+0,0..0,3"
    cross     attention whose queries are not patches, in its order: class attention, object queries, attention pooling. Each
              (head, query, token) over the tokens of its `key_layout`, with names for its queries (`query_names`)
    pool      the last of `cross`, which ends a network without CLS; None if there is none
    outputs   the shape of the network's output for one picture: (classes,), (features,), (classes, h, w) ...
    largest   the index of the largest output, where the network gives one row of them and nothing else, named or not; else None
    joined    titles of the calls, by the layer's name, for layers whose heads the network computes in separate calls
    ledger    every known attention of the pass, shown or not; four properties here read it
    places    where the patches of each grid look, for a network whose patches do not lie evenly on the picture; () for others
    """

    layers: tuple[LayerAttention, ...]
    layout: TokenLayout
    logits: torch.Tensor | None
    readout: str
    pool: LayerAttention | None = None
    cross: tuple[LayerAttention, ...] = ()
    outputs: tuple[int, ...] = ()
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    largest: int | None = None
    places: tuple[Cells, ...] = ()

    @property
    def no_chain(self) -> str:
        """Say why attention cannot be followed from layer to layer; "" if it can."""
        return self.ledger.no_chain

    @property
    def skipped(self) -> dict[str, str]:
        """Other attention of the network, and why it is not shown: {"stages.0.attn": "it weighs ..."}.

        A layer's own name stands here if its module also attends in a second, unknown way.
        """
        return {one.name: one.why for one in self.ledger.entries if not one.among}

    @property
    def sides(self) -> dict[str, Sides]:
        """The `Sides` of each of `layers` and `cross`, by name: how far queries, keys, values and output were followed."""
        names = {layer.name for layer in (*self.layers, *self.cross)}
        return {one.name: one.sides for one in self.ledger.shown if one.name in names}

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes that must be shown with every map of this trace: about chance, subtracted attention, unusual orders, and
        sides that could not be followed; about cells that are not what patches see.
        """
        taken = (self.ledger.subtracted,) if self.ledger.subtracted else ()
        cells = laid.notes_of(self._own_places, self.layout.grid)
        alone = [layer.name for layer in self.layers if layer.is_windowed and layer.parts.n_keys == 1]
        lone = (Text(ALONE, layers=few(alone)),) if alone else ()
        return (*self.ledger.said, *taken, *lone, *notes_of(self.sides), *cells)

    @property
    def cells(self) -> Cells | None:
        """The cells of `layout`, if all layers look at one part of the picture; None: lay them evenly over it."""
        return laid.shared(self._own_places, self.layout.grid)

    @property
    def _own_places(self) -> list[Cells]:
        own = {self.layout.grid, *(self.layouts(index)[0].grid for index in range(len(self.layers)))}
        return [one for one in self.places if one.grid in own]

    def to(self, device: str | torch.device) -> "AttentionTrace":
        """Return the trace on another device; tensors that are there already are shared, not copied."""
        return with_tensors(self, lambda tensor: tensor.to(device))

    def cpu(self) -> "AttentionTrace":
        """Return the trace in the memory of the machine, so that the GPU's memory can be freed."""
        return self.to("cpu")

    def __getitem__(self, which: slice) -> "AttentionTrace":
        """Return neighbouring layers alone, as if the network had no others: `trace[2:5]` has three, counted from 0 again.

        Its rollout is that of the whole trace with `start_layer=2, layer=4`. Logits, readout and pooling stay those of the
        whole network.
        """
        if not isinstance(which, slice) or which.step not in (None, 1) or not self.layers[which]:
            raise VizError(
                "{got} does not choose layers of {count}.",
                "trace[2:5] holds the layers 2, 3 and 4; one layer is trace.layer(3).",
                got=which if isinstance(which, slice) else repr(which),
                count=len(self.layers),
            )
        last = which.indices(len(self.layers))[1] - 1
        layout = self.layouts(last)[0]
        places = {name: self._in_its_place(name, layout) for name in self.readout.split("+")}
        readout = "+".join(name if at is None else layout.prefix[at] for name, at in places.items())
        return replace(self, layers=self.layers[which], layout=layout, readout=readout)

    def calls_of(self, name: str) -> tuple[str, ...]:
        """List the titles of the attention calls of the layer `name`: itself, or one for each of its heads or groups."""
        return tuple(self.joined.get(name, (name,)))

    def layouts(self, index: int) -> tuple[TokenLayout, TokenLayout]:
        """Return the layouts of the queries and of the keys of a layer."""
        if not self.layers and index == -1:
            return self.layout, self.layout
        layer = self.layer(index)
        layout = layer.layout or self.layout
        return layout, layer.key_layout or layout

    @property
    def one_grid(self) -> bool:
        """Tell whether the tokens have the same meaning in all layers."""
        return all(self.layouts(index) == (self.layout, self.layout) for index in range(len(self.layers)))

    @property
    def nbytes(self) -> int:
        apart = () if self.pool is None or any(one is self.pool for one in self.cross) else (self.pool,)
        return sum(layer.nbytes for layer in (*self.layers, *self.cross, *apart))

    @property
    def device(self) -> torch.device:
        return (*self.layers, *self.cross)[0].device

    @property
    def dtype(self) -> torch.dtype:
        """Precision of the numbers made from this trace."""
        return (*self.layers, *self.cross)[0].dtype

    @property
    def queries(self) -> tuple[str, ...]:
        """The named queries that `query` understands, besides "row,col"."""
        named = (*self.late, *self.layout.prefix, "mean")
        return ("pool", *named) if self.pool is not None and not self.late else named

    @property
    def late(self) -> tuple[str, ...]:
        """Tokens that the classifier reads and the last layer lacks: a CLS that joins in class attention (CaiT, VOLO)."""
        missing = [name for name in self.readout.split("+") if name not in {*self.layout.prefix, "mean", "pool"}]
        asking = {name for one in self.cross for name in one.query_names}
        asking |= {name for index in range(len(self.layers)) for name in self.layouts(index)[0].prefix}
        return tuple(name for name in missing if name in asking)

    def query(self, query: Query | None = None, layer: int = -1) -> torch.Tensor:
        """Weights on the query tokens of a layer, (token,), that sum to one: the form in which every method takes its query.

        None is the readout. Names: "cls", "dist", "reg0", ..., "mean" (all patches alike), "pool" (as the attention
        pooling weighs the tokens, mean over its heads), "row,col" of a patch, from 0, or several alike, "cls+dist";
        "0,2..1,3" are all patches from the one to the other, row by row.
        A pair (row, col) is a patch, an int a token of the sequence. Weights are scaled to sum to one.
        `layer` matters if layers have grids of their own: (row, col) is a patch of that layer. Of the readout, it is a patch of
        the last one, and in other layers the patches that lie on it.
        The classifier may read a token that joins after this layer (CLS of CaiT and VOLO). Such a token, and "pool", stands
        for the tokens with the weights of its last attention: mean over heads, without the weights of itself and of other
        tokens that this layer lacks. On another grid, a patch's weight goes to the patches that it lies on, by area. Raises
        `VizError` for a query that this layer does not have.
        """
        layout = self.layouts(layer)[0]
        if query is None and layout.grid != self.layout.grid and "," in self.readout:
            last = self._named(self.readout, self.layout)
            return self._spread(last, self.layout, layout)
        query = self.readout if query is None else query
        if isinstance(query, np.ndarray) and query.dtype.kind in "biuf":
            query = torch.from_numpy(np.ascontiguousarray(query))
        if isinstance(query, torch.Tensor):
            return self._weights(query, layout)
        if isinstance(query, str):
            return self._named(query, layout)
        if isinstance(query, tuple) and len(query) == 2 and all(isinstance(part, int) for part in query):
            return self._one(layout.token_of(*query), layout)
        if isinstance(query, int) and not isinstance(query, bool):
            return self._one(query, layout)
        raise VizError(
            "{got} is no query.",
            "Give a name, a pair (row, col), the index of a token, or weights on all tokens.",
            got=repr(query),
        )

    def name_of(self, query: Query | None, layer: int = -1) -> str:
        """Name a query: "cls", "3,4", or "weights" for weights without a name."""
        if query is None:
            return self.readout
        if isinstance(query, int):
            layout = self.layouts(layer)[0]
            in_grid = divmod(query - layout.n_prefix, layout.grid[1])
            query = layout.prefix[query] if query < layout.n_prefix else in_grid
        if isinstance(query, tuple):
            return f"{query[0]},{query[1]}"
        return query if isinstance(query, str) else "weights"

    def layer(self, index: int) -> LayerAttention:
        """Return a layer by its index from 0; negative counts from the end. Raises `VizError` if there is none."""
        if not self.layers:
            raise VizError(
                "This network has no layer between patches: {why}.",
                "Look at its class token by the method cross_attention, in Python or on the command line.",
                why=self.no_chain,
            )
        if not -len(self.layers) <= index < len(self.layers):
            raise VizError(
                "There is no layer {index}: this model has {count}.",
                "Layers are counted from 0, so the last is {last}, or -1.",
                index=index,
                count=len(self.layers),
                last=len(self.layers) - 1,
            )
        return self.layers[index]

    def cross_block(self, index: int) -> LayerAttention:
        """Return one of `cross` by its index from 0; negative counts from the end. Raises `VizError` if there is none."""
        if not -len(self.cross) <= index < len(self.cross):
            raise VizError(
                "There is no block {index} of cross attention: this model has {count}.",
                "Blocks are counted from 0, so the last is {last}, or -1.",
                index=index,
                count=len(self.cross),
                last=len(self.cross) - 1,
            )
        return self.cross[index]

    def head(self, layer: int, index: int) -> int:
        """Return `index`, from 0, if the layer has such a head. Raises `VizError` if not."""
        return self.layer(layer).head(index)

    def _named(self, name: str, layout: TokenLayout) -> torch.Tensor:
        if "+" in name or RUN in name:
            parts = [self._part(part, layout) for part in name.split("+")]
            return self._weights(torch.stack(parts).sum(0), layout)
        if name == "mean":
            return self._weights(torch.arange(layout.n_tokens) >= layout.n_prefix, layout)
        if name == "pool" and self.pool is not None:
            return self._weighed(self.pool, layout)
        if name in layout.prefix:
            return self._one(layout.prefix.index(name), layout)
        if (earlier := self._in_its_place(name, layout)) is not None:
            return self._one(earlier, layout)
        if name in self.readout.split("+") and (late := self._late(name, layout)) is not None:
            return late
        try:
            row, col = (int(part) for part in name.split(","))
        except ValueError:
            hint = "Say one of: {names}, or 'row,col' of a patch, such as '0,0'."
            if any(one.startswith(UNNAMED) for one in layout.prefix):
                hint = (
                    "Say one of: {names}, or 'row,col' of a patch, such as '0,0'. Without a query you see {readout}, as its "
                    "classifier does; vizapp.describe(net, layout=...) names the tokens before the patches."
                )
            raise VizError(
                "'{name}' is no query of this model.",
                hint,
                name=name,
                names=", ".join(self.queries),
                readout=self.readout,
            ) from None
        return self._one(layout.token_of(row, col), layout)

    def _in_its_place(self, name: str, layout: TokenLayout) -> int | None:
        """Give the token of an earlier layer that a token of the last layer has taken the place of; None if there is none.

        A network may have prompts, or a CLS, of each layer's own. By the name of the last one, each layer is asked for its own.
        """
        if name not in self.layout.prefix or len(layout.prefix) != len(self.layout.prefix):
            return None
        place = self.layout.prefix.index(name)
        return None if layout.prefix[place] in self.layout.prefix else place

    def _part(self, part: str, layout: TokenLayout) -> torch.Tensor:
        """Return the weights of one part of a query; each token of "0,2..1,3" weighs as much as one that is a part by itself."""
        start, run, end = part.partition(RUN)
        if not run:
            return self._named(part, layout)
        first, last = (int(self._named(one, layout).argmax()) for one in (start, end))
        tokens = torch.arange(layout.n_tokens, device=self.device)
        return ((first <= tokens) & (tokens <= last)).to(self.dtype)

    def _late(self, name: str, layout: TokenLayout) -> torch.Tensor | None:
        """Return the weights, on the tokens of `layout`, of a token that joins later; None if there is no such token."""
        asking = [one for one in reversed(self.cross) if name in one.query_names]
        if asking:
            # If branches have grids of their own, attention that looks at this grid tells more than attention that does not.
            same = [one for one in asking if (one.key_layout or self.layout).grid == layout.grid]
            one = (same or asking)[0]
            return self._weighed(one, layout, one.query_names.index(name))
        for index in reversed(range(len(self.layers))):
            own = self.layouts(index)[0]
            if name in own.prefix:
                return self._weighed(self.layers[index], layout, own.prefix.index(name))
        return None

    def _weighed(self, attention: LayerAttention, layout: TokenLayout, query: int | None = None) -> torch.Tensor:
        """Return the weights of one query of an attention on the tokens of `layout`, mean over heads; None: of all queries."""
        asked = torch.ones(attention.n_queries, device=self.device, dtype=self.dtype)
        if query is not None:
            asked = torch.zeros_like(asked).index_fill(0, torch.tensor(query, device=self.device), 1)
        # Weights below zero (in a network that mixes its heads) point away from a token and do not count.
        weights, own = attention.attend(asked).mean(0).clamp_min(0), attention.key_layout or self.layout
        return self._spread(weights, own, layout)

    def _spread(self, weights: torch.Tensor, own: TokenLayout, layout: TokenLayout) -> torch.Tensor:
        """Hand weights on the tokens of `own` to those of `layout`."""
        # By name, not by index: a late CLS or registers may be in one of the two layouts only.
        named = dict(zip(own.prefix, weights, strict=False))
        prefix = [named.get(name, weights.new_zeros(())) for name in layout.prefix]
        patches = by_area(weights[own.n_prefix :], own.grid, layout.grid)
        found = torch.cat([*(one[None] for one in prefix), patches])
        return self._weights(found if bool(found.any()) else torch.ones_like(found), layout)

    def _one(self, token: int, layout: TokenLayout) -> torch.Tensor:
        if not 0 <= token < layout.n_tokens:
            raise VizError("There is no token {token}: this model has {layout}.", token=token, layout=layout)
        weights = torch.zeros(layout.n_tokens, device=self.device, dtype=self.dtype)
        weights[token] = 1
        return weights

    def _weights(self, weights: torch.Tensor, layout: TokenLayout) -> torch.Tensor:
        weights = weights.detach().to(self.device, self.dtype)
        if weights.shape != (layout.n_tokens,) or not bool((weights >= 0).all()) or not float(weights.sum()) > 0:
            raise VizError(
                "A query must hold one weight >= 0 for each of {layout}, not all zero; got {shape}.",
                layout=layout,
                shape=tuple(weights.shape),
            )
        return weights / weights.sum()
