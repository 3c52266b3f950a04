"""The tools that build bundles of JavaScript."""

import pytest

from support.node import NODE
from support.paths import ROOT

BUILDS = NODE and (ROOT / "node_modules" / "esbuild").is_dir()

needs_tools = pytest.mark.skipif(
    not BUILDS, reason="`npm ci` has not been run here: only those who change the viewer need it"
)
