"""Reads what a Vision Transformer consists of: its parts, and its tensors by the names of the file for browsers.

    found = Reading(model).written()

A network is a combination of parts, each of which one function below reads from the names, shapes and modules of the network:
rotary positions, a gated MLP, layer scale, relative position bias, attention pooling and so on. Libraries name them differently.
The file has one name for each, that of model/vit.py where it has the part. What is left unread is refused by its name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import torch
from torch import Tensor, nn

from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.vocabulary import Act
from vizapp.wording import Text

# Module of an activation -> its name in the file. GELU has two forms.
ACTS: dict[str, Act] = {
    "GELU": "gelu",
    "GELUTanh": "gelu_tanh",
    "PytorchGELUTanh": "gelu_tanh",
    "QuickGELU": "quick_gelu",
    "SiLU": "silu",
    "Swish": "silu",
    "ReLU": "relu",
}
ALIGNED = 8  # channels: the engine pads the rows of tokens to groups of so many


@dataclass(frozen=True)
class Written:
    """A network as a file has it: its parts, as the header names them, and its tensors."""

    parts: dict[str, Any]
    tensors: dict[str, Tensor]


class Reading:
    """Reads the network of a model once. `given`: what its blocks were given besides tokens, see `given_to_blocks`."""

    def __init__(self, model: VisionModel, given: Sequence[Mapping[str, Any]] = ()) -> None:
        self.model, self.net, self.given = model, model.net, given
        self.state: dict[str, Tensor] = {name: value.detach() for name, value in model.net.state_dict().items()}
        self.left = set(self.state)
        self.tensors: dict[str, Tensor] = {}
        # (heads, tokens, tokens) of each layer whose table a small network makes.
        self.biases: dict[str, Tensor] = {}

    def written(self) -> Written:
        try:
            parts = self._embedding()
            blocks = [self._block(number) for number in range(len(self.net.blocks))]  # type: ignore[arg-type]
            if any(one != blocks[0] for one in blocks):
                raise refused(self.model, Text("its layers have different parts"))
            parts |= {"kind": "vit", "depth": len(blocks)} | blocks[0]
            self._places_of_biases()
            parts |= self._rotary(parts) | self._readout(parts["dim"])
        except VizError:
            raise
        except (AttributeError, KeyError, ValueError, TypeError, IndexError) as error:
            raise refused(
                self.model, Text("it lacks parts that such a network has ({what})", what=str(error))
            ) from error
        for name in sorted(self.left):
            raise refused(self.model, Text("nothing here knows its parameter {name}", name=name))
        eps = {module.eps for module in self.net.modules() if isinstance(module, nn.LayerNorm)}
        if len(eps) != 1:
            raise refused(self.model, Text("its layer norms have different eps"))
        return Written(parts | {"eps": eps.pop()}, self.tensors)

    # ------------------------------------------------------------------------------------------- tensors

    def has(self, name: str) -> bool:
        return name in self.state

    def take(self, name: str, shape: tuple[int, ...], into: str = "") -> Tensor:
        """The tensor of this name, which must have this shape; written as `into` if that is another name."""
        value = self.state[name]
        if value.shape != shape:
            found = tuple(value.shape)
            raise refused(
                self.model,
                Text("{name} is {found} where {shape} was expected", name=name, found=found, shape=shape),
            )
        self.left.discard(name)
        self.tensors[into or name] = value
        return value

    def linear(self, name: str, shape: tuple[int, ...], into: str = "") -> None:
        into = into or name
        self.take(f"{name}.weight", shape, f"{into}.weight")
        if self.has(f"{name}.bias"):
            self.take(f"{name}.bias", shape[:1], f"{into}.bias")

    def norm(self, name: str, count: int, into: str = "") -> bool:
        """Tell whether there is a norm of this name; it must be a layer norm with weight and bias."""
        if not self.has(f"{name}.weight"):
            return False
        if not isinstance(self.net.get_submodule(name), nn.LayerNorm):
            kind = type(self.net.get_submodule(name)).__name__
            raise refused(self.model, Text("its norms are no layer norms ({kind})", kind=kind))
        self.linear(name, (count,), into)
        return True

    # ------------------------------------------------------------------------------------------- parts

    def _embedding(self) -> dict[str, Any]:
        """Patches, prefix tokens, and positions that are added."""
        dim, channels, patch, other = self.state["patch_embed.proj.weight"].shape
        if patch != other:
            raise refused(self.model, Text("its patches are not square"))
        cut = self.net.get_submodule("patch_embed.proj")
        if isinstance(cut, nn.Conv2d) and (
            cut.stride != cut.kernel_size or cut.padding not in ("valid", (0, 0)) or cut.dilation != (1, 1)
        ):
            raise refused(self.model, Text("its patches overlap, or begin beyond the picture"))
        self.linear("patch_embed.proj", (dim, channels, patch, patch))
        prefix = []
        for name, token in (("cls", "cls_token"), ("dist", "dist_token")):
            if self.has(token):
                self.take(token, (1, 1, dim))
                prefix.append(name)
        if self.has("reg_token"):
            registers = self.state["reg_token"].shape[1]
            self.take("reg_token", (1, registers, dim))
            prefix += [f"reg{at}" for at in range(registers)]
        height, width = self.model.preprocess.size
        patches = (height // patch) * (width // patch)
        positions = "none"
        if self.has("pos_embed"):
            count = self.state["pos_embed"].shape[1]
            if count not in (patches, patches + len(prefix)):
                raise refused(self.model, Text("it has {n} positions for {patches} patches", n=count, patches=patches))
            self.take("pos_embed", (1, count, dim))
            positions = "all" if count == patches + len(prefix) else "patches"
        return {
            "size": [height, width],
            "patch": patch,
            "channels": channels,
            "dim": dim,
            "prefix": prefix,
            "positions": positions,
            "preNorm": self.norm("norm_pre", dim),
        }

    def _block(self, number: int) -> dict[str, Any]:
        at = f"blocks.{number}"
        block: Any = self.net.blocks[number]  # type: ignore[index]
        dim = self.state[f"{at}.norm1.weight"].shape[0]
        self.norm(f"{at}.norm1", dim)
        self.norm(f"{at}.norm2", dim)
        attention = self._attention(f"{at}.attn", block.attn, dim)
        scales = [
            self._scale(at, own, theirs, dim) for own, theirs in (("ls1.gamma", "gamma_1"), ("ls2.gamma", "gamma_2"))
        ]
        if len(set(scales)) != 1:
            raise refused(self.model, Text("only one half of its blocks has a layer scale"))
        return attention | {"layerScale": scales[0]} | self._mlp(f"{at}.mlp", block.mlp, dim)

    def _scale(self, at: str, own: str, theirs: str, dim: int) -> bool:
        name = next((one for one in (own, theirs) if self.has(f"{at}.{one}")), None)
        if name:
            self.take(f"{at}.{name}", (dim,), f"{at}.{own}")
        return name is not None

    def _attention(self, at: str, attention: Any, dim: int) -> dict[str, Any]:
        heads = int(attention.num_heads)
        inner = self.state[f"{at}.proj.weight"].shape[1]
        width = inner // heads
        self.linear(f"{at}.proj", (dim, inner))
        self._qkv(at, dim, inner)
        qk_norm = self.norm(f"{at}.q_norm", width)
        if qk_norm != self.norm(f"{at}.k_norm", width):
            raise refused(self.model, Text("only its queries or only its keys are normed"))
        relative = self.has(f"{at}.relative_position_bias_table")
        if relative:
            places = self.state[f"{at}.relative_position_bias_table"].shape[0]
            self.take(f"{at}.relative_position_bias_table", (places, heads), f"{at}.relative")
            self.left.discard(f"{at}.relative_position_index")  # older versions of timm save it
            # The same in all layers. Whole numbers below 2^24 are exact in float32.
            self.tensors["relative.index"] = attention.relative_position_index.detach().float()
        elif (made := getattr(attention, "rel_pos", None)) is not None:
            relative = True
            self.biases[f"{at}.relative"] = made.get_bias().detach().reshape(heads, *made.get_bias().shape[-2:])
            self.left = {name for name in self.left if not name.startswith(f"{at}.rel_pos.")}
        return {"heads": heads, "headDim": width, "qkNorm": qk_norm, "relative": relative}

    def _places_of_biases(self) -> None:
        """Tables instead of whole matrices: pairs of tokens have one place if all heads of all layers add the same to them."""
        if not self.biases:
            return
        every = torch.cat(list(self.biases.values()))  # (heads of all layers, tokens, tokens)
        tables, index = every.flatten(1).unique(dim=1, return_inverse=True)
        self.tensors["relative.index"] = index.reshape(every.shape[1:]).float()
        heads = [len(one) for one in self.biases.values()]
        self.tensors |= {
            name: table.T.contiguous() for name, table in zip(self.biases, tables.split(heads), strict=True)
        }

    def _qkv(self, at: str, dim: int, inner: int) -> None:
        """One matrix and bias for q, k and v. BEiT and EVA have no bias for k; some have three matrices."""
        into = f"{at}.qkv"
        if self.has(f"{at}.q_proj.weight"):
            names = [f"{at}.{one}_proj" for one in "qkv"]
            weights = [self.take(f"{name}.weight", (inner, dim)) for name in names]
            for name in names:
                del self.tensors[f"{name}.weight"]
            self.tensors[f"{into}.weight"] = torch.cat(weights)
            biases = [f"{name}.bias" for name in names]
        else:
            self.take(f"{into}.weight", (3 * inner, dim))
            if self.has(f"{into}.bias"):
                self.take(f"{into}.bias", (3 * inner,))
                return
            biases = [f"{at}.{one}_bias" for one in "qkv"]
        if not any(map(self.has, biases)):
            return
        found = [
            self.take(name, (inner,)) if self.has(name) else self.state[f"{at}.proj.weight"].new_zeros(inner)
            for name in biases
        ]
        for name in biases:
            self.tensors.pop(name, None)
        self.tensors[f"{into}.bias"] = torch.cat(found)

    def _mlp(self, at: str, mlp: Any, dim: int) -> dict[str, Any]:
        """fc1, an activation, fc2. If gated, fc1 makes two lists: the activation of the first multiplies the second."""
        act = self._act(getattr(mlp, "act", None))
        if self.has(f"{at}.fc1_g.weight"):
            hidden, gated = self.state[f"{at}.fc1_g.weight"].shape[0], True
            halves = [(f"{at}.fc1_{one}.weight", f"{at}.fc1_{one}.bias") for one in "gx"]
            for index, shape in ((0, (hidden, dim)), (1, (hidden,))):
                names = [half[index] for half in halves]
                if index and not any(map(self.has, names)):
                    continue
                self.tensors[f"{at}.fc1.{('weight', 'bias')[index]}"] = torch.cat(
                    [self.take(name, shape) for name in names]
                )
                for name in names:
                    del self.tensors[name]
        else:
            hidden = self.state[f"{at}.fc2.weight"].shape[1]
            gated = self.state[f"{at}.fc1.weight"].shape[0] == 2 * hidden
            self.linear(f"{at}.fc1", (hidden * (1 + gated), dim))
            if gated and mlp.gate_last:
                for name in (f"{at}.fc1.weight", f"{at}.fc1.bias"):
                    if name in self.tensors:
                        self.tensors[name] = torch.cat(self.tensors[name].chunk(2)[::-1])
        self.linear(f"{at}.fc2", (dim, hidden))
        return {"hidden": hidden, "gated": gated, "act": act, "mlpNorm": self.norm(f"{at}.norm", hidden)}

    def _act(self, module: Any) -> Act:
        name = ACTS.get(type(module).__name__)
        if getattr(module, "approximate", "none") == "tanh":
            name = "gelu_tanh"
        if name is None:
            known = ", ".join(get_args(Act))
            kind = type(module).__name__
            raise refused(
                self.model, Text("the activation of its MLPs is {kind}, and here are {known}", kind=kind, known=known)
            )
        return name

    def _rotary(self, parts: dict[str, Any]) -> dict[str, Any]:
        """Rotary positions: the cosine and sine by which each channel of q and k is turned, as the blocks were given them."""
        tables = [one.get("rope") for one in self.given]
        if all(one is None for one in tables):
            return {"rotary": None}
        self.left = {name for name in self.left if not name.startswith("rope.")}
        first = tables[0]
        given = [one for one in tables if isinstance(one, Tensor)]
        if not isinstance(first, Tensor) or len(given) != len(tables) or any(not one.equal(first) for one in given):
            raise refused(self.model, Text("its rotary positions differ from layer to layer"))
        patches = (parts["size"][0] // parts["patch"]) * (parts["size"][1] // parts["patch"])
        table = first.detach().reshape(-1, first.shape[-1])
        if table.shape != (patches, 2 * parts["headDim"]):
            found, shape = tuple(first.shape), (patches, 2 * parts["headDim"])
            raise refused(self.model, Text("its rotary positions are {found}, not {shape}", found=found, shape=shape))
        attention: Any = self.net.blocks[0].attn  # type: ignore[index, union-attr]
        if attention.num_prefix_tokens != len(parts["prefix"]):
            raise refused(self.model, Text("its rotary positions begin at another token than its patches"))
        self.tensors["rope.sin"], self.tensors["rope.cos"] = (half.contiguous() for half in table.chunk(2, -1))
        return {"rotary": "halves" if getattr(attention, "rotate_half", False) else "pairs"}

    def _readout(self, dim: int) -> dict[str, Any]:
        """Describe the readout: norms before and after, which tokens, the classifier."""
        before, after = self.norm("norm", dim), self.norm("fc_norm", dim)
        pooling = self._pooling(dim) if self.has("attn_pool.latent") else None
        pool = "attention" if pooling else getattr(self.net, "global_pool", None) or ("avg" if after else "token")
        if pool not in ("attention", "avg", "token"):
            raise refused(self.model, Text("its classifier reads its tokens in another way ({pool})", pool=repr(pool)))
        classes = self.state["head.weight"].shape[0] if self.has("head.weight") else 0
        for name in ("head", "head_dist"):
            if self.has(f"{name}.weight"):
                self.linear(name, (classes, dim))
        return {
            "classes": classes,
            "pool": pool,
            "pooling": pooling,
            "norm": before,
            "fcNorm": after,
            "distilled": self.has("dist_token"),
        }

    def _pooling(self, dim: int) -> dict[str, Any]:
        """A learned query that looks at all tokens, or only at the patches, and an MLP of what it takes (SigLIP)."""
        pool: Any = self.net.attn_pool
        if pool.latent_len != 1 or pool.pos_embed is not None or self.has("attn_pool.q_norm.weight"):
            raise refused(self.model, Text("its classifier reads through attention pooling of another kind"))
        heads, inner = int(pool.num_heads), self.state["attn_pool.kv.weight"].shape[0] // 2
        # The query is the same for every picture.
        self.tensors["attn_pool.query"] = pool.q(pool.latent.detach()).detach().reshape(inner)
        self.left -= {"attn_pool.latent", "attn_pool.q.weight", "attn_pool.q.bias"}
        self.linear("attn_pool.kv", (2 * inner, dim))
        self.linear("attn_pool.proj", (dim, inner))
        if not self.norm("attn_pool.norm", dim):
            raise refused(self.model, Text("its classifier reads through attention pooling of another kind"))
        mlp = self._mlp("attn_pool.mlp", pool.mlp, dim)
        if mlp["gated"] or mlp["mlpNorm"]:
            raise refused(self.model, Text("its classifier reads through attention pooling of another kind"))
        shape = {"heads": heads, "headDim": inner // heads, "hidden": mlp["hidden"], "act": mlp["act"]}
        return shape | {"prefix": bool(getattr(self.net, "pool_include_prefix", True))}


def refused(model: VisionModel, why: Text) -> VizError:
    return VizError(
        "{name} cannot be run in the browser: {why}.",
        "Save maps of your pictures instead, or choose a ViT, DeiT, DINO, DINOv2, DINOv3, EVA-02, BEiT or SigLIP.",
        name=model.name,
        why=why,
    )
