#!/usr/bin/env python3
"""Found orders against the best named schedule, on random jobs: a study of `spillway synthesize`.

usage: bench/synthesis.py SPILLWAY [--jobs 1000] [--seed 1] [--effort 2000] [--processes 2] [--csv FILE] [--svg FILE]

A job has 2 to 16 ranks, 4 to 128 microbatches, an encoder of 2 to 60 % of the work (frozen or trained; one of three
mixes of images that are drawn, or sizes that are all alike), and memory from 0.6 times that of 1F1B to no limit. The
search starts from every named system and skeleton that can play the job. It sees planning draws; both the found and the
named schedule are judged on 16 others.

A job is a row of the CSV. The picture has the distribution of speedups. The last lines say where synthesis gains, and
whether these hold, else the exit status is 1:
  noise    no found order is slower than the best named schedule by more than the noise of the judged draws, which is
           the half width of the 95 % interval of the mean speedup over the draws, and 0.1 %
  bound    no found order is below the bound of its passes
  memory   an order that fits holds no more than the limit in any judged draw: if images are drawn, the planning draws
           cannot promise it, and the share of jobs that keep the limit is printed alone
  gap      the mean gap to the bound is 2 % or less for at most 8 ranks and 32 microbatches of equal sizes without a
           limit of memory, which the bound does not see"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, median
from typing import Any, Callable, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MIXES = {"coco": ("coco_val2017.csv", 2048), "mathvista": ("mathvista_testmini.csv", 2048),
         "servegen": ("servegen_image_tokens.csv", 5198), "alike": (None, 0)}
LAYER_MS, ACTIVATION_BYTES, SAME = 4.0, 1e8, 1e-3


class Job(NamedTuple):
    ranks: int
    microbatches: int
    share: float  # of the encoder's work
    mix: str
    trained: bool
    memory: float  # times what 1F1B holds; 0: no limit


def drawn_job(stream: random.Random) -> Job:
    return Job(stream.choice([2, 3, 4, 6, 8, 12, 16]), stream.choice([4, 8, 16, 24, 32, 64, 128]),
               stream.choice([0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6]), stream.choice(sorted(MIXES)),
               stream.random() < 0.7, stream.choice([0, 0, 0.6, 1.0, 1.5, 3.0]))


def document(job: Job) -> dict[str, Any]:
    layers = 4 * job.ranks
    encoder = layers * job.share / (1 - job.share)  # in layers of the backbone
    encoder_layers = max(2, job.ranks)

    def block(name: str, role: str, count: int, of_one: float, trained: bool) -> dict[str, Any]:
        profile = {key: LAYER_MS * of_one for key in ("forward_ms", "input_gradient_ms", "weight_gradient_ms")}
        held = {"activation_bytes": ACTIVATION_BYTES * of_one,
                "weight_gradient_activation_bytes": ACTIVATION_BYTES * of_one / 2}
        return {"name": name, "role": role, "layers": count, "trainable": trained, "profile": profile | held}

    blocks = [block("enc", "encoder", encoder_layers, encoder / encoder_layers, job.trained),
              block("llm", "backbone", layers, 1, True)]
    trace, patches = MIXES[job.mix]
    if trace:
        blocks[0]["image_work"] = {"profile_patches": patches, "trace": str(ROOT / "workloads/traces" / trace),
                                   "images_per_sample": 1, "samples_per_microbatch": 2}
    made: dict[str, Any] = {
        "schema": "spillway/experiment/1", "name": "random", "draws": 16, "seed": 1, "model": {"blocks": blocks},
        "pipeline": {"ranks": job.ranks, "microbatches": job.microbatches}, "network": {"p2p_ms": 0.3},
        "schedules": [{"name": "balanced", "schedule": "1f1b", "split": "balanced"}]}
    if job.memory:
        made["memory"] = {"limit_gb": job.memory * (layers + encoder) * ACTIVATION_BYTES / 1e9}
    return made


def mean_of(figure: Any) -> float:
    return figure["mean"] if isinstance(figure, dict) else figure


def played(program: str, job: Job, effort: int) -> dict[str, Any]:
    """A row: the job, and its figures or "infeasible"."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(document(job)))
        done = subprocess.run([program, "synthesize", str(path), "--effort", str(effort), "--json"],
                              capture_output=True, text=True)
    row: dict[str, Any] = job._asdict()
    if done.returncode == 3:
        return row | {"result": "infeasible"}
    if done.returncode != 0:
        sys.exit(f"{job}: exit status {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)
    named_s, found_s = mean_of(found["best_named"]["makespan_s"]), mean_of(found["makespan_s"])
    speedup, bound = found["speedup"], found["lower_bound_s"]
    return row | {
        "result": "named" if found["is_named"] else "found", "named": found["best_named"]["name"], "named_s": named_s,
        "found_s": found_s, "bound_s": bound, "gap": found["gap"], "optimal": found["optimal"],
        "speedup": mean_of(speedup), "noise": speedup["ci95"] if isinstance(speedup, dict) else 0.0,
        "fits": found["fits"], "closed": (named_s - found_s) / (named_s - bound) if named_s > 1.05 * bound else ""}


def write_svg(path: Path, gains: list[float]) -> None:
    """Draws how many jobs gain how much, in steps of 1 %."""
    steps = [0] * (max(0, int(100 * max(gains))) + 2)
    for gain in gains:
        steps[max(0, int(100 * gain))] += 1
    bars = "".join(f'<rect x="{40 + 24 * i}" y="{180 - 160 * n / max(steps):.1f}" width="20" '
                   f'height="{160 * n / max(steps):.1f}" fill="#4477aa"/><text x="{50 + 24 * i}" y="195" '
                   f'text-anchor="middle">{i}</text>' for i, n in enumerate(steps))
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{80 + 24 * len(steps)}" height="220" '
                    f'font-family="sans-serif" font-size="11">{bars}<text x="40" y="212">% faster than the best named '
                    f'schedule (n = {len(gains)}; highest bar: {max(steps)} jobs)</text></svg>\n')


def say_where(rows: list[dict[str, Any]], key: str, group: Callable[[Any], str]) -> str:
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(group(row[key]), []).append(row["speedup"] - 1)
    return f"By {key}, the median gain is " + ", ".join(
        f"{100 * median(gains):.1f} % ({name}, n = {len(gains)})" for name, gains in sorted(groups.items())) + "."


def held(rows: list[dict[str, Any]]) -> bool:
    slower = [row for row in rows if 1 - row["speedup"] > row["noise"] + SAME]
    below = [row for row in rows if row["gap"] < 0]
    over = [row for row in rows if row["fits"] is False and row["mix"] == "alike"]
    small = [row["gap"] for row in rows if row["mix"] == "alike" and row["ranks"] <= 8 and row["microbatches"] <= 32
             and not row["memory"]]
    keep = [row["fits"] is not False for row in rows if row["memory"]]
    print(f"noise: {len(slower)} of {len(rows)} jobs are slower than named by more than the noise")
    print(f"bound: {len(below)} jobs are below the bound")
    print(f"memory: {len(over)} jobs of equal sizes are above the limit; "
          f"{sum(keep)} of {len(keep)} limited jobs keep it in all judged draws")
    print(f"gap: {100 * fmean(small) if small else 0:.2f} % in the mean of {len(small)} small jobs of equal sizes")
    return not slower and not below and not over and (not small or fmean(small) <= 0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    for option, default in (("--jobs", 1000), ("--seed", 1), ("--effort", 2000), ("--processes", 2)):
        parser.add_argument(option, type=int, default=default)
    for option in ("--csv", "--svg"):
        parser.add_argument(option, type=Path)
    asked = parser.parse_args()
    stream = random.Random(asked.seed)
    jobs = [drawn_job(stream) for _ in range(asked.jobs)]
    with ThreadPoolExecutor(asked.processes) as pool:
        rows = list(pool.map(lambda job: played(asked.spillway, job, asked.effort), jobs))
    solved = [row for row in rows if row["result"] != "infeasible"]
    if asked.csv:
        with asked.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(solved[0]))
            writer.writeheader()
            writer.writerows(rows)
    gains = [row["speedup"] - 1 for row in solved]
    if asked.svg:
        write_svg(asked.svg, gains)
    closed = [row["closed"] for row in solved if row["closed"] != ""]
    print(f"{len(rows)} jobs, {len(rows) - len(solved)} of them fit in no order. {sum(g > SAME for g in gains)} found "
          f"orders are faster than every named schedule, by {100 * median(gains):.1f} % in the median of all jobs and "
          f"{100 * max(gains):.1f} % at most.")
    if closed:
        print(f"Of {len(closed)} jobs whose best named schedule is more than 5 % above the bound, the median closes "
              f"{100 * median(closed):.0f} % of that gap.")
    print(say_where(solved, "share", lambda share: f"encoder {100 * share:2.0f} %"))
    print(say_where(solved, "mix", str))
    print(say_where(solved, "ranks", lambda ranks: f"{ranks:2} ranks"))
    print(say_where(solved, "microbatches", lambda count: f"{count:3} microbatches"))
    return 0 if held(solved) else 1


if __name__ == "__main__":
    sys.exit(main())
