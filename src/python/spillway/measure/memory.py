"""python3 -m spillway.measure.memory: what forwards keep, from a memory snapshot of PyTorch, as rows of a table.

    torch.cuda.memory._record_memory_history()
    ...  # one step of one rank
    torch.cuda.memory._dump_snapshot("rank0.pickle")

    python3 -m spillway.measure.memory rank0.pickle --stage llm:0-4 --tokens 2x2048 --out kept.csv
    spillway twin JOB passes.csv kept.csv

A forward is a run of allocations whose call stack has the function of --forward (default: Megatron's forward_step).
It keeps what it allocated and did not free before the next event of another function, as
torch.cuda.memory_allocated() counts it. Forwards that follow each other have the same stacks; each begins where the
first stack of the run comes again. A row is written for each. Without stacks nothing is known, and without an end
neither: the last forward is left out if the snapshot ends in it.

A snapshot is a pickle, and unpickling may run any code. This reads the types of a snapshot alone, which are lists,
dictionaries, text and numbers, and refuses every other one. It needs no PyTorch.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from typing import Any, BinaryIO, Iterator, NamedTuple

from ..errors import InputError, Violation

HEADER = "stage,direction,tokens,patches,milliseconds,bytes"
ALLOCATES, FREES = "alloc", "free_completed"


class OtherType(Exception):
    """A type that no snapshot has."""


class Plain(pickle.Unpickler):
    """Of a snapshot's own types: any other one is looked up by its name, which is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise OtherType(f"{module}.{name}")


class Event(NamedTuple):
    action: str
    address: int
    size: int
    stack: tuple[tuple[str, int, str], ...]  # file, line and function, innermost first


class Run(NamedTuple):
    """Consecutive events of forwards, and whether another event came after."""

    events: list[Event]
    ended: bool


def refuse(file: str, pointer: str, expected: str, found: str) -> InputError:
    return InputError([Violation(file, pointer, expected, found)])


def unpickled(file: str) -> Any:
    try:
        with open(file, "rb") as data:
            return plain(file, data)
    except OSError as error:
        raise refuse(file, "", "a file", error.strerror or "none") from None


def plain(file: str, data: BinaryIO) -> Any:
    try:
        return Plain(data).load()
    except OtherType as error:
        raise refuse(file, "", "lists, dictionaries, text and numbers alone", str(error)) from None
    except Exception as error:  # a broken pickle raises anything
        raise refuse(file, "", "a pickle of torch.cuda.memory._dump_snapshot", f"{type(error).__name__}: {error}") from None


def event_of(entry: Any) -> Event:
    frames = entry.get("frames") or []
    stack = tuple((str(frame["filename"]), int(frame["line"]), str(frame["name"])) for frame in frames)
    return Event(str(entry["action"]), int(entry.get("addr", 0)), int(entry.get("size", 0)), stack)


def events_of(file: str, device: int) -> list[Event]:
    snapshot = unpickled(file)
    traces = snapshot.get("device_traces") if isinstance(snapshot, dict) else None
    if not isinstance(traces, list):
        raise refuse(file, "/device_traces", "the history of a snapshot (_record_memory_history)", "none")
    if not 0 <= device < len(traces):
        raise refuse(file, "/device_traces", f"a device from 0 to {len(traces) - 1} (--device)", str(device))
    try:
        return [event_of(entry) for entry in traces[device]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refuse(file, f"/device_traces/{device}", "events with action, addr, size and frames", str(error)) from None


def runs_of(events: list[Event], function: str) -> Iterator[Run]:
    """Frees without a stack belong to whatever runs."""
    run: list[Event] = []
    for event in events:
        inside = any(name == function for _, _, name in event.stack)
        if inside or (run and not event.stack and event.action != ALLOCATES):
            run.append(event)
        elif run and event.action in (ALLOCATES, FREES):
            yield Run(run, True)
            run = []
    if run:
        yield Run(run, False)


def forwards_of(run: Run) -> list[list[Event]]:
    allocations = [event for event in run.events if event.action == ALLOCATES]
    if not allocations:
        return []
    forwards: list[list[Event]] = []
    for event in run.events:
        if event.action == ALLOCATES and event.stack == allocations[0].stack:
            forwards.append([])
        if forwards:
            forwards[-1].append(event)
    return forwards if run.ended else forwards[:-1]


def kept_by(forward: list[Event]) -> int:
    alive: dict[int, int] = {}
    for event in forward:
        if event.action == ALLOCATES:
            alive[event.address] = event.size
        elif event.action == FREES:
            alive.pop(event.address, None)
    return sum(alive.values())


def kept_bytes(file: str, function: str, device: int) -> list[int]:
    events = events_of(file, device)
    kept = [kept_by(forward) for run in runs_of(events, function) for forward in forwards_of(run)]
    kept = [each for each in kept if each > 0]
    if kept:
        return kept
    functions = sorted({name for event in events for _, _, name in event.stack if "forward" in name})
    found = f"forwards by other names: {', '.join(functions[:8])}" if functions else f"none in {len(events)} events"
    raise refuse(file, f"/device_traces/{device}", f"a whole forward, whose allocations have {function} in their stacks", found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="spillway.measure.memory", description="Bytes that forwards keep.")
    parser.add_argument("snapshot", help="of torch.cuda.memory._dump_snapshot")
    parser.add_argument("--stage", required=True, help="the layers of the rank, as in a table of passes: llm:0-4")
    parser.add_argument("--tokens", default="", help="of each sequence of a microbatch: 2x2048")
    parser.add_argument("--patches", default="", help="of each image of a microbatch")
    parser.add_argument("--forward", default="forward_step", help="the function that runs a forward (default forward_step)")
    parser.add_argument("--device", type=int, default=0, help="whose history counts (default 0)")
    parser.add_argument("--out", required=True, help="a CSV file, which `spillway twin` takes")
    options = parser.parse_args()
    try:
        kept = kept_bytes(options.snapshot, options.forward, options.device)
        rows = [f"{options.stage},forward,{options.tokens},{options.patches},,{each}" for each in kept]
        with open(options.out, "w", encoding="utf-8") as out:
            out.write("\n".join([HEADER, *rows]) + "\n")
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(refuse("spillway.measure.memory", "--out", "a file to write", error.strerror or "none"), file=sys.stderr)
        return 2
    print(f"{len(kept)} forwards keep {min(kept)} to {max(kept)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
