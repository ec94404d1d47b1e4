#!/usr/bin/env python3
"""What more tries give: how a search gets on over its effort, as a picture.

usage: bench/effort.py SPILLWAY [--ranks 16] [--microbatches 64] [--draws 64] [--share 0.3] [--mix servegen]
                       [--short 4000] [--long 240000] [--kept FOLDER] [--csv FILE] [--svg FILE]

Searches one job of bench/synthesis.py three times: with one try, with `--short` and with `--long` tries. The first tells
the time of planning the named schedules and of judging, which is in all three; the processor time beyond it is that of
the tries. The picture has the shortest step on the searched draws after each number of tries. The last line says which
share of the gain of the long search the short one has, on the planning draws that compare orders with named schedules.
It has to be 90 % or more, else the exit status is 1. --kept FOLDER keeps what each search found and how long it took; a
run that was stopped goes on behind them."""

from __future__ import annotations

import argparse
import csv
import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthesis  # noqa: E402
from drawing import picture  # noqa: E402

ENOUGH = 0.9


def kept(folder: Path | None, job: synthesis.Job, draws: int, program: str, document: dict[str, Any],
         effort: int) -> tuple[dict[str, Any], float]:
    """searched(), once for each folder, job and effort."""
    if not folder:
        return searched(program, document, effort)
    path = folder / ("-".join(map(str, (*job, draws, effort))) + ".json")
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        passing = path.with_suffix(".passing")
        passing.write_text(json.dumps(searched(program, document, effort)))
        passing.replace(path)
    found, seconds = json.loads(path.read_text())
    return found, seconds


def searched(program: str, document: dict[str, Any], effort: int) -> tuple[dict[str, Any], float]:
    """What was found, and the processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(document))
        done = subprocess.run([program, "synthesize", str(path), "--effort", str(effort), "--json"], capture_output=True,
                              text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def write_svg(path: Path, found: dict[str, Any], short: int) -> None:
    """Draws the step over the effort (logarithmic), and where the short search ended."""
    curve = [(one["effort"], one["step_s"]) for one in found["progress"]] + [(found["effort"], 0.0)]
    curve[-1] = (found["effort"], curve[-2][1])
    low, high = found["progress"][-1]["step_s"], found["progress"][0]["step_s"]
    low -= 0.05 * (high - low)
    x = lambda effort: 70 + 480 * math.log(max(1, effort)) / math.log(max(2, found["effort"]))
    y = lambda step: 20 + 220 * (high - step) / (high - low)
    line = f"M{x(1):.1f},{y(curve[0][1]):.1f}" + "".join(
        f"H{x(effort):.1f}V{y(step):.1f}" for effort, step in curve)
    ticks = "".join(f'<text x="{x(10 ** k):.1f}" y="262" text-anchor="middle">{10 ** k}</text>'
                    for k in range(int(math.log10(found["effort"])) + 1))
    marks = "".join(f'<text x="64" y="{y(step) + 4:.1f}" text-anchor="end">{step:.3f} s</text>'
                    for step in (high, found["progress"][-1]["step_s"]))
    path.write_text(picture(
        600, 290, 11, f'<path d="{line}" fill="none" class="curve" stroke-width="2"/><path d="M{x(short):.1f},20V245" '
        f'class="beside" stroke-dasharray="4"/><text x="{x(short) - 4:.1f}" y="16" text-anchor="end">short search</text>'
        f'{ticks}{marks}<text x="70" y="282">orders tried; the best step on the searched draws</text>'))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    for option, default in (("--ranks", 16), ("--microbatches", 64), ("--draws", 64), ("--short", 4000),
                            ("--long", 240000)):
        parser.add_argument(option, type=int, default=default)
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--mix", default="servegen", choices=sorted(synthesis.MIXES))
    for option in ("--kept", "--csv", "--svg"):
        parser.add_argument(option, type=Path)
    asked = parser.parse_args()
    job = synthesis.Job(asked.ranks, asked.microbatches, asked.share, asked.mix, True, 0)
    document = synthesis.document(job) | {"draws": asked.draws}
    (_, planning_s), (short, short_s), (long, long_s) = (
        kept(asked.kept, job, asked.draws, asked.spillway, document, effort) for effort in (1, asked.short, asked.long))
    if asked.csv:
        with asked.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["effort", "step_s"])
            writer.writeheader()
            writer.writerows(long["progress"])
    if asked.svg:
        write_svg(asked.svg, long, short["effort"])
    gains = [one["planned_named_s"] - one["planned_s"] for one in (short, long)]
    share = gains[0] / gains[1] if gains[1] > 0 else 1.0
    print(f"best named {short['planned_named_s']:.4f} s, planned in {planning_s:.1f} s; {short['effort']} tries in "
          f"{short_s - planning_s:.1f} s: {short['planned_s']:.4f} s; {long['effort']} tries in {long_s - planning_s:.1f} s: "
          f"{long['planned_s']:.4f} s")
    print(f"the short search has {100 * share:.0f} % of the gain of the long one")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
