#!/usr/bin/env python3
"""Plays the programs of found orders with real messages (spillway execute), or trains by them (spillway.runtime).

usage: bench/found_programs.py SPILLWAY [--jobs 100] [--ranks 4] [--seed 1] [--effort 300] [--steps 3] [--scale 2]
                               [--microbatches 16] [--runtime] [--csv FILE]

Jobs are those of bench/synthesis.py with at most so many ranks and microbatches, and messages of 64 kB. Each is
synthesized; its program is checked (derive --check), and then played: a process for each rank, which sleep most of the
time. Times are longer by `--scale`, so that a late wake-up of a busy machine weighs less. A row has the predicted and
the measured step, the median of the steps. The last line says how many ended, how many found orders are among them, and
how many are within 2 %. The exit status is 1 if a program blocks or does not end.

With --runtime, jobs are those of examples/small_vlm.py on 2 to `--ranks` ranks, and its program trains that model in
PyTorch, one process of one thread for each rank. The first step warms up. The prediction is by the round numbers of
workloads/experiments/small-vlm.json, not of this machine, so it says nothing about the time that was measured: a row
tells that the program ended, and its losses, which depend on the number of microbatches alone.

A job is a row of the CSV as soon as it has ended. Jobs whose rows a CSV of the same options has are not played again."""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthesis  # noqa: E402

SMALL, NEAR = 65536, 0.02
STEP = re.compile(r"step \d+: loss (\S+), (\S+) s")


def jobs(asked: argparse.Namespace) -> list[synthesis.Job]:
    stream = random.Random(asked.seed)
    drawn: list[synthesis.Job] = []
    while len(drawn) < asked.jobs:
        job = synthesis.drawn_job(stream)
        if job.ranks <= asked.ranks and job.microbatches <= asked.microbatches:
            drawn.append(job)
    return drawn


def document(job: synthesis.Job) -> dict[str, Any]:
    made = synthesis.document(job)
    for block in made["model"]["blocks"]:
        block["profile"]["output_bytes"] = SMALL
    return made


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def played(asked: argparse.Namespace, job: synthesis.Job, folder: str) -> dict[str, Any] | None:
    """The row of a job; None if no order fits its memory."""
    path, program = os.path.join(folder, "job.json"), os.path.join(folder, "program.json")
    Path(path).write_text(json.dumps(document(job)))
    found = subprocess.run([asked.spillway, "synthesize", path, "--effort", str(asked.effort), "--out", folder, "--json"],
                           capture_output=True, text=True)
    if found.returncode == 3:
        return None
    if found.returncode != 0:
        sys.exit(f"{job}: exit status {found.returncode}: {found.stderr}")
    checked = subprocess.run([asked.spillway, "derive", program, "--check"], capture_output=True, text=True)
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    answer = json.loads(output_of(
        "mpirun", "-n", str(job.ranks), "--oversubscribe", *as_root, asked.spillway, "execute", program, "--out",
        folder, "--steps", str(asked.steps), "--time-scale", str(asked.scale), "--json"))
    return job._asdict() | {
        "found": not json.loads(found.stdout)["is_named"], "safe": checked.returncode == 0,
        "predicted_s": answer["predicted_s"], "measured_s": answer["measured_s"], "difference": answer["difference"]}


def said(row: dict[str, Any]) -> str:
    return (f"P={row['ranks']} M={row['microbatches']:2} {'found' if row['found'] else 'named'}: predicted "
            f"{row['predicted_s']:.3f} s, measured {row['measured_s']:.3f} s, {100 * row['difference']:+.2f} %")


def trained(asked: argparse.Namespace, number: int, folder: str) -> dict[str, Any]:
    """The row of a job of the runtime."""
    stream = random.Random(f"{asked.seed} {number}")
    ranks, microbatches = stream.randint(2, min(4, asked.ranks)), stream.randint(2, min(8, asked.microbatches))
    frozen, program = stream.random() < 0.3, os.path.join(folder, "program.json")
    found = json.loads(output_of(
        asked.spillway, "synthesize", "small-vlm", "--set", f"/pipeline/ranks={ranks}", "--set",
        f"/pipeline/microbatches={microbatches}", "--set", f"/model/blocks/0/trainable={str(not frozen).lower()}", "--set",
        f"/seed={stream.randint(1, 999)}", "--set", '/schedules=[{"name":"1f1b","schedule":"1f1b","split":"balanced"}]',
        "--set", '/baseline="1f1b"', "--effort", str(asked.effort), "--out", folder, "--json"))
    row = {"ranks": ranks, "microbatches": microbatches, "trained": not frozen, "found": not found["is_named"],
           "safe": False, "predicted_s": synthesis.mean_of(found["makespan_s"]), "measured_s": "", "losses": "no program"}
    if not found["program"]:
        return row
    checked = subprocess.run([asked.spillway, "derive", program, "--check"], capture_output=True, text=True)
    said = subprocess.run(
        [sys.executable, "-m", "spillway.runtime", program, "--model", str(synthesis.ROOT / "examples/small_vlm.py"),
         "--steps", str(asked.steps + 1)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(synthesis.ROOT / "src/python")})
    steps = STEP.findall(said.stdout)
    if said.returncode != 0 or len(steps) != asked.steps + 1:
        sys.exit(f"{row}: exit status {said.returncode}: {said.stderr}")
    return row | {"safe": checked.returncode == 0, "measured_s": median(float(seconds) for _, seconds in steps[1:]),
                  "losses": " ".join(loss for loss, _ in steps)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    for option, default in (("--jobs", 100), ("--ranks", 4), ("--microbatches", 16), ("--seed", 1), ("--effort", 300),
                            ("--steps", 3)):
        parser.add_argument(option, type=int, default=default)
    parser.add_argument("--scale", type=float, default=2)
    parser.add_argument("--runtime", action="store_true")
    parser.add_argument("--csv", type=Path)
    asked = parser.parse_args()
    return train_all(asked) if asked.runtime else play_all(asked)


def with_rows(asked: argparse.Namespace, count: int, of: Callable[[int, str], dict[str, Any] | None],
              say: Callable[[dict[str, Any]], str]) -> list[dict[str, Any]]:
    """The rows of all jobs, those of the CSV first. Each new one is printed and written. None stands for no row."""
    rows = synthesis.rows_of(asked.csv)
    for number in range(len(rows), count):
        with tempfile.TemporaryDirectory() as folder:
            row = of(number, folder)
        rows.append(row or {})
        synthesis.write_rows(asked.csv, rows)
        if row:
            print(say(row), flush=True)
    return [row for row in rows if any(row.values())]


def train_all(asked: argparse.Namespace) -> int:
    rows = with_rows(asked, asked.jobs, lambda number, folder: trained(asked, number, folder),
                     lambda row: f"P={row['ranks']} M={row['microbatches']} {'found' if row['found'] else 'named'}: measured "
                                 f"{row['measured_s'] or 0:.3f} s, losses {row['losses']}")
    ended = [row for row in rows if row["losses"] != "no program"]
    print(f"{len(ended)} of {asked.jobs} programs trained and ended, {sum(row['found'] for row in ended)} of them by a found "
          f"order; {sum(row['safe'] for row in ended)} cannot block. {len(rows) - len(ended)} have no program: a named "
          "schedule is the result.")
    return 0 if all(row["safe"] for row in ended) else 1


def play_all(asked: argparse.Namespace) -> int:
    drawn = jobs(asked)
    rows = with_rows(asked, asked.jobs, lambda number, folder: played(asked, drawn[number], folder), said)
    differences = [row["difference"] for row in rows]
    print(f"{len(rows)} of {asked.jobs} jobs fit and ended, {sum(row['found'] for row in rows)} of them with a found "
          f"order; {sum(row['safe'] for row in rows)} cannot block. {sum(abs(d) <= NEAR for d in differences)} are within "
          f"2 % of the prediction, median {100 * median(differences):+.2f} %, from {100 * min(differences):+.2f} to "
          f"{100 * max(differences):+.2f} %.")
    return 0 if all(row["safe"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
