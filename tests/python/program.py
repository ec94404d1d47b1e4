"""The program beside the module, and what tests share."""

import importlib.util
import json
import os
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SPILLWAY_SOURCE"])
PROGRAM = os.environ["SPILLWAY_PROGRAM"]
EXPERIMENTS = SOURCE / "workloads/experiments"
SMALL = EXPERIMENTS / "small.json"
NIGHTLY = "SPILLWAY_NIGHTLY" in os.environ  # `make nightly` runs long tests whole, other runs a quick form


def printed(*arguments, status=0):
    """What the program prints on standard output; on failure, what on standard error."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=SOURCE)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def document(*arguments):
    return json.loads(printed(*arguments))


def without_host_times(report):
    """How long the simulation itself took is no figure of the experiment."""
    for schedule in report["schedules"]:
        schedule["simulation"] = {"events": schedule["simulation"]["events"]}
    return report


def text(value):
    return json.dumps(value)


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")
