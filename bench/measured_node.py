#!/usr/bin/env python3
"""Holds a platform that spillway.measure makes here against a step of the small vision-language model of examples/.

usage: bench/measured_node.py SPILLWAY [--seconds 180] [--repeats 3] [--steps 3]      (with PyTorch; see `uptime` first)

One process of one thread trains on all microbatches of workloads/experiments/small-vlm.json: forward, backward and the
optimizer. A repeat trains STEPS times, measures the node for SECONDS / REPEATS, predicts the step by that platform, and
trains STEPS times again, so that a machine that changes its speed changes both. A row has the prediction, the median
step and its range by processor time, and the error; the last line has the median error and the same by the wall clock.
The two clocks agree where nothing else runs; the prediction is of processor time (spillway/measure/device.py).
Exit status 1: the median error, by processor time, is above 15 %."""

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


def predicted(spillway: str, seconds: float) -> float:
    """Of the step, by a platform that is measured now."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "spillway.measure", "--seconds", str(seconds), "--attention", "plain", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": sys.path[0]})
        platform = f"/platform={folder}/platform.json"
        report = printed(spillway, "run", "small-vlm", *ONE, "--set", platform, "--engine", "longest-path", "--json")
    return report["schedules"][0]["makespan_s"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    training = Training(options.spillway)
    training.step()  # warms up
    errors: list[tuple[float, float]] = []
    for _ in range(options.repeats):
        steps = [training.seconds() for _ in range(options.steps)]
        step_s = predicted(options.spillway, options.seconds / options.repeats)
        steps += [training.seconds() for _ in range(options.steps)]
        processor_s, wall_s = ([each[clock] for each in steps] for clock in (0, 1))
        errors.append((step_s / median(processor_s) - 1, step_s / median(wall_s) - 1))
        spread = f"{min(processor_s):.3f} to {max(processor_s):.3f}"
        row = f"predicted {step_s:.3f} s, measured {median(processor_s):.3f} s ({spread}): {100 * errors[-1][0]:+.1f} %"
        print(f"{row}; load {os.getloadavg()[0]:.1f}", flush=True)
    by_processor, by_wall = (median(each) for each in zip(*errors))
    print(f"median error {100 * by_processor:+.1f} % by processor time, {100 * by_wall:+.1f} % by the wall clock")
    return int(abs(by_processor) > AT_MOST)


if __name__ == "__main__":
    sys.exit(main())
