#!/usr/bin/env python3
"""Plays ten schedules with real messages (spillway execute), beside their predictions.

usage: bench/executed.py SPILLWAY [--ranks 4] [--microbatches N] [--steps 5] [--time-scale 1] [--only NAME]

The shortest pass takes 20 ms, a message has 4 MB and takes 4 ms. Each row is the median of the steps, and the largest
error of `spillway validate` on the trace. The load is that of the minute before: other programs on the machine delay
what is measured. Needs as many processes as ranks; they sleep most of the time, so that two cores are enough for eight."""

import argparse
import json
import os
import subprocess
import tempfile

SCHEDULES = [
    ("gpipe", {"schedule": "gpipe"}),
    ("1f1b", {"schedule": "1f1b"}),
    ("interleaved 1f1b", {"schedule": "1f1b,1f1b", "cut": "half"}),
    ("zb-h1", {"schedule": "zb-h1"}),
    ("zb-v", {"schedule": "zb-v"}),
    ("dualpipe", {"schedule": "dualpipe"}),
    ("mpipe", {"schedule": "transpose,1f1b", "cut": "encoder", "owner": "greedy"}),
    ("encode-first", {"system": "encode-first", "moves_samples": False}),
    ("encode-in-bubbles", {"system": "encode-in-bubbles", "moves_samples": False}),
    ("mpipe-released", {"system": "mpipe-released"}),
]
BLOCKING = ["1f1b", "dualpipe", "mpipe"]


def experiment(name: str, schedule: dict, ranks: int, microbatches: int, p2p: str) -> dict:
    cuts = {"half": [5 * ranks // 2], "encoder": [ranks]}
    keys = {key: cuts.get(value, value) if key == "cut" else value for key, value in schedule.items()}
    encoder = {"forward_ms": 20, "input_gradient_ms": 20, "weight_gradient_ms": 20, "output_bytes": 4 << 20}
    layer = {"forward_ms": 10, "input_gradient_ms": 10, "weight_gradient_ms": 10, "fused_forward_backward_ms": 28}
    return {
        "schema": "spillway/experiment/1",
        "name": "executed",
        "pipeline": {"ranks": ranks, "microbatches": microbatches},
        "model": {
            "blocks": [
                {
                    "name": "enc",
                    "role": "encoder",
                    "layers": ranks,
                    "trainable": name not in ("encode-first", "encode-in-bubbles"),
                    "profile": {**encoder, "activation_bytes": 1e6},
                    "work_per_microbatch": [1 + 0.25 * (m % 3) for m in range(microbatches)],
                },
                {
                    "name": "llm",
                    "layers": 4 * ranks,
                    "trainable": True,
                    "profile": {**layer, "output_bytes": 4 << 20, "activation_bytes": 1e6},
                },
            ]
        },
        "network": {"p2p_ms": 4, "p2p": p2p},
        "schedules": [{"name": name, **keys}],
    }


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def row(options: argparse.Namespace, folder: str, name: str, schedule: dict, p2p: str) -> str:
    job, program = os.path.join(folder, "experiment.json"), os.path.join(folder, "program.json")
    with open(job, "w", encoding="utf-8") as file:
        json.dump(experiment(name, schedule, options.ranks, options.microbatches, p2p), file)
    with open(program, "w", encoding="utf-8") as file:
        file.write(output_of(options.spillway, "derive", job, "--schedule", name, "--format", "program"))
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    out = ["--out", folder, "--steps", str(options.steps), "--time-scale", str(options.time_scale), "--json"]
    ranks = ["mpirun", "-n", str(options.ranks), "--oversubscribe", *as_root]
    played = json.loads(output_of(*ranks, options.spillway, "execute", program, *out))
    steps = played["steps_s"]
    return (
        f"{name:18} {p2p:10} {played['predicted_s']:9.3f} {played['measured_s']:9.3f} "
        f"{100 * played['difference']:+7.2f} %  {min(steps):6.3f} to {max(steps):6.3f} "
        f"{replayed(options, folder):>22}  {os.getloadavg()[0]:5.1f}"
    )


def replayed(options: argparse.Namespace, folder: str) -> str:
    command = [options.spillway, "validate", os.path.join(folder, "trace.csv"), "--json"]
    read = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if read.returncode != 0:
        return "not read"
    document = json.loads(read.stdout)
    error = document["summary"]["replayed"]["max_abs_error"]
    return f"{document['schedule']}: {100 * error:.3f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--microbatches", type=int, help="twice the ranks unless it is stated")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--time-scale", type=float, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.microbatches = options.microbatches or 2 * options.ranks
    print("schedule           transfers  predicted  measured  difference  from      to  replay, largest error   load")
    with tempfile.TemporaryDirectory() as folder:
        for p2p in ("overlapped", "blocking"):
            for name, schedule in SCHEDULES:
                if (p2p == "overlapped" or name in BLOCKING) and options.only in name:
                    print(row(options, folder, name, schedule, p2p), flush=True)


main()
