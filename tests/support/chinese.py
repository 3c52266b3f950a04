"""Chinese, and English words that are left in it."""

import re

CHINESE = "梯度注意力展开"
CODE = re.compile(
    r"`[^`]*`|<[^<>]*>|&\w+;"  # marked as such; tags
    r"|\S+;base64,\S+|def .*|-{1,2}[a-z][\w-]*( processes| ray)?|(uv )?pip install \S+( '\S+'| \"\S+\")?"  # what is typed
    r"|\"[^\"]*\"|'[^']*'|“a photo of a cat”"
    r"|\{+[^{}]*\}+|\([a-zA-Z_0-9 ,.*{}]+\)|[\w.]+\[[\w:]*\]"  # fields, tuples, indices
    r"|([\w.*/:?=@&-]*[_/:?=@&*]|\w*\.(?=\w))[\w.*/:?=@&()\[\],<>-]*"  # paths, calls, settings
)

# Names of networks, methods, people and formats, and what the field says in English among Chinese.
NAMES = """
vizapp Vision Transformer transformer timm torch torchvision transformers open_clip hub hf Hugging Face PyTorch TorchScript Python
Ray CLS DIST POOL MLP AUC IoU softmax Softmax logit nat R1 R2 Kullback Leibler exp
ViT DeiT DINO DINOv2 DINOv3 EVA BEiT CLIP SigLIP OpenCLIP Swin MaxViT Hiera PVT CRATE CaiT VOLO XCiT DaViT ImageNet Google Ti
LRP CP ALTI DAAM RISE Chefer LeGrad LibraGrad SmoothGrad Grad CAM AttnLRP jet
Abnar Zuidema Adebayo Darcet Dosovitskiy Jain Wallace Touvron Oquab et al Facebook Meta AI img
PNG SVG PDF NPZ CSV GIF MP4 WebM VP9 JPEG WebP TIFF BMP AVIF PPM HEIC EXIF JSON ONNX PIL MB GiB px dpi UTF API
Esc Escape Enter Ctrl NaN wheel safetensors pickle matplotlib hook offload trace script base64 sha256 mcp av anywidget pip
bool int float float16 float32 float64 bfloat16 uint8 uint16 Literal VisionModel Preprocess TokenLayout Truth PREFIXES NAME VALUE
attention rollout values scores about cls dist std labels query steps layer map all own same processes ray yes no true false
fixed frame matmul bmm baddbmm einsum linear dropout chunks slices tiles talking heads curl
names load asked alpha step output tensor net pixels width cols mask cat TAG ln help
"""


def english(sentence: str) -> list[str]:
    """Latin words that are no names. An English term may stand beside the Chinese one, in brackets."""
    known = set(NAMES.split())
    rest = CODE.sub(" ", re.sub(r"（[A-Za-z ,-]+(，Abnar & Zuidema 2020)?）", " ", sentence))
    return [word for word in re.findall(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9_]+", rest) if word not in known]
