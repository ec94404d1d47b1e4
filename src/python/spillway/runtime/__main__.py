"""python3 -m spillway.runtime: one process of a job, as torchrun starts it, or by itself the start of all of them.

What is bad input is refused without PyTorch, which takes longer to load than all else here."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys

from ..errors import InputError
from .arguments import BACKENDS, at_least_one, check_folder, positive
from .document import check_processes, read
from .launch import launch
from .watch import block_signals


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="spillway.runtime", description="Trains a model by a program.")
    parser.add_argument("program", help="of `spillway derive EXPERIMENT --format program`")
    parser.add_argument("--model", required=True, help="a Python file: layer, batch and loss; examples/small_vlm.py")
    parser.add_argument("--steps", type=at_least_one, default=1, help="to train (default 1)")
    parser.add_argument("--out", help="a folder for the trace")
    parser.add_argument("--seconds", type=positive, default=60, help="no action may take longer (default 60)")
    parser.add_argument("--device", choices=BACKENDS, default="cpu", help="only cpu has been tried")
    parser.add_argument("--profile", action="store_true", help="with --out: profile/ by torch.profiler; slower")
    return parser.parse_args()


def main() -> int:
    options, place = arguments(), os.environ.get("RANK")  # --help needs no PyTorch
    if importlib.util.find_spec("torch") is None:
        sys.exit("spillway.runtime: expected PyTorch (Debian: python3-torch), found none")
    try:
        program = read(options.program)
        if options.out:
            check_folder("--out", options.out)
        if place is None:
            return launch(len(program["programs"]), sys.argv[1:])
        check_processes(options.program, program, int(os.environ["WORLD_SIZE"]))
        block_signals()  # before torch makes threads
        from .job import train

        return train(options, program, int(place))
    except InputError as error:  # every process finds the same
        if place in (None, "0"):
            print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
