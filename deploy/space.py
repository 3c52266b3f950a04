"""Make the folder that a Hugging Face Space runs, and push it.

python deploy/space.py --folder OUT       write it there; nothing leaves this machine
python deploy/space.py --push OWNER/NAME  upload it (`hf auth login` first, or HF_TOKEN)

What git tracks goes in, as far as the page needs it; links do not, as uploads drop them (docs/decisions/0011). Beside it stands
.gitattributes: the hub takes pictures and weights through LFS only, and this repository itself needs none.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "README.zh.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs")  # README leads there
PARTS = (*PAGES, "launch.py", "LICENSE", "requirements.txt", "vizapp", "model", "assets")
LARGE = (
    "*.safetensors",
    "*.wasm",
    "*.jpg",
    "*.jpeg",
    "*.png",
    "*.gif",
    "*.webp",
    "*.pdf",
    "*.npz",
)  # what the hub wants in LFS


def attributes() -> str:
    """The text of .gitattributes."""
    return "".join(f"{pattern} filter=lfs diff=lfs merge=lfs -text\n" for pattern in LARGE)


def tracked() -> list[Path]:
    """What of this repository a Space needs, in the order of their names."""
    told = subprocess.run(
        ["git", "ls-files", "-z", *PARTS], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [Path(name) for name in sorted(filter(None, told.split("\0"))) if (ROOT / name).is_file()]


def write(folder: Path) -> list[Path]:
    """Fill `folder`, which must be empty or not there; what stands in it then."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty: name a new folder.")
    for path in tracked():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)
    (folder / ".gitattributes").write_text(attributes(), "utf-8")
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def push(folder: Path, space: str) -> str:
    """Upload `folder` as one commit of the Space, which then holds nothing else; the address of the commit."""
    from huggingface_hub import HfApi  # comes with gradio

    commit = HfApi().upload_folder(
        repo_id=space,
        repo_type="space",
        folder_path=folder,
        delete_patterns="*",
        commit_message=f"vizapp {_revision()}",
    )
    return str(commit.commit_url)


def _revision() -> str:
    told = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return told.stdout.strip() or "of an unknown revision"


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--folder", type=Path, help="write the Space's files here, and push nothing")
    where.add_argument("--push", metavar="OWNER/NAME", help="the Space")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary) / "space"
        for path in (files := write(folder)):
            way = "LFS" if any(fnmatch(path.name, pattern) for pattern in LARGE) else "git"
            print(f"{way}  {(folder / path).stat().st_size:>9,}  {path.as_posix()}")
        print(f"{len(files)} files, {sum((folder / path).stat().st_size for path in files) / 2**20:.1f} MiB")
        if asked.push:
            print(push(folder, asked.push))


if __name__ == "__main__":
    main(sys.argv[1:])
