"""python3 -m spillway.runtime: one process of a job, as torchrun starts it, or by itself the start of all of them."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from datetime import timedelta
from typing import Any

from .watch import START, Watch, block_signals

STARTED = "RANK" in os.environ
if STARTED:
    block_signals()  # before torch makes threads

try:
    import torch
    import torch.distributed as dist
    from torch.distributed.rendezvous import rendezvous
except ImportError:
    sys.exit("spillway.runtime: expected PyTorch (Debian: python3-torch), found none")

from ..errors import InputError  # noqa: E402
from .arguments import BACKENDS, at_least_one, check_folder, positive, refuse  # noqa: E402
from .document import check_processes, read  # noqa: E402
from .launch import launch  # noqa: E402
from .model import Model  # noqa: E402
from .rank import Rank  # noqa: E402
from .trace import Records, merge  # noqa: E402
from .wires import Wires  # noqa: E402


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
    options = arguments()
    try:
        program = read(options.program)
        if options.out:
            check_folder("--out", options.out)
        if not STARTED:
            return launch(len(program["programs"]), sys.argv[1:])
        check_processes(options.program, program, int(os.environ["WORLD_SIZE"]))
        local = int(os.environ.get("LOCAL_RANK", 0))
        if options.device != "cpu" and not (hasattr(torch, options.device) and getattr(torch, options.device).is_available()):
            raise refuse("--device", "one that PyTorch finds here", options.device)
        device = torch.device("cpu") if options.device == "cpu" else torch.device(options.device, local)
        model = Model(options.model, program, device)
    except InputError as error:  # every process finds the same
        if os.environ.get("RANK", "0") == "0":
            print(error, file=sys.stderr)
        return 2
    return train(options, program, model, int(os.environ["RANK"]))


def train(options: argparse.Namespace, program: dict, model: Model, place: int) -> int:
    actions = program["programs"][place]["actions"]
    replica, rank = divmod(place, program["ranks"])
    who = f"rank {rank} of replica {replica}"
    os.environ.setdefault("USE_LIBUV", "0")  # PyTorch 2.6 asks for it, but Debian's has none
    waits = timedelta(seconds=max(options.seconds, START))
    store, watched = (next(rendezvous("env://", timeout=waits))[0] for _ in range(2))  # connections of their own
    watch = Watch(who, actions, dist.PrefixStore("watch", watched), options.seconds)
    watch.start()
    try:
        patience = 2 * waits  # the watch is the first to speak
        dist.init_process_group(
            BACKENDS[options.device], store=store, rank=place, world_size=len(program["programs"]),
            timeout=patience,
        )  # fmt: skip
        records = Records(program, place)
        job = Rank(program, place, model, Wires(program, patience.total_seconds()), watch, records)
        with profiler(options) as profile:
            losses = job.run(options.steps)
        if options.out:
            records.write(options.out, place)
            if profile:
                os.makedirs(os.path.join(options.out, "profile"), exist_ok=True)
                profile.export_chrome_trace(os.path.join(options.out, "profile", f"rank-{place:03}.json"))
            job.wires.barrier()
            if place == 0:
                merge(options.out, program)
        watch.finish()
    except InputError as error:
        watch.fail(2, str(error))
    except Exception as error:
        if not isinstance(error, RuntimeError):  # as torch.distributed raises
            traceback.print_exc()
        watch.fail(1, f"{who}: failed in {watch.doing()}: {type(error).__name__}: {error}")
    if place == 0:
        for step, loss in enumerate(losses):
            print(f"step {step}: loss {loss:.8g}, {job.seconds[step]:.6f} s")
    dist.destroy_process_group()
    return 0


def profiler(options: argparse.Namespace) -> Any:
    if not (options.out and options.profile):
        return contextlib.nullcontext()
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


if __name__ == "__main__":
    sys.exit(main())
