#!/usr/bin/env python3
"""Found orders against the best named schedule, on random jobs: a study of `spillway synthesize`.

usage: bench/synthesis.py SPILLWAY [--jobs 1000] [--seed 1] [--effort 2000] [--per-draw 500] [--processes 2]
                          [--csv FILE] [--svg FILE]

A job has 2 to 16 ranks, 4 to 128 microbatches, an encoder of 2 to 60 % of the work (frozen or trained; one of three
mixes of images that are drawn, or sizes that are all alike), and memory from 0.6 times that of 1F1B to no limit. The
search starts from every named system and skeleton that can play the job. It sees planning draws; both the found and the
named schedule are judged on 16 others. With --per-draw each of these 16 steps is also planned from its own sizes, with
so many orders tried, and compared with the best named schedule that may know them. Where the plan takes longer than the
step before it, the rest is charged.

A job is a row of the CSV, written as soon as it is there. If the CSV has rows of the same options already, the run goes on
behind them; with --jobs as many as it has, it only says what they hold. The picture has the distribution of speedups, and the median
gain by the job's properties. A job of 512 microbatches on ranks (ranks x microbatches) has the stated effort, smaller ones
up to four times as much, larger ones down to half. The last lines say where synthesis gains, and whether these hold, else
the exit status is 1:
  noise    no found order is slower than the best named schedule by more than the noise of the judged draws, which is
           the half width of the 95 % interval of the mean speedup over the draws, and 0.1 %
  bound    no found order is below the bound of its passes
  memory   an order that fits holds no more than the limit in any judged draw: if images are drawn, the planning draws
           cannot promise it, so the share of jobs that keep the limit is printed, and the others are left out of the
           comparison, since a named schedule beside them may fit
  gap      the mean gap to the bound is 2 % or less for at most 8 ranks and 32 microbatches of equal sizes without a
           limit of memory, which the bound does not see"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, median
from typing import Any, Callable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from drawing import picture  # noqa: E402

TOOK = re.compile(r"planning a draw took ([0-9.]+) (us|ms|s) ")
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


def closed(named_s: float, found_s: float, bound_s: float) -> float | str:
    """The share of the gap that is closed, if the named schedule is more than 5 % above the bound."""
    return (named_s - found_s) / (named_s - bound_s) if named_s > 1.05 * bound_s else ""


def known(found: dict[str, Any], told: str) -> dict[str, Any]:
    """The columns of steps that are planned from their own sizes."""
    draws = found["each_draw"]
    if not draws:
        return {key: "" for key in ("known_named", "known_named_s", "known_s", "known_bound_s", "plan_s", "known_closed")}
    number, unit = TOOK.search(told).groups()
    plan_s = float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]
    named_s, step_s = mean_of(draws["best_named"]["makespan_s"]), mean_of(draws["makespan_s"])
    found_s, bound_s = step_s + max(0, plan_s - step_s), mean_of(draws["lower_bound_s"])
    return {"known_named": draws["best_named"]["name"], "known_named_s": named_s, "known_s": found_s,
            "known_bound_s": bound_s, "plan_s": plan_s, "known_closed": closed(named_s, found_s, bound_s)}


def scaled(tries: int, job: Job) -> int:
    return round(tries * min(4, max(0.5, 512 / (job.ranks * job.microbatches))))


def played(program: str, job: Job, effort: int, per_draw: int = 0) -> dict[str, Any]:
    """A row: the job, and its figures; or "infeasible"; or "alone" if the found order fits and no named schedule does."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(document(job)))
        each = ["--per-draw", str(per_draw)] if per_draw else []
        done = subprocess.run([program, "synthesize", str(path), "--effort", str(effort), *each, "--json"],
                              capture_output=True, text=True)
    row: dict[str, Any] = job._asdict()
    if done.returncode == 3:
        return row | {"result": "infeasible"}
    if done.returncode != 0:
        sys.exit(f"{job}: exit status {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)
    if found["best_named"]["fits"] is False and found["fits"]:
        return row | {"result": "alone", "found_s": mean_of(found["makespan_s"])}
    named_s, found_s = mean_of(found["best_named"]["makespan_s"]), mean_of(found["makespan_s"])
    speedup, bound = found["speedup"], found["lower_bound_s"]
    return row | {
        "result": "named" if found["is_named"] else "found", "named": found["best_named"]["name"], "named_s": named_s,
        "found_s": found_s, "bound_s": bound, "gap": found["gap"], "optimal": found["optimal"],
        "speedup": mean_of(speedup), "noise": speedup["ci95"] if isinstance(speedup, dict) else 0.0,
        "fits": found["fits"], "closed": closed(named_s, found_s, bound), "made": found["made"]
    } | known(found, done.stderr)


def bars(values: list[tuple[str, float, str]], left: int, top: int) -> str:
    """Bars with a name below and a text above each."""
    high = max(max(value for _, value, _ in values), 1e-9)
    return "".join(
        f'<rect x="{left + 34 * i}" y="{top + 110 - 100 * max(0, value) / high:.1f}" width="28" '
        f'height="{100 * max(0, value) / high:.1f}" class="bar"/><text x="{left + 14 + 34 * i}" y="{top + 123}" '
        f'text-anchor="middle">{name}</text><text x="{left + 14 + 34 * i}" y="{top + 106 - 100 * max(0, value) / high:.1f}" '
        f'text-anchor="middle">{text}</text>' for i, (name, value, text) in enumerate(values))


def write_svg(path: Path, rows: list[dict[str, Any]]) -> None:
    """Draws how many jobs gain how much, in steps of 1 %, and the median gain by properties."""
    gains = [row["speedup"] - 1 for row in rows]
    steps = [0] * (max(0, int(100 * max(gains))) + 1)
    for gain in gains:
        steps[max(0, int(100 * gain))] += 1
    parts = [bars([(str(i), n, str(n)) for i, n in enumerate(steps)], 20, 30),
             f'<text x="20" y="20">jobs by % faster than the best named schedule (n = {len(gains)})</text>']
    left, top = 20, 195
    for key, name in (("share", "encoder share"), ("mix", "images"), ("ranks", "ranks"), ("microbatches", "microbatches")):
        groups: dict[Any, list[float]] = {}
        for row in rows:
            groups.setdefault(row[key], []).append(100 * (row["speedup"] - 1))
        values = [(str(group)[:5], median(own), f"{median(own):.1f}") for group, own in sorted(groups.items())]
        parts.append(bars(values, left, top) + f'<text x="{left}" y="{top - 6}">median gain in %, by {name}</text>')
        left += 34 * len(values) + 40
        if left > 500:
            left, top = 20, top + 165
    width = max(640, 60 + 34 * len(steps))
    path.write_text(picture(width, 500, 10, *parts))


def say_where(rows: list[dict[str, Any]], key: str, group: Callable[[Any], str]) -> str:
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(group(row[key]), []).append(row["speedup"] - 1)
    return f"By {key}, the median gain is " + ", ".join(
        f"{100 * median(gains):.1f} % ({name}, n = {len(gains)})" for name, gains in sorted(groups.items())) + "."


def say_closed(terms: str, shares: list[Any]) -> None:
    far = [share for share in shares if share != ""]
    if far:
        print(f"With {terms}, {len(far)} jobs have a best named schedule more than 5 % above the bound; the median closes "
              f"{100 * median(far):.0f} % of that gap.")


def value_of(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def rows_of(path: Path | None) -> list[dict[str, Any]]:
    """The rows of a CSV, which write_rows wrote; none if there is no such file."""
    if not path or not path.exists():
        return []
    with path.open(newline="") as file:
        return [{key: value_of(text or "") for key, text in row.items()} for row in csv.DictReader(file)]


def write_rows(path: Path | None, rows: list[dict[str, Any]]) -> None:
    """Replaces the CSV at once: a run that is stopped leaves whole rows."""
    if not path:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    passing = path.with_suffix(".passing")
    with passing.open("w", newline="") as file:
        writer = csv.DictWriter(file, max(map(list, rows), key=len))
        writer.writeheader()
        writer.writerows(rows)
    passing.replace(path)


def all_played(asked: argparse.Namespace, jobs: list[Job]) -> list[dict[str, Any]]:
    """The rows in the order of the jobs. Each is in the CSV as soon as it is there, and all before it are."""
    rows = rows_of(asked.csv)[:len(jobs)]
    if any(tuple(row[key] for key in Job._fields) != job for row, job in zip(rows, jobs)):
        sys.exit(f"{asked.csv}: expected the rows of these jobs, found others")
    with ThreadPoolExecutor(asked.processes) as pool:
        for row in pool.map(lambda job: played(asked.spillway, job, scaled(asked.effort, job),
                                                         scaled(asked.per_draw, job)), jobs[len(rows):]):
            rows.append(row)
            write_rows(asked.csv, rows)
    return rows


def held(ended: list[dict[str, Any]], rows: list[dict[str, Any]]) -> bool:
    slower = [row for row in rows if 1 - row["speedup"] > row["noise"] + SAME]
    below = [row for row in rows if row["gap"] < 0]
    over = [row for row in ended if row["fits"] is False and row["mix"] == "alike"]
    small = [row["gap"] for row in rows if row["mix"] == "alike" and row["ranks"] <= 8 and row["microbatches"] <= 32
             and not row["memory"]]
    keep = [row["fits"] is not False for row in ended if row["memory"]]
    print(f"noise: {len(slower)} of {len(rows)} jobs are slower than named by more than the noise")
    print(f"bound: {len(below)} jobs are below the bound")
    print(f"memory: {len(over)} jobs of equal sizes are above the limit; "
          f"{sum(keep)} of {len(keep)} limited jobs keep it in all judged draws")
    print(f"gap: {100 * fmean(small) if small else 0:.2f} % in the mean of {len(small)} small jobs of equal sizes")
    return not slower and not below and not over and (not small or fmean(small) <= 0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    for option, default in (("--jobs", 1000), ("--seed", 1), ("--effort", 2000), ("--per-draw", 0), ("--processes", 2)):
        parser.add_argument(option, type=int, default=default)
    for option in ("--csv", "--svg"):
        parser.add_argument(option, type=Path)
    asked = parser.parse_args()
    stream = random.Random(asked.seed)
    jobs = [drawn_job(stream) for _ in range(asked.jobs)]
    rows = all_played(asked, jobs)
    ended = [row for row in rows if row["result"] in ("found", "named")]
    # Beyond the limit in a judged draw, a found order and a named one are not at equal memory.
    solved = [row for row in ended if row["fits"] is not False]
    if asked.svg:
        write_svg(asked.svg, solved)
    gains = [row["speedup"] - 1 for row in solved]
    results = [row["result"] for row in rows]
    print(f"{len(rows)} jobs, {results.count('infeasible')} of them fit in no order, {results.count('alone')} in a found "
          f"one alone, {len(ended) - len(solved)} hold too much in a judged draw. {sum(g > SAME for g in gains)} found "
          f"orders are faster than every named schedule, by {100 * median(gains):.1f} % in the median of all jobs and "
          f"{100 * max(gains):.1f} % at most.")
    say_closed("one order for all draws", [row["closed"] for row in solved])
    if asked.per_draw:
        # Draws that do not differ are known to every plan.
        say_closed("an order for each draw", [row["known_closed"] if row["known_s"] != "" else row["closed"]
                                              for row in solved])
    print(say_where(solved, "share", lambda share: f"encoder {100 * share:2.0f} %"))
    print(say_where(solved, "mix", str))
    print(say_where(solved, "ranks", lambda ranks: f"{ranks:2} ranks"))
    print(say_where(solved, "microbatches", lambda count: f"{count:3} microbatches"))
    return 0 if held(ended, solved) else 1


if __name__ == "__main__":
    sys.exit(main())
