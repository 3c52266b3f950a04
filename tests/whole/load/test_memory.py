"""Too large a picture, in a container that is small."""

from support.cgroups import GIB, run_in

LARGE_IN_LITTLE = """
import numpy as np
with torch.device("meta"):
    net = timm.create_model("vit_base_patch16_224", img_size=1792)
net = net.to_empty(device="cpu").eval()
try:
    vizapp.analyse(net, np.zeros((1792, 1792, 3), np.uint8))
    print("looked at")
except vizapp.VizError as error:
    print("refused", error)
"""


def test_1792_pixels_are_refused_in_words_where_2_5_gb_are_all() -> None:
    """ViT-B: 12545 tokens. The process must live."""
    done = run_in(int(2.5 * GIB), LARGE_IN_LITTLE, "import timm, torch, vizapp; vizapp.analyse")
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    assert done.stdout.startswith("refused VisionTransformer needs about"), done.stdout
    assert "pixels would fit" in done.stdout
