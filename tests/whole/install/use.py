"""A script of a user, run by the tests in a project that has its own `model`, `assets` and `tests`."""

import json
import sys

import numpy as np

import assets
import model
import tests
import vizapp
import vizapp.assets
import vizapp.model

photo = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
seen = vizapp.analyse(vizapp.load("toy", "cpu"), photo)
painted = vizapp.paint(seen, vizapp.explain(seen, "rollout"))
found = {"whose": [model.WHOSE, assets.WHOSE, tests.WHOSE], "painted": painted.shape}
found |= {"files": [module.__file__ for module in (vizapp, vizapp.model, vizapp.assets)], "path": sys.path}
print(json.dumps(found))
