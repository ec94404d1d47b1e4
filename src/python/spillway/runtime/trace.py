"""The times of ranks' actions, as spillway/trace/1 and in the form of PyTorch's profiler (Kineto).

Each process records its actions. The first one merges the records, because a message has two ends. A blocking send
lasts until its own wait is over, another one until its receiver's wait is. A reduction lasts until its wait is over, and
a receive as long as its wait. So the shorter end is the time of the message where the receiver waited for it, and next
to nothing where it had arrived.

A pass has the time that its rank is busy with it: from where the rank last waited, passed or started a message, to where
it does so again. That holds the loss, and what Python does between actions. A recomputation counts to the backward that
it is for. A fused pass is one action, whose outputs leave when both of its halves are over, so both have the times of
the whole. A comment says how much of these times the process had a processor: the rest belongs to others."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import defaultdict
from typing import Iterator, NamedTuple

from torch.profiler import record_function

from .program import named, parts

WORDS = {"forward": "F", "backward": "B", "input_gradient": "I", "weight_gradient": "W"}
COLUMNS = "step,replica,rank,action,start_us,duration_us,name"


class Event(NamedTuple):
    """action: as torch.distributed.pipelining writes it, 0F1; empty if it has no word for it. Times in nanoseconds."""

    step: int
    replica: int
    rank: int
    action: str
    start: int
    end: int
    name: str


def stage_numbers(program: dict) -> list[int]:
    """Of each stage, its number in a trace: region by region, input first, and copies of the same layers one behind the
    other (trace_stages of src/execute). A program numbers the stages of a fold chunk by chunk and rank by rank."""
    regions, copies, places = {}, defaultdict(int), []
    for stage in program["stages"]:
        region = regions.setdefault(stage["region"], len(regions))
        places.append((region, copies[region, stage["first_layer"]], stage["first_layer"]))
        copies[region, stage["first_layer"]] += 1
    numbers = [0] * len(places)
    for number, stage in enumerate(sorted(range(len(places)), key=places.__getitem__)):
        numbers[stage] = number
    return numbers


def word_of(does: str, action: dict, numbers: list[int]) -> str:
    if does in WORDS:
        return f"{numbers[action['stage_index']]}{WORDS[does]}{action['microbatch']}"
    if does in ("send", "post_receive"):
        end, stage = ("SEND", "stage_index") if does == "send" else ("RECV", "to_stage_index")
        return f"{numbers[action[stage]]}{end}_{action['pass'][0].upper()}{action['microbatch']}"
    word = {"reduce": "COLLECTIVE", "broadcast": "COLLECTIVE", "update": "OPTIMIZER"}.get(does)
    return f"{numbers[action['stage_index']]}{word}" if word else ""


class Records:
    """The actions of one process of the program."""

    def __init__(self, program: dict, process: int) -> None:
        actions, self.numbers = program["programs"][process]["actions"], stage_numbers(program)
        self.by_id = {action["id"]: action for action in actions}
        self.records: list = []  # step, id, op or pass, start, end, time of processors

    @contextlib.contextmanager
    def range(self, step: int, does: str, action: dict) -> Iterator[None]:
        with record_function(self.range_name(does, action)):
            start, had = time.monotonic_ns(), time.process_time_ns()
            yield
            used = time.process_time_ns() - had
            self.records.append((step, action["id"], does, start, time.monotonic_ns(), used))

    def range_name(self, does: str, action: dict) -> str:
        """The wait for a receive is its range; its posting is none."""
        waited = self.by_id.get(action.get("for"), {})
        received = word_of("post_receive", waited, self.numbers) if waited.get("op") == "post_receive" else ""
        word = received or ("" if does in ("post_receive", "reduce", "broadcast", "update") else word_of(does, action, self.numbers))
        return f"PP:{word}" if word else named(action)

    def write(self, folder: str, process: int) -> None:
        os.makedirs(folder, exist_ok=True)
        with open(record_file(folder, process), "w", encoding="utf-8") as file:
            json.dump(self.records, file)


def record_file(folder: str, process: int) -> str:
    return os.path.join(folder, f"records-{process:03}.json")


def merge(folder: str, program: dict) -> None:
    """Makes the trace of the records that all processes have written, which it removes."""
    files = [record_file(folder, process) for process in range(len(program["programs"]))]
    records = []
    for each in files:
        with open(each, encoding="utf-8") as file:
            records += json.load(file)
    events = events_of(program, records)
    write_csv(os.path.join(folder, "trace.csv"), program, events, processors(records))
    os.makedirs(os.path.join(folder, "kineto"), exist_ok=True)
    for process in range(len(files)):
        write_kineto(os.path.join(folder, "kineto", f"rank-{process:03}.json"), process, program, events)
    for each in files:
        os.remove(each)


def processors(records: list) -> str:
    """How much of their time passes had a processor."""
    passes = [(end - start, used) for _, _, does, start, end, used in records if does in WORDS]
    share = sum(min(each) for each in passes) / max(1, sum(length for length, _ in passes))
    return f"passes with a processor for {100 * share:.1f} % of their time, and without one for the rest"


def busy_times(records: list) -> dict:
    """By id, the start and the end of each pass of a rank in a step. records: its own, in order."""
    times: dict = {}
    free, last = records[0][3], None  # last: the pass that the rank is still busy with
    for _, number, does, start, end, _ in records:
        if does in WORDS:
            last = times.setdefault(number, [free, end])  # of a fused pass both halves
            last[1] = free = end
        elif does == "loss" and last:
            last[1] = free = end
        elif does in ("send", "reduce", "broadcast", "wait", "update", "barrier"):
            if last:
                last[1] = start
            free, last = start if does in ("send", "reduce", "broadcast") else end, None
    return times


def events_of(program: dict, records: list) -> list[Event]:
    """By start; times from the first."""
    actions, receives, waits = {}, {}, {}
    for of_rank in program["programs"]:
        place = (of_rank["replica"], of_rank["rank"])
        for does, action in parts(of_rank["actions"]):
            actions[action["id"], does] = (place, action)
            if does == "post_receive":
                receives[place[0], action["peer"], place[1], action["tag"]] = action
    received = {action["id"]: action for action in receives.values()}
    of_ranks = defaultdict(list)
    for record in sorted(records, key=lambda each: each[3]):
        step, number, does, _, end, _ = record
        place, action = actions[number, does]
        of_ranks[step, place].append(record)
        if does == "wait":
            waits[step, action["for"]] = end
    numbers, origin = stage_numbers(program), min(record[3] for record in records)
    events = []
    for (step, place), own in of_ranks.items():
        busy, recomputed = busy_times(own), {}
        for _, number, does, start, end, _ in own:
            action = actions[number, does][1]
            if does in WORDS:
                start, end = busy[number]
                if does != "weight_gradient":
                    start = min(start, recomputed.pop((action["stage_index"], action["microbatch"]), start))
            elif does == "recompute":
                recomputed[action["stage_index"], action["microbatch"]] = start
            elif does == "send":
                taken = receives[place[0], place[1], action["peer"], action["tag"]]["id"]
                end = max(end, waits[step, number if program["point_to_point"] == "blocking" else taken])
            elif does in ("reduce", "broadcast"):
                end = waits.get((step, number), end)
            elif does == "wait" and action["for"] in received:
                does, action = "post_receive", received[action["for"]]
            elif does == "post_receive":
                continue
            events.append(Event(step, *place, word_of(does, action, numbers), start - origin, end - origin, named(action)))
    return sorted(events, key=lambda event: event.start)


def write_csv(file: str, program: dict, events: list[Event], note: str) -> None:
    with open(file, "w", encoding="utf-8") as text:
        text.write("# spillway/trace/1 origin_s=0 format=spillway.runtime\n")
        text.write(f"# schedule {program['schedule']}\n")
        text.write(f"# read: {program['schedule']} of {program['experiment']}, executed\n# read: {note}\n{COLUMNS}\n")
        for each in events:
            if each.action:
                name = each.name.replace(",", "") if each.action.endswith("COLLECTIVE") else ""
                place = f"{each.step},{each.replica},{each.rank}"
                times = f"{each.start / 1000:.1f},{(each.end - each.start) / 1000:.1f}"
                text.write(f"{place},{each.action},{times},{name}\n")


def write_kineto(file: str, process: int, program: dict, events: list[Event]) -> None:
    """The ranges of one process, and what the profiler says of a job: its pipeline's process group, input first."""
    ranks = program["ranks"]
    replica = process // ranks
    pipeline = {"pg_name": str(replica), "pg_desc": "mesh_pp", "ranks": [replica * ranks + r for r in range(ranks)]}
    ours = [each for each in events if (each.replica, each.rank) == divmod(process, ranks)]
    steps = {each.step for each in ours}
    ranges = [
        (f"ProfilerStep#{step}", min(e.start for e in ours if e.step == step), max(e.end for e in ours if e.step == step))
        for step in sorted(steps)
    ]
    named_so = lambda e: f"PP:{e.action}" if e.action and not e.action.endswith(("COLLECTIVE", "OPTIMIZER")) else e.name  # noqa: E731
    ranges += [(named_so(each), each.start, each.end) for each in ours]
    common = {"ph": "X", "cat": "user_annotation", "pid": process, "tid": process}
    document = {
        "schemaVersion": 1,
        "distributedInfo": {"rank": process, "world_size": ranks * program["replicas"], "pg_config": [pipeline]},
        "traceEvents": [
            {**common, "name": name, "ts": start / 1000, "dur": (end - start) / 1000} for name, start, end in ranges
        ],
    }
    with open(file, "w", encoding="utf-8") as text:
        json.dump(document, text)
