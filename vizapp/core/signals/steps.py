"""The steps to one attention value, and from it: from two tokens to q, k, score, share, value, and the layer's output.

Maps show *where* a token looks. The steps show how one number of a map was computed, with the network's own numbers: each vector
is the one of the pass, before and after every step. No network declares which of its linear maps makes q, or where its tokens
stand in it. Autograd tells: q of one token was made of the numbers that it depends on. A step that is not found, or not proved by
arithmetic, is left out, with the reason in words.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.masks import open_by_bias
from vizapp.core.network import sum_to_differentiate
from vizapp.core.signals.around import Around, around
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

# Of the largest value: two ways to one vector. In half precision a few roundings, as a network rounds scores, shares and sums.
SAME = {torch.float16: 8 * 2**-10, torch.bfloat16: 8 * 2**-7}
SAME_WIDE = 1e-4
NOTHING = 1e-12  # the share that a mask leaves at most


@dataclass(frozen=True, eq=False)
class Token:
    """One token on its way into a layer; if a vector is None, `Steps.left_out` says why.

    token   its index in the layout of its side (queries or keys) of the layer
    stream  (D,) of the residual stream, as it enters the block
    read    (D,) the input of the linear map that makes q, or k: the stream, after the norm if there is one before the map
    made    (head, d) q, or k, the output of that linear map
    turned  whether it is changed after that, by a norm of q and k or by rotary positions
    used    (head, d) the form from which the scores are made
    """

    token: int
    stream: Tensor | None
    read: Tensor | None
    made: Tensor | None
    turned: bool
    used: Tensor | None


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps to the attention of one query to one key in a layer, and to the layer's output. All float32 or better.

    query, key  the two tokens
    keys        (n,) tokens that the query looks at, in the order of the columns below: all, or those of its window; -1: padding
    at          the column of `key`
    scale       (head,): score = scale * q . k + bias
    bias        (head, n), a mask or a relative position: -inf if a mask hides the key; None if nothing is added
    hidden      (head, n) bool, the keys that a mask hides: the mask leaves them no share; None if nothing is added
    scores      (head, n), or None; `attention` (head, n) is their softmax, or the network's own weights of values
    values      (head, e) v of the key
    mixed       (head, e) sum_j attention_j v_j: the output of each head for the query
    written     (head, D) the same through the output projection and the layer scale: each head's part of the stream
    constant    (D,) the bias of that projection
    between     (D,) stream + sum_h written_h + constant: the stream after attention
    rest        (D,) the block's later addition, its MLP; `after` (D,) = between + rest is the output of the block
    left_out    {"q": why, "written": why, "rest": why} of the steps that were not found
    """

    layer: int
    query: Token
    key: Token
    keys: Tensor
    at: int
    attention: Tensor
    values: Tensor
    mixed: Tensor
    scale: Tensor | None = None
    bias: Tensor | None = None
    hidden: Tensor | None = None
    scores: Tensor | None = None
    written: Tensor | None = None
    constant: Tensor | None = None
    between: Tensor | None = None
    rest: Tensor | None = None
    after: Tensor | None = None
    left_out: dict[str, str] = field(default_factory=dict)


def steps_to(model: VisionModel, pixels: Tensor, trace: AttentionTrace, layer: int, query: int, key: int) -> Steps:
    """Follow the attention of the token `query` to the token `key` in `layer` of `trace`. One pass on `pixels` (1, 3, h, w).

    Tokens are counted as in `trace.layouts(layer)`. Raises `VizError` for a layer or a token that does not exist, for a
    key outside of the query's window, and for a layer whose heads are computed in separate calls.
    """
    index = range(len(trace.layers))[layer]
    one = trace.layer(index)
    one.query(query)
    if not 0 <= key < one.n_keys:
        raise VizError("There is no key {index}: {name} has {count}.", index=key, name=one.name, count=one.n_keys)
    if one.name in trace.joined:
        raise VizError(
            "{name} computes its windows one after the other: its steps are not shown."
            if one.is_windowed
            else "{name} computes its heads one after the other: its steps are not shown.",
            name=one.name,
        )
    seen = around(model, pixels, trace, index)
    return _Found(seen, index, query, key).steps()


class _Found:
    """Reads one pair of tokens out of a pass."""

    def __init__(self, seen: Around, layer: int, query: int, key: int) -> None:
        self.seen, self.layer, self.query, self.key = seen, layer, query, key
        call, axes = seen.call, seen.axes
        self.window, self.slot, self.column = _places(axes, query, key, call.title)
        self.left_out: dict[str, str] = {}
        self.wide = torch.promote_types(call.v.dtype, torch.float32)
        # Of the type in which the call ran: under autocast that is not the type of the weights.
        self.limit = SAME.get(call.output.dtype, SAME_WIDE)

    def folded(self, tensor: Tensor) -> Tensor:
        """(..., a, b) of the call -> (window, head, a, b)."""
        lead = self.seen.call.output.shape[:-2]
        return self.seen.axes.fold(tensor if tensor.shape[:-2] == lead else tensor.expand(*lead, *tensor.shape[-2:]))

    def steps(self) -> Steps:
        call, axes, wide = self.seen.call, self.seen.axes, self.wide
        values = self.folded(call.v)[self.window].detach().to(wide)  # (head, key, e)
        own = self.folded(call.output)[self.window, :, self.slot].detach().to(wide)  # (head, e)
        query, key = (
            Token(one, self.entered(one), None, None, turned=False, used=None) for one in (self.query, self.key)
        )
        scores = scale = bias = hidden = None
        factors = self.factors()
        if factors is None:
            self.left_out["q"] = Text("its weights are no plain softmax of q and k")
            assert call.matrix is not None
            attention = self.folded(call.matrix)[self.window, :, self.slot].detach().to(wide)
        else:
            q, k, scale, scores = factors
            products = torch.einsum("hd,hkd->hk", q.detach().to(wide), k.detach().to(wide)) * scale[:, None]
            attention = _softmax(scores)
            bias = scores - products
            # Beside the products, and not beside the scores: of these, one that a mask hides may be as low as -inf.
            if float(bias.abs().max()) <= self.limit * float(products.abs().max()):
                bias = None
            else:
                # Not by the bias alone: where a product is as high as the bias is low, the key has a share all the same.
                hidden = ~open_by_bias(bias) & (attention < NOTHING)
            query, by_query = self.token(self.query, q)
            key, by_key = self.token(self.key, k[:, self.column])
            scale = scale * by_query * by_key
        mixed = torch.einsum("hk,hke->he", attention, values)
        # The proof of all that stands above: a wrong scale, order or bias would give another sum.
        if not self.same(mixed, own):
            raise VizError(
                "The output of {name} is not its attention times its values: its steps are not shown.", name=call.title
            )
        return Steps(
            layer=self.layer,
            query=query,
            key=key,
            keys=axes.keys[self.window],
            at=self.column,
            attention=attention,
            values=values[:, self.column],
            mixed=mixed,
            scale=scale,
            bias=bias,
            hidden=hidden,
            scores=scores,
            left_out=self.left_out,
            **self.stream(mixed, self.entered(self.query)),
        )

    def factors(self) -> tuple[Tensor, Tensor, Tensor, Tensor] | None:
        """q (head, d) of the query and k (head, key, d) of its window, with their graph; scale (head,); scores (head, key)."""
        call, spelt = self.seen.call, self.seen.spelt
        lead = call.output.shape[:-2]
        if call.q is not None and call.k is not None:
            q, k = self.folded(call.q)[self.window, :, self.slot], self.folded(call.k)[self.window]
            scores = torch.einsum("hd,hkd->hk", q.detach().to(self.wide), k.detach().to(self.wide)) * call.scale
            if call.bias is not None:
                shape = (*lead, call.q.shape[-2], call.k.shape[-2])
                scores = scores + self.folded(call.bias.expand(shape))[self.window, :, self.slot].detach().to(self.wide)
            return q, k, scores.new_full((len(q),), float(call.scale)), scores
        if spelt is None or spelt.given is None or call.matrix is None or spelt.q.shape[:-2] != lead:
            return None
        # The network may have put its axes together before the softmax; the last two must still be queries and keys.
        if spelt.given.numel() != call.matrix.numel() or spelt.given.shape[-2:] != call.matrix.shape[-2:]:
            return None
        scores = self.folded(spelt.given.reshape(call.matrix.shape))[self.window, :, self.slot].to(self.wide)
        weights = self.folded(call.matrix)[self.window, :, self.slot].detach().to(self.wide)
        if not self.same(_softmax(scores), weights):
            return None  # heads are mixed, or a softmax of something else
        scale = torch.as_tensor(spelt.factor).detach().to(call.matrix).expand(call.matrix.shape)
        # One factor for all keys of a head is a scale; one for each key would be something else.
        each = self.folded(scale)[self.window, :, self.slot].to(self.wide)
        if not bool((each == each[:, :1]).all()):
            return None
        return self.folded(spelt.q)[self.window, :, self.slot], self.folded(spelt.k)[self.window], each[:, 0], scores

    # ------------------------------------------------------------------------------------- before attention

    def entered(self, token: int) -> Tensor | None:
        return self.row(self.seen.entered, token)

    def row(self, tokens: Tensor | None, token: int) -> Tensor | None:
        """(D,) of one token in a stream (1, token, D) or (1, rows, columns, D) with its tokens in the order of the layout."""
        if tokens is None:
            return None
        rows = tokens.detach().reshape(-1, tokens.shape[-1])
        axes = self.seen.axes
        at = token
        # In windows the stream lies in its own order, which is that of the layout.
        if axes.asks_once:
            found = (axes.stream_tokens[0] == token).nonzero()
            if not len(found):
                return None
            at = int(found[0])
        return rows[at].to(self.wide) if at < len(rows) else None

    def token(self, token: int, used: Tensor) -> tuple[Token, float]:
        """`used` (head, d) with a graph that leads to what it was made of; and a factor that belongs to the scale.

        Many networks multiply q by the scale before the product: then q is shown as it was made, and the factor apart.
        """
        made, read = self.origin(used)
        plain = used.detach().to(self.wide)
        factor = 1.0
        if made is not None and bool(made.any()):
            factor = float((plain * made).sum() / (made * made).sum())  # by least squares: exact where it is one number
            if self.same(made * factor, plain):
                plain = made
            else:
                factor = 1.0
        turned = made is not None and made is not plain
        return Token(token, self.entered(token), read, made, turned=turned, used=plain), factor

    def origin(self, used: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """(head, d) output and (D,) input of the linear map that made `used`; None if there is no such map."""
        # Each linear map's output was cut off as a leaf (`around`), so that a slope ends at the map that made q.
        leaves = [leaf for _, leaf in self.seen.linears]
        if not leaves or not used.requires_grad:
            return None, None
        made: list[Tensor] = []
        rows: set[tuple[int, int]] = set()
        for head in used:
            slopes = torch.autograd.grad(sum_to_differentiate(head), leaves, allow_unused=True, retain_graph=True)
            # The output of one linear map, one row of it, and as many columns as the head has features: else it is no q.
            touched = [
                (n, slope.reshape(-1, slope.shape[-1]).nonzero()) for n, slope in enumerate(slopes) if slope is not None
            ]
            touched = [(n, places) for n, places in touched if len(places)]
            if len(touched) != 1:
                return None, None
            ((n, places),) = touched
            row, columns = places[:, 0].unique(), places[:, 1]
            if len(row) != 1 or len(columns) != len(head):
                return None, None
            rows.add((n, int(row)))
            made.append(leaves[n].detach().reshape(-1, leaves[n].shape[-1])[int(row), columns])
        # All heads of a token come from one row of one map, or they are no q as it was made.
        if len(rows) != 1:
            return None, None
        ((n, row_of),) = rows
        given = self.seen.linears[n][0]
        return torch.stack(made).to(self.wide), given.reshape(-1, given.shape[-1])[row_of].to(self.wide)

    # -------------------------------------------------------------------------------------- after attention

    def stream(self, mixed: Tensor, before: Tensor | None) -> dict[str, Tensor]:
        """Return the output of the heads, and the stream after it, only if a sum of the network equals it."""
        weight, bias = self.seen.path.weight, self.seen.path.bias
        if weight is None or weight.shape[-1] != mixed.numel() or before is None:
            self.left_out["written"] = Text("no output projection was recognised after its attention")
            return {}
        # Layer scale is per feature and comes after the bias, so it multiplies both.
        factor = self.seen.path.scale
        factor = factor.detach().to(self.wide) if isinstance(factor, Tensor) else factor
        weight = weight.to(self.wide).T.unflatten(0, (len(mixed), -1)) * factor  # (head, e, D)
        written = torch.einsum("he,hed->hd", mixed, weight)
        constant = weight.new_zeros(weight.shape[-1]) if bias is None else bias.to(self.wide) * factor
        if written.shape[-1] != len(before):
            self.left_out["written"] = Text("the output of its heads is not as wide as the stream")
            return {}
        expected = before + written.sum(0) + constant
        # Any sum of the pass may be the one with the stream; the one that equals it, number for number, is.
        size = 0 if self.seen.entered is None else self.seen.entered.numel()
        sums = (self.row(one, self.query) for one in self.seen.sums if one.numel() == size)
        between = next((one for one in sums if one is not None and self.same(one, expected)), None)
        if between is None:
            self.left_out["written"] = Text(
                "between the output of its heads and the stream there is more than a linear map and a factor (a norm, a "
                "gate)"
            )
            return {}
        found = {"written": written, "constant": constant, "between": between}
        if self.seen.is_changed:
            self.left_out["rest"] = Text(
                "after this sum a norm changes the whole token, so the output of the MLP is not the difference of two "
                "of these lists"
            )
            return found
        left = self.seen.left
        after = self.row(left, self.query) if left is not None and left.numel() == size else None
        if after is None:
            self.left_out["rest"] = Text("the output of its block was not found")
            return found
        # No module says that it is the MLP: what the block adds after attention is the difference of two tokens of the stream.
        return found | {"rest": after - between, "after": after}

    def same(self, one: Tensor, other: Tensor) -> bool:
        """Tell whether two vectors are the same, within the precision of the attention."""
        limit = self.limit * max(float(one.abs().max()), float(other.abs().max()))
        return one.shape == other.shape and float((one - other).abs().max()) <= limit


def _places(axes: AxisLayout, query: int, key: int, name: str) -> tuple[int, int, int]:
    """Window, slot of the query in it, and column of the key in it. Raises `VizError` if the key is in none of its windows."""
    # Where windows overlap, a token asks in several of them: the first that has the key will do.
    for window, slot in (axes.queries == query).nonzero().tolist():
        columns = (axes.keys[window] == key).nonzero()
        if len(columns):
            return window, slot, int(columns[0])
    raise VizError(
        "In {name}, this query does not look there: the patch is outside of its window.",
        "Choose a patch that the map shows.",
        name=name,
    )


def _softmax(scores: Tensor) -> Tensor:
    """(head, key) shares; zero if a mask hides every key, as in fused kernels."""
    return scores.softmax(-1).where(scores.amax(-1, keepdim=True) > -torch.inf, 0)
