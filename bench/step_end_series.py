#!/usr/bin/env python3
"""Fits t = a x microbatches + b to the measured and to the predicted steps of a series.

A series is the cases of one table whose names match a pattern, with the same layout but for microbatches and
replicas. Its slope a is the time of a microbatch in steady state. Its intercept b is the rest: the bubble,
reductions that nothing hides, and the end of the step. Errors of a step hide errors of the two that cancel.

  bench/step_end_series.py build/spillway TABLE.json 'gpt3-h100-.*-cw-v30'
"""

import json
import re
import subprocess
import sys


def fit(points):
    """Returns slope and intercept of the least squares line."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if count < 2 or spread == 0:
        sys.exit("a series needs two numbers of microbatches")
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return slope, mean_y - slope * mean_x


def microbatches_of(table):
    """Returns the number of microbatches of each case by name."""
    whole = table["experiment"].get("pipeline", {})
    found = {}
    for case in table["cases"]:
        changes = case.get("set", {})
        pipeline = changes.get("/pipeline", whole)
        found[case["name"]] = changes.get("/pipeline/microbatches", pipeline.get("microbatches"))
    return found


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, path, patterns = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(path, encoding="utf-8") as file:
        microbatches = microbatches_of(json.load(file))
    out = subprocess.run([program, "validate", path, "--json"], check=True, capture_output=True, text=True)
    cases = json.loads(out.stdout)["cases"]
    print(f"{'series':32} {'cases':>5} {'a measured':>11} {'predicted':>10} {'error':>8} "
          f"{'b measured':>11} {'predicted':>10} {'error':>8}")
    for pattern in patterns:
        series = [c for c in cases if re.fullmatch(pattern, c["name"])]
        measured, predicted = (fit([(microbatches[c["name"]], c[key]) for c in series])
                               for key in ("measured_s", "predicted_s"))
        line = f"{pattern:32} {len(series):5}"
        for was, said in zip(measured, predicted):
            line += f" {was:9.4f} s {said:8.4f} s {100 * (said / was - 1):+6.1f} %"
        print(line)


if __name__ == "__main__":
    main()
