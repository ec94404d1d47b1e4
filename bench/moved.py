#!/usr/bin/env python3
"""What moved between two versions: the steps of the shipped experiments that both have, by each version's own files.

usage: bench/moved.py OLD NEW, the roots of two clones in which `make build` ran       (a minute)

It prints the first table of CHANGELOG.md: of each experiment that moved the schedule that moved most, and how many of
its schedules stay within a tenth of a percent. Steps are of the longest path, means over the file's draws."""

import argparse
import json
import subprocess
from pathlib import Path


def figure(value):
    return value["mean"] if isinstance(value, dict) else value


def steps(root: Path, name: str) -> dict:
    """Seconds by the name of the schedule; none where the version refuses the file."""
    told = subprocess.run(
        [root / "build/spillway", "run", f"workloads/experiments/{name}.json", "--engine", "longest-path", "--json"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    schedules = json.loads(told.stdout)["schedules"] if told.stdout else []
    return {schedule["name"]: figure(schedule["makespan_s"]) for schedule in schedules}


def row(name: str, old: dict, new: dict) -> str:
    both = {schedule: (old[schedule], new[schedule]) for schedule in new if schedule in old}
    moved = {schedule: b / a - 1 for schedule, (a, b) in both.items() if abs(b / a - 1) >= 1e-3}
    if not moved:
        return ""
    most = max(moved, key=lambda schedule: abs(moved[schedule]))
    before, after = both[most]
    still = f"{len(both) - len(moved)} of {len(both)}"
    return f"| {name} | {most} | {before:.4g} s | {after:.4g} s | {100 * moved[most]:+.1f} % | {still} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    given = parser.parse_args()
    old, new = given.old.resolve(), given.new.resolve()
    print("| experiment | schedule that moved most | old | new | change | within 0.1 % |\n|---|---|---|---|---|---|")
    unmoved = []
    for file in sorted((old / "workloads/experiments").glob("*.json")):
        if not (new / "workloads/experiments" / file.name).exists():
            continue
        text = row(file.stem, steps(old, file.stem), steps(new, file.stem))
        print(text, end="\n" if text else "")
        if not text:
            unmoved.append(file.stem)
    print("\nnothing moved in", ", ".join(unmoved))


if __name__ == "__main__":
    main()
