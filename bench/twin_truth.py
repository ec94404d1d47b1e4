#!/usr/bin/env python3
"""Predicts jobs that really run from passes of one process: `spillway twin`, held against measured steps.

usage: bench/twin_truth.py SPILLWAY [--quick] [--rounds 3] [--only TEXT] [--keep FOLDER]
(with PyTorch, on two cores with nothing else to do)

40 jobs train the model of examples/small_vlm.py with two processes of one thread: five schedules, encoder trained or
frozen, two mixes of images, 3 or 6 microbatches. --quick trains three of them, with one round; --only those whose names
have this text.

A round of a job has three parts, so a machine that changes its speed changes all of them:
  alone    one process runs every layer by itself, forward and backward, on three fixed microbatches (SIZES), and
           updates it; the other process waits. These rows are the table of passes that `twin` takes.
  beside   both processes do so at once. The rows over those of `alone` are the contention of two processes.
  step     both processes train one step. The job has its own images; batches are made before.
The first round of a job warms up and counts nowhere.

Two predictions follow. `alone` takes the rows as they are. `shared` first multiplies each row by its contention, for
the share of a rank's busy time in which the other rank is busy, too, by the first prediction. A step's time is that of
the slower process, from a barrier to its last action. The interval is the one that `twin` prints, of 90 %.

The last lines have the mean errors by kind of job, and how many steps lie in their intervals: a binomial distribution
of 0.9 gives at least so many in 95 of 100 benchmarks. --keep FOLDER keeps each job with its passes and its trace.
Exit status 1: the mean absolute error of `shared` is 5 % or more, or fewer steps lie in their intervals."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from math import comb
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src/python"))
EXPERIMENT = ROOT / "workloads/experiments/small-vlm.json"
MODEL = ROOT / "examples/small_vlm.py"
PROCESSES, TEXT_TOKENS = 2, 48
SIZES = ([64], [144], [256])  # patches of the images of each measured microbatch
SCHEDULES = {
    "1f1b": {"schedule": "1f1b", "layers_per_rank": [6, 6]},
    "uneven": {"schedule": "1f1b", "layers_per_rank": [7, 5]},
    "gpipe": {"schedule": "gpipe", "layers_per_rank": [6, 6]},
    "transposed": {"schedule": "transpose,1f1b", "owner": "round-robin"},
    "zb-h1": {"schedule": "zb-h1", "layers_per_rank": [6, 6]},
}
MIXES = {
    "1 image": {"rule": {"max_pixels": 50176}, "images_per_sample": {"values": [1], "shares": [1]}},
    "1-3 small": {"rule": {"max_pixels": 12544}, "images_per_sample": {"values": [1, 2, 3], "shares": [1, 1, 1]}},
}
HEADER = "stage,direction,tokens,patches,milliseconds"
AT_MOST, HOLDS, SURE = 0.05, 0.9, 0.05


class Job(NamedTuple):
    schedule: str
    encoder: str  # "trained" or "frozen"
    mix: str
    microbatches: int
    seed: int

    def name(self) -> str:
        return f"{self.schedule}, {self.encoder}, {self.mix}, {self.microbatches}"


def jobs() -> list[Job]:
    kinds = itertools.product(SCHEDULES, ("trained", "frozen"), MIXES, (3, 6))
    return [Job(*kind, seed) for seed, kind in enumerate(kinds, 1)]


def experiment_of(job: Job) -> dict:
    experiment = json.loads(EXPERIMENT.read_text(encoding="utf-8"))
    trace, blocks = experiment["workload"]["trace"], experiment["model"]["blocks"]
    experiment["workload"] |= {**MIXES[job.mix], "text_tokens": TEXT_TOKENS, "trace": str((EXPERIMENT.parent / trace).resolve())}
    experiment["pipeline"]["microbatches"] = job.microbatches
    experiment |= {"seed": job.seed, "schedules": [{"name": job.schedule, **SCHEDULES[job.schedule]}], "baseline": job.schedule}
    for block in blocks:
        block["architecture"] = str((EXPERIMENT.parent / block["architecture"]).resolve())
        block["trainable"] = block["role"] != "encoder" or job.encoder == "trained"
    return experiment


class Silent:
    """Nothing is watched."""

    def begins(self, action: dict) -> None:
        pass


class Worker:
    """One of the two processes. Each job's program comes with load(); then it measures and trains when it is told to."""

    def __init__(self, rank: int, meet: str) -> None:
        import torch
        import torch.distributed as dist

        torch.set_num_threads(1)
        self.rank, self.made = rank, {}
        dist.init_process_group("gloo", init_method=f"file://{meet}", rank=rank, world_size=PROCESSES)

    def load(self, program: dict) -> None:
        import torch
        from spillway.runtime.model import Model
        from spillway.runtime.rank import Rank
        from spillway.runtime.stage import Stage
        from spillway.runtime.trace import Records
        from spillway.runtime.wires import Wires

        class Loaded(Model):
            """Makes each batch once: loading is no part of a pass."""

            def batch(self, step: int, replica: int, microbatch: int) -> Any:
                made = self.__dict__.setdefault("made", {})
                if microbatch not in made:
                    made[microbatch] = super().batch(0, replica, microbatch)
                return made[microbatch]

        self.program, self.trace = program, Records(program, self.rank)
        model = Loaded(str(MODEL), program, torch.device("cpu"))
        self.job = Rank(program, self.rank, model, Wires(program, 600, self.made), Silent(), self.trace)
        for microbatch in range(program["microbatches"]):
            model.batch(0, 0, microbatch)
        layers = range(program["blocks"][-1]["end_layer"])
        self.stages = [Stage({"stage_index": i, "first_layer": i, "end_layer": i + 1}, model) for i in layers]
        samples = [{"tokens": tokens_of(patches), "media": [{"patches": each} for each in patches]} for patches in SIZES]
        self.batches = [model.functions.batch(0, 1, number, sample) for number, sample in enumerate(samples)]
        actions = program["programs"][0]["actions"] + program["programs"][1]["actions"]
        self.backward = "halves" if any(each.get("pass") == "input_gradient" for each in actions) else "whole"

    def measure(self) -> list[tuple]:
        """Seconds of every pass of every layer: (layer, direction, size, seconds)."""
        self.rows: list[tuple] = []
        for size in range(len(SIZES)):
            self.measure_size(size)
        for layer, stage in enumerate(self.stages):
            if stage.parameters:
                self.timed(layer, "optimizer", None, stage.update)
        return self.rows

    def timed(self, layer: int, direction: str, size: Any, call: Any) -> Any:
        start = time.monotonic()
        value = call()
        self.rows.append((layer, direction, size, time.monotonic() - start))
        return value

    def measure_size(self, size: int) -> None:
        x, batch, model = None, self.batches[size], self.job.model
        learns = [bool(stage.parameters) or stage.passes_gradient for stage in self.stages]
        passes = {"forward", *(("input_gradient", "weight_gradient") if self.backward == "halves" else ("backward",))}
        for layer, stage in enumerate(self.stages[:-1]):
            kinds = passes if learns[layer] else {"forward"}
            x = self.timed(layer, "forward", size, lambda: stage.forward(size, x, batch, kinds))
        last, where = len(self.stages) - 1, "a measured microbatch"
        gradient = self.timed(last, "forward", size, lambda: self.with_loss(model, size, x, batch, passes, where))
        for layer in reversed(range(len(self.stages))):
            stage = self.stages[layer]
            if not learns[layer]:
                return
            if self.backward == "whole":
                gradient = self.timed(layer, "backward", size, lambda: stage.backward(size, gradient, batch))
            elif stage.passes_gradient:
                gradient = self.timed(layer, "input_gradient", size, lambda: stage.input_gradient(size, gradient, batch))
                if stage.parameters:
                    self.timed(layer, "weight_gradient", size, lambda: stage.weight_gradient(size))
            else:  # nothing reads the gradient of the input, so the weights' half is the whole
                stage.input_gradient(size, gradient, batch)
                self.timed(layer, "backward", size, lambda: stage.weight_gradient(size))

    def with_loss(self, model: Any, size: int, x: Any, batch: Any, passes: set, where: str) -> Any:
        """The forward of the last layer; a rank counts the loss and its gradient to it."""
        import torch

        output = self.stages[-1].forward(size, x, batch, passes).requires_grad_()
        return torch.autograd.grad(model.loss(output, batch, where), output)[0]

    def step(self) -> float:
        self.trace.records.clear()
        self.job.run(1)
        return self.job.seconds[0]

    def write(self, folder: str) -> None:
        from spillway.runtime.trace import merge

        self.trace.write(folder, self.rank)
        self.job.wires.barrier()
        if self.rank == 0:
            merge(folder, self.program)


def serve(rank: int, meet: str, told: Any) -> None:
    worker = Worker(rank, meet)
    told.send(None)
    for does, arguments in iter(told.recv, None):
        told.send(getattr(worker, does)(*arguments))


def tokens_of(patches: list[int]) -> int:
    return sum(patches) // 4 + TEXT_TOKENS


class Workers:
    """Both processes, until the end of a `with`."""

    def __enter__(self) -> Workers:
        os.environ["OMP_NUM_THREADS"] = "1"
        self.folder, context = tempfile.TemporaryDirectory(), multiprocessing.get_context("spawn")
        self.ends, self.processes = [], []
        for rank in range(PROCESSES):
            ours, theirs = context.Pipe()
            self.ends.append(ours)
            self.processes.append(context.Process(target=serve, args=(rank, f"{self.folder.name}/meet", theirs), daemon=True))
            self.processes[-1].start()
            theirs.close()
        for end in self.ends:
            end.recv()
        return self

    def tell(self, does: str, *arguments: Any, only: Any = None) -> list:
        ends = self.ends if only is None else [self.ends[only]]
        for end in ends:
            end.send((does, arguments))
        return [end.recv() for end in ends]

    def __exit__(self, *error: Any) -> None:
        for end, process in zip(self.ends, self.processes):
            with contextlib.suppress(BrokenPipeError):
                end.send(None)
            process.join(10)
        self.folder.cleanup()


class Measured(NamedTuple):
    alone: list[tuple]  # (layer, direction, size, seconds)
    beside: list[tuple]
    steps: list[float]


def measured(workers: Workers, program: dict, rounds: int) -> Measured:
    workers.tell("load", program)
    all_of_it = Measured([], [], [])
    for turn in range(rounds + 1):
        alone = workers.tell("measure", only=turn % PROCESSES)
        beside, steps = workers.tell("measure"), workers.tell("step")
        if turn == 0:
            continue
        all_of_it.alone.extend(itertools.chain(*alone))
        all_of_it.beside.extend(itertools.chain(*beside))
        all_of_it.steps.append(max(steps))
    return all_of_it


def means(rows: list[tuple]) -> dict:
    by_pass = defaultdict(list)
    for layer, direction, size, seconds in rows:
        by_pass[layer, direction, size].append(seconds)
    return {key: fmean(values) for key, values in by_pass.items()}


def table(program: dict, rows: list[tuple], factors: dict) -> str:
    """The rows as `twin` takes them, each times the factor of its pass."""
    lines = [HEADER]
    for layer, direction, size, seconds in rows:
        block = next(each for each in program["blocks"] if each["first_layer"] <= layer < each["end_layer"])
        place = layer - block["first_layer"]
        patches = [] if size is None else SIZES[size]
        sizes = "," if size is None else f"{tokens_of(patches)},{' '.join(map(str, patches))}"
        milliseconds = 1000 * seconds * factors.get((layer, direction, size), 1)
        lines.append(f"{block['name']}:{place}-{place + 1},{direction},{sizes},{milliseconds:.6f}")
    return "\n".join(lines) + "\n"


class Prediction(NamedTuple):
    step: float
    low: float
    high: float
    together: float  # the share of a rank's busy time in which the other is busy, too

    def error(self, measured_s: float) -> float:
        return self.step / measured_s - 1

    def holds(self, measured_s: float) -> bool:
        return self.low <= measured_s <= self.high


def printed(*command: str) -> dict:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def predicted(spillway: str, job: Path, passes: str) -> Prediction:
    file = job.with_name("passes.csv")
    file.write_text(passes, encoding="utf-8")
    options = ("--draws", "1", "--engine", "longest-path", "--json", "--out", str(job.with_name("twin.json")))
    (schedule,) = printed(spillway, "twin", str(job), str(file), *options)["report"]["schedules"]
    step, busy = schedule["makespan_s"], sum(rank["busy_s"] for rank in schedule["ranks"])
    low, high = (schedule["interval"][key] for key in ("from_s", "to_s"))
    return Prediction(step, low, high, 2 * max(0.0, busy - step) / busy)


class Row(NamedTuple):
    job: Job
    steps: list[float]
    alone: Prediction
    shared: Prediction
    slower: dict  # by direction: passes beside another process over passes alone, over all of them together

    def measured(self) -> float:
        return fmean(self.steps)


def one_job(spillway: str, workers: Workers, job: Job, rounds: int, folder: Path) -> Row:
    folder.mkdir(parents=True)
    file = folder / "job.json"
    file.write_text(json.dumps(experiment_of(job), indent=1), encoding="utf-8")
    program = printed(spillway, "derive", str(file), "--schedule", job.schedule, "--format", "program")
    found = measured(workers, program, rounds)
    workers.tell("write", str(folder))
    alone, beside = means(found.alone), means(found.beside)
    first = predicted(spillway, file, table(program, found.alone, {}))
    factors = {each: 1 + first.together * (beside[each] / alone[each] - 1) for each in alone}
    shared = predicted(spillway, file, table(program, found.alone, factors))
    directions = sorted({direction for _, direction, _ in alone})
    sums = [{d: sum(s for (_, way, _), s in of.items() if way == d) for d in directions} for of in (alone, beside)]
    return Row(job, found.steps, first, shared, {d: sums[1][d] / sums[0][d] for d in directions})


def line(row: Row) -> str:
    step = row.measured()
    return (
        f"{row.job.name():33} {step:7.3f} s {min(row.steps):6.3f} to {max(row.steps):.3f} "
        f"{row.alone.step:7.3f} s {100 * row.alone.error(step):+6.1f} % {row.shared.step:7.3f} s "
        f"{100 * row.shared.error(step):+6.1f} % {'yes' if row.shared.holds(step) else 'no'}"
    )


def least_inside(jobs_of: int) -> int:
    """So many of them lie in their intervals in all but SURE of the benchmarks, if each does with HOLDS."""
    below = 0.0
    for inside in range(jobs_of + 1):
        below += comb(jobs_of, inside) * HOLDS**inside * (1 - HOLDS) ** (jobs_of - inside)
        if below > SURE:
            return inside
    return jobs_of


def groups(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    of_job = lambda job: ("all", job.schedule, job.encoder, job.mix, f"{job.microbatches} microbatches")  # noqa: E731
    names = dict.fromkeys(name for row in rows for name in of_job(row.job))
    return [(name, [row for row in rows if name in of_job(row.job)]) for name in names]


def errors_text(predictions: list[tuple[Prediction, float]]) -> str:
    errors = [100 * prediction.error(step) for prediction, step in predictions]
    return f"{fmean(map(abs, errors)):5.1f} % ({fmean(errors):+5.1f} %)"


def summary(rows: list[Row]) -> tuple[list[str], bool]:
    """In words, and whether both goals are met."""
    lines = [f"{'mean absolute error (mean error)':33} jobs     alone               shared"]
    for name, some in groups(rows):
        both = [errors_text([(getattr(row, which), row.measured()) for row in some]) for which in ("alone", "shared")]
        lines.append(f"{name:33} {len(some):4}     {'   '.join(both)}")
    inside, least = sum(row.shared.holds(row.measured()) for row in rows), least_inside(len(rows))
    lines.append(f"in their intervals of 90 %: {inside} of {len(rows)}; a binomial allows {least} and more")
    for direction in sorted({direction for row in rows for direction in row.slower}):
        values = [row.slower[direction] for row in rows if direction in row.slower]
        lines.append(
            f"contention of {direction}: {100 * (median(values) - 1):+.1f} % in the median job, "
            f"{100 * (min(values) - 1):+.1f} to {100 * (max(values) - 1):+.1f} %"
        )
    mean = fmean(abs(row.shared.error(row.measured())) for row in rows)
    return lines, mean < AT_MOST and inside >= least


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    parser.add_argument("--quick", action="store_true", help="three jobs, one round: shows that it runs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="jobs whose names have this text")
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main() -> int:
    options = arguments()
    chosen = [job for job in jobs() if options.only in job.name()]
    chosen, rounds = (chosen[:: max(1, len(chosen) // 3)][:3], 1) if options.quick else (chosen, options.rounds)
    print("schedule, encoder, images, microbatches  measured           range      alone    error     shared    error inside")
    rows = []
    with tempfile.TemporaryDirectory() as top, Workers() as workers:
        folder = options.keep or Path(top)
        for number, job in enumerate(chosen):
            rows.append(one_job(options.spillway, workers, job, rounds, folder / f"{number:02}-{job.schedule}"))
            print(line(rows[-1]), flush=True)
    lines, met = summary(rows)
    print("", *lines, sep="\n")
    return 0 if met or options.quick else 1


if __name__ == "__main__":
    sys.exit(main())
