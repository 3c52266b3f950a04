"""Estimate what an environment would weigh with CPU wheels of torch: python deploy/size.py [SITE-PACKAGES]

Wheels for GPUs bring CUDA's libraries, as packages of their own and inside torch. A machine that can only fetch those can
still tell what an image with CPU wheels would hold: everything else. An estimate, of files as they lie on disk.
"""

import sys
import sysconfig
from fnmatch import fnmatch
from importlib.metadata import Distribution, distributions
from pathlib import Path

OF_CUDA = ("nvidia*", "cuda*", "triton*")  # packages
IN_TORCH = (
    "*_cuda*.so*",
    "*cuda.so*",
    "*nvshmem*.so*",
    "libcaffe2_nvrtc.so",
    "libcu*.so*",
    "libnv*.so*",
    "libcudnn*.so*",
)
BASE = 130_000_000  # python:3.12-slim
MKL = 110_000_000  # what torch 2.13's wheel for CPUs has and the other keeps in packages of CUDA: 754 MiB, not 648 MB
MOST = 2_000_000_000


def weight(package: Distribution) -> tuple[int, int]:
    """Bytes on disk of a package: all of them, and those that serve CUDA."""
    of_cuda = any(fnmatch(package.metadata["Name"].lower(), pattern) for pattern in OF_CUDA)
    every = cuda = 0
    for file in package.files or ():
        path = Path(str(package.locate_file(file)))
        if not path.is_file():
            continue
        size = path.stat().st_size
        every += size
        cuda += size if of_cuda or any(fnmatch(path.name, pattern) for pattern in IN_TORCH) else 0
    return every, cuda


def main(folder: str) -> None:
    """Print the heaviest packages and the sum."""
    found = {one.metadata["Name"]: weight(one) for one in distributions(path=[folder])}
    kept = {name: every - cuda for name, (every, cuda) in found.items()}
    for name in sorted(kept, key=kept.__getitem__, reverse=True)[:12]:
        print(f"{kept[name] / 1e6:8.0f} MB  {name}")
    print(f"{sum(kept.values()) / 1e6:8.0f} MB  {len(kept)} packages without CUDA")
    print(f"{sum(every for every, _ in found.values()) / 1e6:8.0f} MB  as installed")
    estimate = sum(kept.values()) + BASE + (MKL if found["torch"][1] else 0)
    print(f"{estimate / 1e6:8.0f} MB  estimate of an image")
    if estimate > MOST:
        raise SystemExit(f"more than {MOST / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("purelib"))
