"""From typing `python launch.py` to the first HTTP answer, and what `import vizapp` costs and leaves alone."""

import json
import resource
import subprocess
import sys
import time

import vizapp.model as models
from bench.measure import Result, over
from bench.server import ROOT, started

IMPORT = """
import json, sys, time
started = time.perf_counter()
import torch
torch_there = time.perf_counter()
import vizapp
vizapp.analyse  # the first use of a name loads what `import vizapp` alone does not
done = time.perf_counter()
print(json.dumps([done - started, done - torch_there, [name for name in ("gradio", "timm") if name in sys.modules]]))
"""


def measure(repeats: int) -> list[Result]:
    """`repeats` starts with the default model, and as many imports, each in a new process."""
    starts, worked, plain, plain_worked = [], [], [], []
    for _ in range(repeats):
        before, began = cpu_seconds_of_children(), time.perf_counter()
        subprocess.run([sys.executable, "-c", "import torch, gradio"], cwd=ROOT, check=True)
        plain.append(time.perf_counter() - began)
        plain_worked.append(cpu_seconds_of_children() - before)
        before = cpu_seconds_of_children()
        with started(models.DEFAULT) as (_, seconds):
            starts.append(seconds)
        worked.append(cpu_seconds_of_children() - before)
    imports = [fresh_import() for _ in range(repeats)]
    return [
        Result("`python launch.py` to the first HTTP answer", "x `import torch, gradio`", over(starts, plain), 1.2),
        Result(
            "its processor time until it is stopped", "x that of `import torch, gradio`", over(worked, plain_worked)
        ),
        Result("`python launch.py` to the first HTTP answer", "s", tuple(starts), 12),
        Result("its processor time until it is stopped", "s", tuple(worked)),
        Result("`import vizapp` and the first use of a name, torch included", "s", tuple(one[0] for one in imports)),
        Result("the same, torch already there", "s", tuple(one[1] for one in imports)),
        Result("gradio and timm imported by it", "of 2", tuple(float(len(one[2])) for one in imports), 0),
    ]


def cpu_seconds_of_children() -> float:
    """Of all that were waited for: what a busy machine does not stretch as it stretches the clock."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fresh_import() -> tuple[float, float, list[str]]:
    """Seconds of `import vizapp` with torch and after it, and which packages it brought that it should not."""
    command = [sys.executable, "-c", IMPORT]
    all_of_it, own, unwanted = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    return all_of_it, own, unwanted
