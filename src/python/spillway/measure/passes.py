"""python3 -m spillway.measure.passes: single passes, measured alone, as an experiment with given durations.

    spillway derive small-vlm.json --format program > any.json
    python3 -m spillway.measure.passes any.json --model small_vlm.py --experiment small-vlm.json --out measured.json
    spillway run measured.json

With --passes FILE.csv it also writes every pass of every layer, which `spillway twin` takes:

    spillway twin small-vlm.json passes.csv

One process with one thread runs every layer on every microbatch of the first replica, forward and backward, --repeats
times, and takes the median of each. A block becomes three: its first layer (with an embedding), the mean of the inner
ones, and its last (with a head and the loss). Passes of another microbatch are as long as the block's work on it. A
message takes what one of the mean size takes between two processes that do nothing else. So a prediction leaves out
what processes at work take from each other: caches, memory, a common clock frequency.

The result has all schedules of the experiment, systems included. One that splits layers by their time may split them
otherwise than the experiment does, whose times are priced: state layers_per_rank where both should be the same.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Optional

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

from ..errors import InputError, Violation
from ..runtime.arguments import at_least_one, check_folder, refuse
from ..runtime.checks.schema import shown
from ..runtime.document import load, read
from ..runtime.model import Model
from ..runtime.program import every_action

PROGRAM = "spillway.measure.passes"


def seconds(does: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    value = does()
    return time.perf_counter() - start, value


class Alone:
    """All layers in this process. passes: their seconds, by layer, direction and microbatch, one for each repeat."""

    def __init__(self, model: Model, program: dict) -> None:
        self.model, self.last = model, program["blocks"][-1]["end_layer"] - 1
        self.layers = [model.layer(index) for index in range(self.last + 1)]
        self.passes: dict = {}

    def note(self, layer: int, direction: str, microbatch: int, time_s: float) -> None:
        self.passes.setdefault((layer, direction, microbatch), []).append(time_s)

    def run(self, microbatch: int) -> None:
        batch, kept, x, where = self.model.batch(0, 0, microbatch), [], None, f"microbatch {microbatch}"
        for index, layer in enumerate(self.layers):
            x = None if x is None else x.detach().requires_grad_()
            time_s, output = seconds(lambda: self.model.run(index, layer, x, batch, where))
            kept.append((x, output))
            self.note(index, "forward", microbatch, time_s)
            x = output
        loss_s, loss = seconds(lambda: self.model.loss(x, batch, where))
        self.note(self.last, "loss", microbatch, loss_s)
        with self.model.asked(f"the backward of {where}", "gradients"):
            self.back(microbatch, kept, loss)

    def back(self, microbatch: int, kept: list, loss: torch.Tensor) -> None:
        gradient: Optional[torch.Tensor] = None
        for index in reversed(range(len(self.layers))):
            x, output = kept[index] if index < self.last else (kept[index][0], loss)
            if x is not None:
                inputs_s, _ = seconds(lambda: torch.autograd.grad(output, x, gradient, retain_graph=True))
                self.note(index, "input_gradient", microbatch, inputs_s)
            both_s, _ = seconds(lambda: output.backward(gradient))
            self.note(index, "backward", microbatch, both_s)
            gradient = None if x is None else x.grad

    def median(self, layer: int, direction: str, microbatch: int) -> float:
        repeats = self.passes.get((layer, direction, microbatch))
        return statistics.median(repeats) if repeats else 0.0


def parts_of(block: dict) -> list[tuple[str, range]]:
    first, end = block["first_layer"], block["end_layer"]
    inner = range(first + 1, end - 1)
    cuts = {"first": range(first, first + 1), "inner": inner, "last": range(max(inner.start, inner.stop), end)}
    return [(f"{block['name']}.{name}", layers) for name, layers in cuts.items() if len(layers)]


def profile(alone: Alone, layers: range, microbatches: int) -> dict:
    """A layer's mean, and each microbatch's work: its share of a mean microbatch's seconds."""

    def mean(direction: str, microbatch: int) -> float:
        return statistics.fmean(alone.median(layer, direction, microbatch) for layer in layers)

    everywhere = range(microbatches)
    forward, loss, inputs, both = (
        [mean(direction, m) for m in everywhere] for direction in ("forward", "loss", "input_gradient", "backward")
    )
    forward = [f + l for f, l in zip(forward, loss)]
    weights = [max(0.0, b - i) for b, i in zip(both, inputs)]
    inputs = [b - w for b, w in zip(both, weights)]
    all_of_it = [f + b for f, b in zip(forward, both)]
    passes = {"forward_ms": forward, "input_gradient_ms": inputs, "weight_gradient_ms": weights}
    return {
        "profile": {key: 1000 * statistics.fmean(seconds_of) for key, seconds_of in passes.items()},
        "work_per_microbatch": [each / statistics.fmean(all_of_it) for each in all_of_it],
    }


def talk(rank: int, size: int, folder: str, repeats: int) -> None:
    """A message there and back; half of it is one message. The first process writes the times."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    value, times = torch.zeros(size), []
    turns = (dist.send, dist.recv) if rank == 0 else (dist.recv, dist.send)
    for _ in range(repeats):
        start = time.perf_counter()
        for turn in turns:
            turn(value, 1 - rank)
        times.append((time.perf_counter() - start) / 2)
    if rank == 0:
        Path(folder, "times").write_text(json.dumps(times), encoding="utf-8")


def message_seconds(program: dict, repeats: int) -> float:
    """Forks this process, which therefore has to have one thread: nothing was computed yet."""
    sizes = [math.prod(each["shape"]) for _, _, each in every_action(program) if each["op"] == "send"]
    if not sizes:
        return 0.0
    with tempfile.TemporaryDirectory() as folder:
        talkers = (int(statistics.fmean(sizes)), folder, repeats)
        processes.start_processes(talk, talkers, 2, start_method="fork")
        times = json.loads(Path(folder, "times").read_text(encoding="utf-8"))
    return statistics.median(times[repeats // 5 :])


def measured_experiment(program: dict, experiment: dict, alone: Alone, message_s: float) -> dict:
    blocks = [
        {"name": name, "role": block["role"], "layers": len(layers), "trainable": block["trainable"],
         **profile(alone, layers, program["microbatches"])}
        for block in program["blocks"] for name, layers in parts_of(block)
    ]  # fmt: skip
    cut = [block["end_layer"] for block in program["blocks"][:-1]]
    schedules = [
        {**each, "cut": cut} if "," in each.get("schedule", "") and "cut" not in each else each
        for each in experiment["schedules"]
    ]  # fmt: skip
    return {
        "schema": "spillway/experiment/1",
        "name": f"{program['experiment']}-measured",
        "assumptions": ["passes take what they take alone, in one process of one thread"],
        "pipeline": {key: program[key] for key in ("ranks", "microbatches", "replicas")},
        "model": {"blocks": blocks},
        "network": {"p2p_ms": 1000 * message_s, "p2p": "overlapped"},
        "schedules": schedules,
        "baseline": experiment.get("baseline", schedules[0].get("name")),
    }


def passes_csv(program: dict, alone: Alone) -> str:
    """Each layer's passes of each microbatch, a line for each repeat. The loss is part of the last layer's forward."""
    lines = ["stage,direction,tokens,patches,milliseconds"]
    for block in program["blocks"]:
        for layer in range(block["first_layer"], block["end_layer"]):
            first = layer - block["first_layer"]
            for microbatch, sample in enumerate(program["samples"][0]):
                patches = " ".join(str(item["patches"]) for item in sample["media"])
                stage = f"{block['name']}:{first}-{first + 1}"
                forwards = alone.passes[layer, "forward", microbatch]
                losses = alone.passes.get((layer, "loss", microbatch), [0.0] * len(forwards))
                passes = {
                    "forward": [forward + loss for forward, loss in zip(forwards, losses)],
                    "backward": alone.passes[layer, "backward", microbatch],
                }
                lines += [
                    f"{stage},{direction},{sample['tokens']},{patches},{1000 * seconds_of:.6f}"
                    for direction, repeats in passes.items() for seconds_of in repeats
                ]  # fmt: skip
    return "\n".join(lines) + "\n"


def schedules_of(file: str) -> dict:
    """The experiment, of which schedules and the baseline count; `spillway run` checks them."""
    experiment = load(file, "an experiment")
    schedules = experiment.get("schedules") if isinstance(experiment, dict) else None
    if not isinstance(schedules, list) or not schedules or not all(isinstance(each, dict) for each in schedules):
        kind = experiment.get("schema") if isinstance(experiment, dict) else experiment
        raise InputError([Violation(file, "/schedules", "the schedules of an experiment", f"none (schema: {shown(kind)})")])
    return experiment


def check_file(option: str, file: str, inputs: list[str]) -> None:
    """A file that can be written, and is none of the inputs."""
    check_folder(option, os.path.dirname(file) or ".", PROGRAM)
    if os.path.isdir(file):
        raise refuse(option, "a file", f"{file}, a folder", PROGRAM)
    if any(os.path.exists(each) and os.path.exists(file) and os.path.samefile(each, file) for each in inputs):
        raise refuse(option, "another file than the inputs", file, PROGRAM)


def main() -> int:
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Measures passes of a model, alone.")
    parser.add_argument("program", help="of `spillway derive EXPERIMENT --format program`: its blocks and samples count")
    parser.add_argument("--model", required=True, help="a Python file, as spillway.runtime takes it")
    parser.add_argument("--experiment", required=True, help="whose schedules the result has")
    parser.add_argument("--out", required=True, help="the experiment with the measured durations")
    parser.add_argument("--passes", help="a CSV file with every pass, which `spillway twin` takes")
    parser.add_argument("--repeats", type=at_least_one, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)
    try:
        program, experiment = read(options.program), schedules_of(options.experiment)
        check_file("--out", options.out, [options.program, options.experiment, options.model])
        if options.passes:
            check_file("--passes", options.passes, [options.program, options.experiment, options.model, options.out])
            if not program.get("samples"):
                raise InputError([Violation(options.program, "/samples", "the samples of microbatches", "none")])
        alone = Alone(Model(options.model, program, torch.device("cpu")), program)
        message_s = message_seconds(program, 10 * options.repeats)
        for repeat in range(options.repeats + 1):
            if repeat == 1:
                alone.passes.clear()  # the first warms up
            for microbatch in range(program["microbatches"]):
                alone.run(microbatch)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    result = measured_experiment(program, experiment, alone, message_s)
    with open(options.out, "w", encoding="utf-8") as text:
        json.dump(result, text, indent=1)
        text.write("\n")
    if options.passes:
        with open(options.passes, "w", encoding="utf-8") as text:
            text.write(passes_csv(program, alone))
    return 0


if __name__ == "__main__":
    sys.exit(main())
