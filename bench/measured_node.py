#!/usr/bin/env python3
"""Holds a platform that spillway.measure makes here against a step of the small vision-language model of examples/.

usage: bench/measured_node.py SPILLWAY [--seconds 180] [--platform FILE] [--steps 5]      (with PyTorch; see `uptime` first)

One process of one thread trains on all microbatches of workloads/experiments/small-vlm.json: forward, backward and the
optimizer, STEPS times before the node is measured and STEPS times after. The platform predicts the same step. Printed:
the prediction, the median step and its range, by processor time and by the wall clock, and the errors. The two clocks
agree where nothing else runs; the prediction is of processor time (src/python/spillway/measure/device.py).
Exit status 1: the error, by processor time, is above 15 %."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(os.environ.get("SPILLWAY_PYTHON", ROOT / "build/python"))))
ONE = ["--set", "/pipeline/ranks=1", "--set", '/schedules=[{"name": "one", "schedule": "1f1b"}]', "--set", "/baseline=one"]
AT_MOST = 0.15


def printed(*command: str) -> dict:
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


class Training:
    """All layers in this process."""

    def __init__(self, spillway: str) -> None:
        import torch
        from spillway.runtime.model import Model

        torch.set_num_threads(1)
        program = printed(spillway, "derive", "small-vlm", *ONE, "--format", "program")
        self.model = Model(str(ROOT / "examples/small_vlm.py"), program, torch.device("cpu"))
        self.layers = [self.model.layer(index) for index in range(program["blocks"][-1]["end_layer"])]
        self.batches = [self.model.batch(0, 0, microbatch) for microbatch in range(program["microbatches"])]
        self.optimizer = self.model.optimizer([each for layer in self.layers for each in layer.parameters()])

    def step(self) -> None:
        self.optimizer.zero_grad()
        for batch in self.batches:
            x = None
            for index, layer in enumerate(self.layers):
                x = self.model.run(index, layer, x, batch, "")
            self.model.loss(x, batch, "").backward()
        self.optimizer.step()

    def seconds(self) -> tuple[float, float]:
        """By processor time, and by the wall clock."""
        clocks = (time.process_time, time.perf_counter)
        start = [clock() for clock in clocks]
        self.step()
        return tuple(clock() - begin for clock, begin in zip(clocks, start))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    parser.add_argument("--seconds", default="180")
    parser.add_argument("--platform", help="measured before; nothing is measured")
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()
    training = Training(options.spillway)
    training.step()  # warms up
    steps = [training.seconds() for _ in range(options.steps)]
    with tempfile.TemporaryDirectory() as folder:
        platform = os.path.abspath(options.platform or f"{folder}/platform.json")
        if not options.platform:
            command = [sys.executable, "-m", "spillway.measure", "--seconds", options.seconds, "--attention", "plain"]
            paths = {**os.environ, "PYTHONPATH": sys.path[0]}
            subprocess.run([*command, "--out", folder], check=True, env=paths)
        run = ("run", "small-vlm", *ONE, "--set", f"/platform={platform}", "--engine", "longest-path", "--json")
        predicted = printed(options.spillway, *run)["schedules"][0]["makespan_s"]
    steps += [training.seconds() for _ in range(options.steps)]
    print(f"predicted {predicted:.3f} s; load {os.getloadavg()[0]:.1f}")
    errors = []
    for clock, seconds in zip(("processor time", "wall clock"), zip(*steps)):
        errors.append(predicted / median(seconds) - 1)
        spread = f"{min(seconds):.3f} to {max(seconds):.3f}"
        print(f"{clock:14}: median {median(seconds):.3f} s of {len(seconds)} ({spread}), error {100 * errors[-1]:+.1f} %")
    return int(abs(errors[0]) > AT_MOST)


if __name__ == "__main__":
    sys.exit(main())
