#!/usr/bin/env python3
"""Plays the programs of found orders with real messages (spillway execute), beside their predictions.

usage: bench/found_programs.py SPILLWAY [--jobs 100] [--ranks 4] [--seed 1] [--effort 300] [--steps 3] [--scale 2]
                               [--microbatches 16] [--csv FILE]

Jobs are those of bench/synthesis.py with at most so many ranks and microbatches, and messages of 64 kB. Each is
synthesized; its program is checked (derive --check), and then played: a process for each rank, which sleep most of the
time. Times are longer by `--scale`, so that a late wake-up of a busy machine weighs less. A row has the predicted and
the measured step, the median of the steps. The last line says how many ended, how many found orders are among them, and
how many are within 2 %. The exit status is 1 if a program blocks or does not end."""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthesis  # noqa: E402

SMALL, NEAR = 65536, 0.02


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    for option, default in (("--jobs", 100), ("--ranks", 4), ("--microbatches", 16), ("--seed", 1), ("--effort", 300),
                            ("--steps", 3)):
        parser.add_argument(option, type=int, default=default)
    parser.add_argument("--scale", type=float, default=2)
    parser.add_argument("--csv", type=Path)
    asked = parser.parse_args()
    rows = []
    for job in jobs(asked):
        with tempfile.TemporaryDirectory() as folder:
            row = played(asked, job, folder)
        if row is None:
            continue
        rows.append(row)
        print(f"P={job.ranks} M={job.microbatches:2} {'found' if row['found'] else 'named'}: predicted "
              f"{row['predicted_s']:.3f} s, measured {row['measured_s']:.3f} s, {100 * row['difference']:+.2f} %",
              flush=True)
    if asked.csv:
        with asked.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    differences = [row["difference"] for row in rows]
    print(f"{len(rows)} of {asked.jobs} jobs fit and ended, {sum(row['found'] for row in rows)} of them with a found "
          f"order; {sum(row['safe'] for row in rows)} cannot block. {sum(abs(d) <= NEAR for d in differences)} are within "
          f"2 % of the prediction, median {100 * median(differences):+.2f} %, from {100 * min(differences):+.2f} to "
          f"{100 * max(differences):+.2f} %.")
    return 0 if all(row["safe"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
