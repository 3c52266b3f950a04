"""Name the packages to install; everything else stands in pyproject.toml.

`vizapp/model` and `vizapp/assets` are links to the folders at the top of the repository. Git on Windows writes no links, and
some uploads drop them: there the folders themselves are named, so that the wheel is the same (docs/decisions/0011).
`pip install -e .` puts the folder `editable` on the path, which holds a link to `vizapp` and nothing else.
"""

import re
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup

ROOT = Path(__file__).parent
NOT_INSTALLED = ["*.__pycache__*", "*.assets.screenshots*"]

packages = find_namespace_packages(str(ROOT), include=["vizapp*"], exclude=NOT_INSTALLED)
package_dir = {}
for name in ("model", "assets"):
    if not (ROOT / "vizapp" / name).is_dir():
        inside = ["", *(f".{one}" for one in find_namespace_packages(str(ROOT / name)))]
        found = [f"vizapp.{name}{one}" for one in inside]
        packages += [one for one in found if "__pycache__" not in one and "screenshots" not in one]
        package_dir[f"vizapp.{name}"] = name
# A plain path, which type checkers read. Of a mapping, setuptools would make a finder, which they do not.
if "editable_wheel" in sys.argv and not package_dir and (ROOT / "editable" / "vizapp").is_dir():
    package_dir = {"": "editable"}


def page(readme: str) -> str:
    """README.md for the wheel: without the head that a Space reads, pictures, and links to files that only the repository has.

    What stands between `<!-- in a clone -->` and `<!-- end -->` is left out; the text of `<!-- in a package ... -->` comes in.
    """
    text = readme.split("\n---\n", 1)[1].lstrip() if readme.startswith("---\n") else readme
    text = re.sub(r"<!-- in a clone -->\n.*?<!-- end -->\n+", "", text, flags=re.DOTALL)
    text = re.sub(r"<!-- in a package\n(.*?)-->\n", r"\1", text, flags=re.DOTALL)
    text = text.replace("python launch.py", "vizapp serve")
    text = re.sub(r"^!\[[^]]*\]\((?!\w+:)[^)]*\)\n+", "", text, flags=re.MULTILINE)
    return re.sub(r"\[([^]]*)\]\((?!\w+:)[^)]*\)", r"\1", text)


setup(
    packages=packages,
    package_dir=package_dir,
    long_description=page((ROOT / "README.md").read_text("utf-8")),
    long_description_content_type="text/markdown",
)
