"""Holds the traces that `spillway run --out FOLDER` wrote against the rules of the "Trace Event Format" document and
of Perfetto's importer, and against the report beside them: trace_rules.py FOLDER.

Knows nothing of the program that wrote them. Prints what is wrong with the first that breaks a rule, or what was seen of
each, and exit status 0, where all holds."""

import collections
import gzip
import json
import sys
from pathlib import Path

EASE = 2e-3  # microseconds: times are sums of binary fractions


def need(condition, *words):
    if not condition:
        sys.exit("trace_rules.py: " + " ".join(str(word) for word in words))


def place(event):
    return event["pid"], event["tid"]


def slices_of(events):
    """By process and thread; those of one thread come by start and follow one another."""
    threads = collections.defaultdict(list)
    for event in events:
        if event["ph"] != "X":
            continue
        need(event["dur"] > 0 and event["ts"] >= 0, "a slice without time", event)
        before = threads[place(event)][-1:]
        need(not before or before[0]["ts"] + before[0]["dur"] <= event["ts"] + EASE, "slices overlap", event)
        threads[place(event)].append(event)
    return threads


def check_names(events, threads):
    """Every process and thread has one name, given before anything happens on it."""
    named = set()
    for event in events:
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            who = (event["name"], event["pid"], event["tid"] if event["name"] == "thread_name" else None)
            need(who not in named, "named twice", event)
            named.add(who)
        elif event["ph"] == "X":
            need(("process_name", event["pid"], None) in named, "a process without a name", event)
            need(("thread_name", *place(event)) in named, "a thread without a name", event)
    need(all(pid > 0 and tid > 0 for pid, tid in threads), "the idle process or thread")


def check_flows(events, threads):
    """Begin, at most one step, end: in this order of time, each at the start of a slice that it binds to."""
    starts = {(*where, each["ts"]): each for where, slices in threads.items() for each in slices}
    flows = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "stf":
            bound = starts.get((*place(event), event["ts"]))
            need(bound is not None, "a flow bound to no slice", event)
            need(event["ph"] == "s" or event["bp"] == "e", "a flow that binds to the next slice", event)
            flows[event["id"], event["cat"], event["name"]].append((event["ts"], "stf".index(event["ph"]), bound))
    for name, points in flows.items():
        points.sort(key=lambda point: point[:2])
        phases = "".join("stf"[phase] for _, phase, _ in points)
        need(phases in ("sf", "stf"), "a flow of", phases, name)
        carried = [each["args"] for _, _, each in points]
        over = [args for args in carried if "to_rank" in args]
        need(len(over) == 1 or not over and phases == "sf", "a flow of no transfer", name)
        for args in over:
            need(carried[0]["rank"] == args["rank"] != args["to_rank"], "an arrow that begins elsewhere", carried)
            arrives = args["rank"] if "to_rank" in carried[-1] else args["to_rank"]
            need(carried[-1]["rank"] == arrives, "an arrow that ends elsewhere", carried)
        need(over or carried[0]["rank"] != carried[-1]["rank"], "an arrow within a rank", carried)
        need(len({args["replica"] for args in carried}) == 1, "an arrow between replicas", carried)
        ends = [each["ts"] + each["dur"] for _, _, each in points]
        begins = [each["ts"] for _, _, each in points]
        need(all(end <= begin + EASE for end, begin in zip(ends, begins[1:])), "an arrow back in time", name)
    return flows


def check_counters(events):
    counters = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            (unit, value), = event["args"].items()
            need(value >= 0, "a counter below nothing", event)
            counters[event["pid"], event["name"], unit].append((event["ts"], value))
    for name, levels in counters.items():
        need(levels[0][0] == 0, "a counter that begins late", name)
        need(all(a[0] < b[0] for a, b in zip(levels, levels[1:])), "a counter's times are not sorted", name)
        least, greatest = min(level for _, level in levels), max(level for _, level in levels)
        need(levels[-1][1] - least <= 1e-9 * greatest, "a counter that does not fall back", name, levels[-1], least)
        need(name[2] == "bytes" or levels[-1][1] == 0, "a count that does not end at 0", name)
    return counters


def most(counters, pid, name):
    return max((value for (at, what, _), levels in counters.items() if (at, what) == (pid, name)
                for _, value in levels), default=None)


def check_report(threads, counters, schedule):
    """Of the first draw, which with one draw is the report's."""
    by_rank = collections.defaultdict(list)
    processes = {}
    for (pid, tid), slices in threads.items():
        for each in slices:
            who = each["args"]["replica"], each["args"]["rank"]
            need(processes.setdefault(who, pid) == pid, "a rank of two processes", who)
            if tid == 1:
                by_rank[who].append(each)
    need(len(set(processes.values())) == len(processes), "a process of two ranks")
    reported = {(rank["replica"], rank["rank"]): rank for rank in schedule["ranks"]}
    # Replicas that run alike are simulated and drawn once.
    need({rank for replica, rank in reported if replica == 0} == {rank for replica, rank in by_rank if replica == 0},
         "other ranks than the report's")
    for who in by_rank:
        rank = reported[who]
        busy = sum(each["dur"] for each in by_rank[who]) * 1e-6
        need(abs(busy - rank["busy_s"]) <= 1e-9 * busy, "busy", who, busy, rank["busy_s"])
        need(abs(by_rank[who][0]["ts"] * 1e-6 - rank["first_start_s"]) <= 1e-9, "first start", who)
        last = by_rank[who][-1]
        need(abs((last["ts"] + last["dur"]) * 1e-6 - rank["last_end_s"]) <= 1e-9, "last end", who)
        held = most(counters, processes[who], "memory")
        if held is not None:
            need(abs(held - rank["peak_memory_bytes"]) <= 1e-9 * held, "memory", who, held)
        need(most(counters, processes[who], "microbatches in flight") >= 1, "no microbatch in flight", who)


def check(trace, schedule):
    with gzip.open(trace) as packed:
        events = json.load(packed)
    threads = slices_of(events)
    check_names(events, threads)
    flows = check_flows(events, threads)
    counters = check_counters(events)
    check_report(threads, counters, schedule)
    print(f"{trace.name}: {sum(map(len, threads.values()))} slices {len(flows)} arrows {len(counters)} counters")


def main(folder):
    report = json.loads((Path(folder) / "report.json").read_text())
    schedules = {each["name"]: each for each in report["schedules"]}
    end = ".trace.json.gz"
    traces = sorted(Path(folder).glob("*" + end))
    need(traces, "no trace")
    need({trace.name.removesuffix(end) for trace in traces} == set(schedules), "other traces than the report's schedules")
    for trace in traces:
        try:
            check(trace, schedules[trace.name.removesuffix(end)])
        except SystemExit as wrong:
            sys.exit(f"{trace.name}: {wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
