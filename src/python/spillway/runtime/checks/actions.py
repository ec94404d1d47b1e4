"""What actions name: stages, microbatches, ranks, groups and other actions."""

from __future__ import annotations

from typing import Iterator

from ..program import every_action
from .lists import below
from .schema import Fault

STARTED = ("post_receive", "send", "broadcast", "reduce")  # what a wait ends
STAGES = ("stage_index", "to_stage_index", "from_stage_index", "backward_stage_index", "backward_from_stage_index")
MICROBATCHES = ("microbatch", "backward_microbatch")


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
