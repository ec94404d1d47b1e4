"""One process of a job: it meets the others, executes its rank of the program, and writes what it measured."""

from __future__ import annotations

import argparse
import contextlib
import os
import traceback
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from ..errors import InputError
from .arguments import BACKENDS, refuse
from .model import Model
from .rank import Rank
from .trace import Records, merge
from .watch import START, Watch
from .wires import Wires


def train(options: argparse.Namespace, program: dict, place: int) -> int:
    """Raises InputError for what every process finds; what one finds, the watch tells the others."""
    model = Model(options.model, program, device_of(options.device))
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


def device_of(kind: str) -> torch.device:
    if kind == "cpu":
        return torch.device("cpu")
    if not (hasattr(torch, kind) and getattr(torch, kind).is_available()):
        raise refuse("--device", "one that PyTorch finds here", kind)
    return torch.device(kind, int(os.environ.get("LOCAL_RANK", 0)))


def profiler(options: argparse.Namespace) -> Any:
    if not (options.out and options.profile):
        return contextlib.nullcontext()
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
