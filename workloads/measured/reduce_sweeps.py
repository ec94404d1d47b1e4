#!/usr/bin/env python3
"""Reduces sweeps of NCCL's collectives to curves for "collectives" of a tier in platforms/*.json.

  reduce_sweeps.py FILE.csv SOURCE [OPERATION...]  > curves.json

FILE.csv has the columns op_name,nccl_dtype,num_gpus,message_size,latency (elements of the whole vector, of an
all-to-all those that each GPU holds, as nccl-tests counts; ms). SOURCE says where it comes from; without
OPERATIONs all of them are reduced. Of each sweep stay those sizes without which another would be off by more
than 3 % when read off between them, the worst first, at most 16.
"""
import csv
import json
import sys

OPERATIONS = {"all_reduce": "all-reduce", "all_gather": "all-gather", "reduce_scatter": "reduce-scatter",
              "alltoall": "all-to-all"}
MOST_POINTS = 16
TOLERANCE = 0.03
BYTES_OF_HALF = 2


def sweeps(path):
    """(operation, GPUs) -> [(bytes, us)], ascending, of rows in 16-bit floats."""
    found = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            if row["nccl_dtype"] == "half":
                point = BYTES_OF_HALF * int(row["message_size"]), 1e3 * float(row["latency"])
                found.setdefault((OPERATIONS[row["op_name"]], int(row["num_gpus"])), []).append(point)
    return {key: sorted(points) for key, points in sorted(found.items())}


def error(points, kept, i):
    """How far point i lies from the line between the nearest two that are kept, relative to its time."""
    if i in kept:
        return 0
    (left, early), (right, late) = points[max(k for k in kept if k < i)], points[min(k for k in kept if k > i)]
    size, time = points[i]
    return abs((early + (late - early) * (size - left) / (right - left)) / time - 1)


def reduced(points):
    kept = {0, len(points) - 1}
    while len(kept) < MOST_POINTS:
        worst = max(range(len(points)), key=lambda i: error(points, kept, i))
        if error(points, kept, worst) <= TOLERANCE:
            break
        kept.add(worst)
    return [points[i] for i in sorted(kept)]


def curve(operation, gpus, points, source):
    return {"operation": operation, "devices": gpus, "neighbours": 1, "kind": "measured",
            "source": f"{source}, {operation} among {gpus}: those of its {len(points)} sizes without which "
                      f"another would be off by more than {TOLERANCE:.0%}".replace("%", " %"),
            "points": [[size, float(f"{time:.4g}")] for size, time in reduced(points)]}


def main():
    path, source, *wanted = sys.argv[1:]
    print(json.dumps([curve(operation, gpus, points, source)
                      for (operation, gpus), points in sweeps(path).items() if not wanted or operation in wanted],
                     indent=2))


if __name__ == "__main__":
    main()
