"""Elements of lists and what they say of one another: ranks, replicas, layers, stages."""

from __future__ import annotations

from collections import Counter
from typing import Iterator

from ..program import layers_of
from .schema import Fault, shown


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
