"""Checks a program before any process starts: what spillway/program/1 demands, and what a training step rests on.

In this order, each only if the one before found nothing: the form (the schema), numbers that name something, both ends
of messages and operations of groups, and a run without values (dry_run.py). `spillway derive --check` refuses a part of
what is refused here (tests/python/runtime_check_test.py)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import zip_longest
from pathlib import Path
from typing import Callable, Iterator

from .dry_run import DryRun
from .program import every_action, holders, layers_of
from .schema import Fault, Schema, shown

HERE = Path(__file__).resolve()
FILES = (HERE.with_name("program.schema.json"), HERE.parents[3] / "json/schemas/program.schema.json")  # installed, or not
STARTED = ("post_receive", "send", "broadcast", "reduce")  # what a wait ends
STAGES = ("stage_index", "to_stage_index", "from_stage_index", "backward_stage_index", "backward_from_stage_index")
MICROBATCHES = ("microbatch", "backward_microbatch")


def faults(program: object) -> list[Fault]:
    """All that is wrong with the document."""
    for part in (form, places, layers, names, copies, ends, groups, run):
        found = list(part(program))
        if found:
            return found
    return []


def form(program: object) -> Iterator[Fault]:
    """A document of another kind or version is refused by that alone."""
    schema = Schema(json.loads(next(each for each in FILES if each.exists()).read_text(encoding="utf-8")))
    kind = schema.document["properties"]["schema"]["const"]
    stated = program.get("schema") if isinstance(program, dict) else program
    if stated != kind:
        yield "/schema", f'"{kind}"', shown(stated)
    else:
        yield from schema.faults(program)


def places(program: dict) -> Iterator[Fault]:
    """Elements of lists say their own numbers, and there is one for each that there should be."""
    ranks, replicas, stated = program["ranks"], program["replicas"], program["samples"]
    lists = {"/programs": (ranks * replicas, f"a program for each of {ranks} ranks of {replicas} replicas")}
    if stated is not None:
        lists["/samples"] = (replicas, f"{replicas} lists, one for each replica")
        for replica in range(len(stated)):
            count = program["microbatches"]
            lists[f"/samples/{replica}"] = (count, f"{count} samples, one for each microbatch")
    for at, (count, expected) in lists.items():
        found = len(program["programs"] if at == "/programs" else stated if at == "/samples" else stated[int(at[9:])])
        if found != count:
            yield at, expected, f"a list of {found}"
    numbers = [("/programs", "replica", lambda n: n // ranks), ("/programs", "rank", lambda n: n % ranks)]
    numbers += [("/stages", "stage_index", int), ("/groups", "group", int)]
    for at, key, number in numbers:
        for index, each in enumerate(program[at[1:]]):
            if each[key] != number(index):
                yield f"{at}/{index}/{key}", str(number(index)), str(each[key])
    for index, stage in enumerate(program["stages"]):
        yield from below(f"/stages/{index}/rank", stage["rank"], ranks)
    for index, group in enumerate(program["groups"]):
        for place, member in enumerate(group["members"]):
            at = f"/groups/{index}/members/{place}"
            yield from below(f"{at}/replica", member["replica"], replicas)
            yield from below(f"{at}/rank", member["rank"], ranks)
            if member in group["members"][:place]:
                yield at, "a member that the group has once", shown(member)


def below(at: str, found: int, count: int) -> Iterator[Fault]:
    if found >= count:
        yield at, f"a number from 0 to {count - 1}" if count else "nothing to name, since there is none", str(found)


def layers(program: dict) -> Iterator[Fault]:
    """Blocks follow one another, and stages are made of their layers."""
    end = 0
    for index, block in enumerate(program["blocks"]):
        if block["first_layer"] != end:
            yield f"/blocks/{index}/first_layer", f"{end}, where the block before ends", str(block["first_layer"])
        end = block["end_layer"]
    if end == 0:
        yield "/blocks", "a block with layers", "none"
        return
    for part in ("blocks", "stages"):
        for index, each in enumerate(program[part]):
            if not each["first_layer"] < each["end_layer"] <= end:
                expected = f"a number from {each['first_layer'] + 1} to {end}"
                yield f"/{part}/{index}/end_layer", expected, str(each["end_layer"])


def names(program: dict) -> Iterator[Fault]:
    """Actions name stages, microbatches, ranks, groups and actions that there are."""
    ids: set = set()
    counts = {key: len(program["stages"]) for key in STAGES}
    counts.update({key: program["microbatches"] for key in MICROBATCHES}, peer=program["ranks"], group=len(program["groups"]))
    open_ones: dict = {}
    for at, of_rank, action in every_action(program):
        if at.endswith("/actions/0"):
            open_ones = {}
        if action["id"] in ids:
            yield f"{at}/id", "an id that no other action has", str(action["id"])
        ids.add(action["id"])
        wrong = [each for key in action if key in counts for each in below(f"{at}/{key}", action[key], counts[key])]
        yield from wrong or of_action(at, program, of_rank, action)
        if action["op"] in STARTED:
            open_ones[action["id"]] = at
        elif action["op"] == "wait" and open_ones.pop(action["for"], None) is None:
            expected = f"the id of a {', '.join(STARTED)} before it in the same rank, and only one wait for it"
            yield f"{at}/for", expected, str(action["for"])
        elif action["op"] == "barrier":
            yield from ((f"{each}/id", "a wait for it before the barrier", "none") for each in open_ones.values())
            open_ones = {}
    for number, of_rank in enumerate(program["programs"]):
        barriers = [index for index, action in enumerate(of_rank["actions"]) if action["op"] == "barrier"]
        if barriers != [len(of_rank["actions"]) - 1]:
            yield f"/programs/{number}/actions", "one barrier, as the last action", f"barriers at {barriers}"


def of_action(at: str, program: dict, of_rank: dict, action: dict) -> Iterator[Fault]:
    """What an action names is of the rank that it says, and a pass takes the output of the layers before its own."""
    op, rank, stages = action["op"], of_rank["rank"], program["stages"]
    sends = {"send": ("stage_index", "to_stage_index"), "post_receive": ("to_stage_index", "stage_index")}
    owners = {"stage_index": rank} if op in ("compute", "loss", "update") else {}
    if op in sends:
        owners = dict(zip(sends[op], (rank, action["peer"])))
        if action["peer"] == rank:
            yield f"{at}/peer", "another rank", str(rank)
    if action.get("pass") == "fused":
        owners["backward_stage_index"] = rank
    for key, owner in owners.items():
        if stages[action[key]]["rank"] != owner:
            yield f"{at}/{key}", f"a stage of rank {owner}", str(action[key])
    for before in ("", "backward_"):
        if op == "compute" and f"{before}stage_index" in action:
            source = action.get(f"{before}from_stage_index")
            first = stages[action[f"{before}stage_index"]]["first_layer"]
            if (0 if source is None else stages[source]["end_layer"]) != first:
                expected = f"a stage that ends with layer {first - 1}" if first else "none, since the stage takes the sample"
                yield f"{at}/{before}from_stage_index", expected, "nothing" if source is None else str(source)
    if "group" in action:
        members = program["groups"][action["group"]]["members"]
        if {"replica": of_rank["replica"], "rank": rank} not in members:
            yield f"{at}/group", "a group that has this rank of this replica as a member", str(action["group"])
        if op == "compute":
            yield f"{at}/group", "passes of one rank alone", "one that replicas compute together"
        if action.get("root", members[0]["rank"]) != members[0]["rank"]:
            yield f"{at}/root", f"{members[0]['rank']}, the rank of the group's first member", str(action["root"])
    end = program["blocks"][-1]["end_layer"]
    if op == "loss" and stages[action["stage_index"]]["end_layer"] != end:
        yield f"{at}/stage_index", f"a stage that ends with the last layer, {end - 1}", str(action["stage_index"])


def copies(program: dict) -> Iterator[Fault]:
    """Each trainable layer is trained by stages of the same layers, on different ranks, and these are updated."""
    trained = [(index, stage) for index, stage in enumerate(program["stages"]) if stage["trained"]]
    ranges = sorted({layers_of(stage) for _, stage in trained})
    for (_, end), (first, last) in zip(ranges, ranges[1:]):
        if first < end:
            found = f"a stage up to layer {end - 1} and one of layers {first} to {last - 1}"
            yield "/stages", "trained stages of the same layers, or of none in common", found
    for number, block in enumerate(program["blocks"]):
        layer, end = layers_of(block)
        for first, last in ranges:
            layer = last if first <= layer < last else layer
        if block["trainable"] and layer < end:
            yield f"/blocks/{number}/trainable", f"a trained stage with layer {layer}", "none"
    for (rank, (first, end)), count in Counter((stage["rank"], layers_of(stage)) for stage in program["stages"]).items():
        if count > 1:
            yield "/stages", f"layers {first} to {end - 1} once on rank {rank}", f"{count} stages of them"
    for number, of_rank in enumerate(program["programs"]):
        updated = Counter(action["stage_index"] for action in of_rank["actions"] if action["op"] == "update")
        for index, stage in trained:
            if stage["rank"] == of_rank["rank"] and updated.pop(index, 0) != 1:
                yield f"/programs/{number}/actions", f"one update of stage {index}", "none, or several"
        for index in updated:
            yield f"/programs/{number}/actions", f"no update of stage {index}, which is not trained", "one"


def ends(program: dict) -> Iterator[Fault]:
    """Sends and receives of an ordered pair of ranks are the same, in the order of tags, and their sizes are known."""
    sides: dict = defaultdict(lambda: {"send": [], "post_receive": []})
    unknown = []
    for at, of_rank, action in every_action(program):
        if action["op"] in ("send", "post_receive"):
            pair = (of_rank["rank"], action["peer"])
            of_pair = sides[of_rank["replica"], pair if action["op"] == "send" else pair[::-1]][action["op"]]
            if action["tag"] != len(of_pair):
                yield f"{at}/tag", f"{len(of_pair)}, the next of its pair of ranks", str(action["tag"])
            of_pair.append((at, action))
            unknown += [at] if action["shape"] is None or action["dtype"] is None else []
    if unknown:  # one stands for all of them
        expected = "the sizes of every message, which an experiment with architectures and drawn images has"
        yield f"{unknown[0]}/shape", expected, f"null, as in {len(unknown)} messages"
    for of_pair in sides.values():
        for sent, received in zip_longest(*(of_pair[op] for op in ("send", "post_receive"))):
            if not sent or not received:
                at, action = sent or received
                other = "post_receive" if sent else "send"
                expected = f"a tag that a {other} of rank {action['peer']} has, too"
                yield f"{at}/tag", expected, f"{action['tag']}, which none has"
                continue
            for key in sorted(set(sent[1]) - {"id", "op", "peer", "tag"}):
                if sent[1][key] != received[1][key]:
                    expected = f"{json.dumps(sent[1][key])}, as the send {sent[1]['id']} has it"
                    yield f"{received[0]}/{key}", expected, json.dumps(received[1][key])


def groups(program: dict) -> Iterator[Fault]:
    """Members of a group start the same operations in the same order. Copies of trained layers add up their gradients."""
    first: dict = defaultdict(list)  # by group: the operations of the member that comes first
    done: Counter = Counter()
    for at, of_rank, action in every_action(program):
        if "group" not in action:
            continue
        known, place = first[action["group"]], (action["group"], of_rank["replica"], of_rank["rank"])
        operation = f"{action['op']} of stage {action['stage_index']}"
        if done[place] == len(known):
            known.append(operation)
        if known[done[place]] != operation:
            yield f"{at}/group", f"the group's next operation, {known[done[place]]}", operation
        done[place] += 1
        members = {(each["replica"], each["rank"]) for each in program["groups"][action["group"]]["members"]}
        of_layers = layers_of(program["stages"][action["stage_index"]])
        learners = holders(program, of_layers, trained=True)
        if action["op"] == "reduce" and members != learners:
            trains = f"layers {of_layers[0]} to {of_layers[1] - 1}, (replica, rank) {sorted(learners)}"
            yield f"{at}/group", f"a group of all that train {trains}", str(sorted(members))
        if action["op"] == "broadcast":
            root = program["groups"][action["group"]]["members"][0]
            if (root["replica"], root["rank"]) not in learners or not members <= holders(program, of_layers):
                expected = "members with a stage of these layers, the first of them a trained one"
                yield f"{at}/group", expected, str(sorted(members))


def run(program: dict) -> Iterator[Fault]:
    yield from DryRun(program).faults()
