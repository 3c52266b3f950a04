"""The Chinese table: no English left outside of names and code, and typeset as Chinese is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from vizapp.ui.glossary import concepts
from vizapp.ui.textbook import TERM
from vizapp.ui.words import table_of

CODE = re.compile(
    r"`[^`]*`|<[^<>]*>|&\w+;"  # marked as such; tags
    r"|\S+;base64,\S+|def .*|-{1,2}[a-z][\w-]*( processes| ray)?|(uv )?pip install \S+( '\S+'| \"\S+\")?"  # what is typed
    r"|\"[^\"]*\"|'[^']*'|“a photo of a cat”"
    r"|\{+[^{}]*\}+|\([a-zA-Z_0-9 ,.*{}]+\)|[\w.]+\[[\w:]*\]"  # fields, tuples, indices
    r"|([\w.*/:?=@&-]*[_/:?=@&*]|\w*\.(?=\w))[\w.*/:?=@&()\[\],<>-]*"  # paths, calls, settings
)
# Names of networks, methods, people and formats, and what the field says in English among Chinese.
NAMES = """
vizapp Vision Transformer transformer timm torch torchvision transformers open_clip hub hf Hugging Face PyTorch Python Ray
CLS DIST POOL MLP AUC IoU softmax Softmax logit nat R1 R2 Kullback Leibler exp
ViT DeiT DINO DINOv2 DINOv3 EVA BEiT CLIP SigLIP OpenCLIP Swin MaxViT Hiera PVT CRATE CaiT VOLO XCiT DaViT ImageNet Google Ti
LRP CP ALTI DAAM RISE Chefer LeGrad LibraGrad SmoothGrad Grad CAM AttnLRP jet
Abnar Zuidema Adebayo Darcet Dosovitskiy Jain Wallace Touvron Oquab et al Facebook Meta AI img
PNG SVG PDF NPZ CSV GIF MP4 WebM VP9 JPEG WebP TIFF BMP AVIF PPM HEIC EXIF JSON ONNX PIL MB GiB px dpi UTF API
Esc Escape Enter Ctrl NaN wheel safetensors pickle matplotlib hook offload trace script base64 sha256 mcp av anywidget pip
bool int float float16 float32 float64 bfloat16 uint8 Literal VisionModel Preprocess TokenLayout Truth PREFIXES NAME VALUE
attention rollout values scores about cls dist std labels query steps layer map all own same processes ray yes no true false
fixed frame matmul bmm einsum linear dropout chunks slices tiles talking heads curl
names load asked alpha step output tensor net pixels width cols mask cat TAG ln help
"""


def said() -> Iterator[tuple[str, str]]:
    """Each sentence of the table, and of the concepts, with where it stands. What it owes is English for now, and not here."""
    words = table_of("zh")
    for name, section in words.sections.items():
        yield from ((f"{name}: {key}", sentence) for key, sentence in section.items())
    yield from ((key, TERM.sub(r"\1", sentence)) for key, sentence in words.texts.items())
    yield from (
        (f"zh.md, line {n}", line)
        for n, line in enumerate(concepts("zh").splitlines(), 1)
        if not line.startswith("    ")
    )


def english(sentence: str) -> list[str]:
    """Latin words that are no names. An English term may stand beside the Chinese one, in brackets."""
    known = set(NAMES.split())
    rest = CODE.sub(" ", re.sub(r"（[A-Za-z ,-]+(，Abnar & Zuidema 2020)?）", " ", sentence))
    return [word for word in re.findall(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9_]+", rest) if word not in known]


CODE_KEPT = re.compile(r"`[^`]*`")
HAN = r"[\u4e00-\u9fff]"
SLIPS = {
    "half-width punctuation": rf"{HAN}[,;:!?]|{HAN}\.(?![\w{{.])|{HAN}\(|\){HAN}",
    "no space between Chinese and Latin letters": rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}",
    "a space beside full-width punctuation": r" [，。；：、！？）]|[，。；：、！？（] ",
    "italics": r"<(i|em)\b|(?<!\*)\*(?![* ])[^*\n]*[\u4e00-\u9fff][^*\n]*\*(?!\*)",
}


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("请 press 停止", ["press"]),
        ("Try it again in a minute.", ["Try", "it", "again", "in", "minute"]),
        ("用 `vizapp get {name}` 获取 CLS 的 softmax", []),
        ("<b>注意力汇</b>（attention sink）：", []),
    ],
)
def test_english_is_found(sentence: str, left: list[str]) -> None:
    """The guard itself."""
    assert english(sentence) == left


def test_no_english_is_left() -> None:
    found = [f"{where}: {left} in {sentence!r}" for where, sentence in said() if (left := english(sentence))]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("slip", SLIPS)
def test_it_is_typeset_as_chinese(slip: str) -> None:
    found = [
        f"{where}: {sentence!r}" for where, sentence in said() if re.search(SLIPS[slip], CODE_KEPT.sub("c", sentence))
    ]
    assert not found, "\n" + "\n".join(found)
