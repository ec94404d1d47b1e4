"""Messages between devices, by torch.distributed: point to point, and all-reduces.

By itself, this starts a process for each device of the node. In a job of torchrun on several nodes (every process runs
`python -m spillway.measure`), the processes are those of the job, and messages between nodes are timed, too.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from typing import Any, Callable, NamedTuple, Optional

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

from ..runtime.arguments import BACKENDS
from .cases import ELEMENT_BYTES
from .device import Device

SIZES = [1024 * 4**i for i in range(9)]  # bytes as counted: to 64 MiB
MOST_CORES = 8  # of a CPU: more processes say nothing new
FEWEST, MOST = 5, 200  # repeats of a size
SLOWEST = 1e7  # bytes a second of a message of a MiB: what is slower, `calibrate` takes for another unit


class Message(NamedTuple):
    operation: str
    devices: int
    neighbours: int
    size: int
    low_s: float
    median_s: float
    high_s: float
    repeats: int


class Job(NamedTuple):
    """processes: in all; in_node: of them in this node."""

    place: int
    processes: int
    in_node: int

    @property
    def nodes(self) -> int:
        return self.processes // self.in_node


def of_torchrun() -> Optional[Job]:
    if "RANK" not in os.environ:
        return None
    size = int(os.environ["WORLD_SIZE"])
    return Job(int(os.environ["RANK"]), size, int(os.environ.get("LOCAL_WORLD_SIZE", size)))


def alone(device: Device) -> Job:
    most = MOST_CORES if device.kind == "cpu" else device.in_node
    return Job(0, min(device.in_node, most), min(device.in_node, most))


def groups_of(job: Job) -> list[tuple[str, list[int]]]:
    """Operations, and the places that take part."""
    node, everyone = list(range(job.in_node)), list(range(job.processes))
    found: list[tuple[str, list[int]]] = []
    if job.in_node > 1:
        found += [("send-recv", node[:2]), ("all-reduce", node)]
    if job.nodes > 1:
        found += [("send-recv", [0, job.in_node]), ("all-reduce", everyone)]
    return found


def there_and_back(value: torch.Tensor, members: list[int], place: int, group: Any) -> None:
    other = members[1 - members.index(place)]
    turns = (dist.send, dist.recv) if place == members[0] else (dist.recv, dist.send)
    for turn in turns:
        turn(value, other)


def all_reduce(value: torch.Tensor, members: list[int], place: int, group: Any) -> None:
    dist.all_reduce(value, group=group)


def exchange(job: Job, device: Device, seconds: float) -> list[Message]:
    """In a process of the job, which torch.distributed joins. The first process has the result, the others nothing."""
    found = []
    of_job = [(operation, members, dist.new_group(members)) for operation, members in groups_of(job)]
    each_s = seconds / max(1, len(of_job) * len(SIZES))
    for operation, members, group in of_job:
        if job.place in members:
            for size in SIZES:
                times = timed(operation, members, group, job.place, device, size, each_s)
                low, median, high = statistics.quantiles(times, n=4, method="inclusive")
                near = sum(place < job.in_node for place in members)
                if size < 2**20 or size / median > SLOWEST:
                    found.append(Message(operation, len(members), near, size, low, median, high, len(times)))
        dist.barrier()
    return found if job.place == 0 else []


def timed(operation: str, members: list[int], group: Any, place: int, device: Device, size: int, seconds: float) -> list[float]:
    call: Callable[..., None] = all_reduce if operation == "all-reduce" else there_and_back
    value = torch.zeros(size // ELEMENT_BYTES, dtype=device.dtype, device=device.torch)
    ways = 1 if operation == "all-reduce" else 2
    times: list[float] = []
    again = torch.ones(1, device=device.torch)
    start = time.monotonic()
    while True:
        device.synchronize()
        begin = time.perf_counter()
        call(value, members, place, group)
        device.synchronize()
        times.append((time.perf_counter() - begin) / ways)
        if len(times) % FEWEST == 0:  # the first member decides for all
            again.fill_(float(len(times) < MOST and time.monotonic() - start < seconds))
            dist.broadcast(again, members[0], group=group)
            if not again.item():
                return times[1:]  # the first warms up


def child(place: int, job: Job, meet: str, out: str, arguments: tuple, seconds: float) -> None:
    kind = arguments[0]
    os.environ["LOCAL_RANK"] = str(place)
    device = Device(*arguments)
    dist.init_process_group(
        BACKENDS[kind], init_method=f"file://{meet}", rank=place, world_size=job.processes, timeout=timedelta(seconds=300)
    )
    found = exchange(job._replace(place=place), device, seconds)
    if place == 0:
        with open(out, "w", encoding="utf-8") as text:
            json.dump(found, text)
    dist.destroy_process_group()


def measured_alone(device: Device, seconds: float) -> tuple[Job, list[Message], str]:
    """Without torchrun. The last is why there are no messages, if there are none."""
    job = alone(device)
    if job.processes < 2:
        return job, [], f"one device ({device.name}) has no other to send to"
    arguments = (device.kind, device.dtype_name, device.threads)
    with tempfile.TemporaryDirectory() as folder:
        try:
            processes.spawn(child, (job, f"{folder}/meet", f"{folder}/out", arguments, seconds), job.processes)
            with open(f"{folder}/out", encoding="utf-8") as text:
                return job, [Message(*each) for each in json.load(text)], ""
        except Exception as error:  # of any process
            print(error, file=sys.stderr)
            return job, [], f"no messages: {str(error).strip().splitlines()[-1]}"


def join(job: Job, device: Device, seconds: float) -> None:
    """Joins the job of torchrun. The others wait while the first measures its device."""
    os.environ.setdefault("USE_LIBUV", "0")  # PyTorch 2.6 asks for it, but Debian's has none
    dist.init_process_group(BACKENDS[device.kind], timeout=timedelta(seconds=2 * seconds + 600))
