#!/usr/bin/env python3
"""Trains the small vision-language model of examples/, beside a prediction from single passes measured alone.

usage: bench/trained.py SPILLWAY [--rounds 6] [--keep FOLDER]      (with PyTorch; an idle machine)

A round measures the passes and trains a few steps with each schedule of workloads/experiments/small-vlm.json. A row has
medians over the rounds: the predicted step, the measured one and its range, by how much all passes of a step together
are longer than when they were measured, the error that remains without that, and the largest error of a step replayed
from its own trace. --keep FOLDER keeps the passes (small-vlm-measured.json) and a step (small-vlm-trained.csv) of the
round with the fastest transposed step, when least else ran on the machine: docs/draw.sh draws them."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
EXPERIMENT = ROOT / "workloads/experiments/small-vlm.json"
MODEL = ROOT / "examples/small_vlm.py"
STEPS = 3  # the first one warms up
DRAWN = "transposed"


class Step(NamedTuple):
    """One of the training, beside its prediction. passes: seconds of both ranks, trained over predicted."""

    predicted_s: float
    measured_s: float
    passes: float
    replayed: float
    folder: Path


def output_of(*command: str) -> str:
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "src/python")}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=paths).stdout


def runtime(module: str, folder: Path, schedule: str, *options: str) -> None:
    program = str(folder / f"{schedule}.json")
    output_of(sys.executable, "-m", module, program, "--model", str(MODEL), *options)


def listed(name: str, program: dict) -> dict:
    """The order of a program behind a transposed encoder, of which every rank has a copy."""
    copies = sum(stage["first_layer"] == 0 for stage in program["stages"])
    words = {"forward": ("0E", "F"), "backward": ("0G", "B")}

    def word(action: dict) -> str:
        encode, other = words[action["pass"]]
        stage = action["stage_index"] - copies
        return f"{encode}{action['microbatch']}" if stage < 0 else f"{stage}{other}{action['microbatch']}"

    computed = [[each for each in rank["actions"] if each["op"] == "compute"] for rank in program["programs"]]
    return {
        "name": name,
        "schedule": "transpose,listed",
        "cut": [program["stages"][0]["end_layer"]],
        "layers_per_rank": [stage["end_layer"] - stage["first_layer"] for stage in program["stages"][copies:]],
        "actions": [",".join(map(word, actions)) for actions in computed],
    }


def pinned(schedule: dict, folder: Path) -> dict:
    """Predicted as it is trained: measured times would give another split, or another plan of a system."""
    program = json.loads((folder / f"{schedule['name']}.json").read_text(encoding="utf-8"))
    if "system" in schedule:
        return listed(schedule["name"], program)
    sizes = [stage["end_layer"] - stage["first_layer"] for stage in program["stages"]]
    others = {key: value for key, value in schedule.items() if key != "split"}
    return {**others, "layers_per_rank": sizes} if "split" in schedule else schedule


def predictions(spillway: str, folder: Path) -> dict:
    file, experiment = str(folder / "measured.json"), json.loads(EXPERIMENT.read_text(encoding="utf-8"))
    experiment["schedules"] = [pinned(each, folder) for each in experiment["schedules"]]
    (folder / "pinned.json").write_text(json.dumps(experiment), encoding="utf-8")
    options = ["--experiment", str(folder / "pinned.json"), "--out", file, "--repeats", "2"]
    runtime("spillway.measure.passes", folder, DRAWN, *options)
    report = json.loads(output_of(spillway, "run", file, "--engine", "longest-path", "--json"))
    return {each["name"]: each for each in report["schedules"]}


def trained(spillway: str, folder: Path, predicted: dict) -> list[Step]:
    out = folder / predicted["name"]
    runtime("spillway.runtime", folder, predicted["name"], "--steps", str(STEPS), "--out", str(out))
    cases = json.loads(output_of(spillway, "validate", str(out / "trace.csv"), "--json"))["cases"]
    busy_s = sum(rank["busy_s"] for rank in predicted["ranks"])
    return [
        Step(
            predicted["makespan_s"],
            case["measured_s"],
            sum(rank["measured"]["compute_s"] for rank in case["ranks"]) / busy_s,
            case["replayed_s"] / case["measured_s"] - 1,
            folder,
        )
        for case in cases
        if case["step"] > 0
    ]


def one_round(spillway: str, folder: Path, schedules: list) -> dict:
    folder.mkdir()
    for name in schedules:
        program = output_of(spillway, "derive", str(EXPERIMENT), "--schedule", name, "--format", "program")
        (folder / f"{name}.json").write_text(program, encoding="utf-8")
    of_schedule = predictions(spillway, folder)
    return {name: trained(spillway, folder, of_schedule[name]) for name in schedules}


def row(name: str, steps: list[Step]) -> str:
    measured = [step.measured_s for step in steps]
    passes = median(100 * (step.passes - 1) for step in steps)
    rest = median(100 * (step.predicted_s * step.passes / step.measured_s - 1) for step in steps)
    replayed = max((100 * step.replayed for step in steps), key=abs)
    return (
        f"{name:12} {median(step.predicted_s for step in steps):7.3f} s {median(measured):8.3f} s "
        f"{min(measured):7.3f} to {max(measured):.3f} {passes:+12.1f} % {rest:+10.1f} % {replayed:+8.2f} %"
    )


def keep(steps: list[Step], kept: Path) -> None:
    fastest = min(steps, key=lambda step: step.measured_s)
    number = 1 + [step for step in steps if step.folder == fastest.folder].index(fastest)
    shutil.copy(fastest.folder / "measured.json", kept / "small-vlm-measured.json")
    rows = (fastest.folder / DRAWN / "trace.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    one_step = [each for each in rows if not each[0].isdigit() or each.startswith(f"{number},")]
    (kept / "small-vlm-trained.csv").write_text("".join(one_step), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    schedules = [each["name"] for each in json.loads(EXPERIMENT.read_text(encoding="utf-8"))["schedules"]]
    with tempfile.TemporaryDirectory() as top:
        rounds = [one_round(options.spillway, Path(top) / str(n), schedules) for n in range(options.rounds)]
        print("schedule     predicted   measured             range  passes longer  remaining  replayed")
        for name in schedules:
            print(row(name, [step for each in rounds for step in each[name]]))
        if options.keep:
            keep([step for each in rounds for step in each[DRAWN]], options.keep)


main()
