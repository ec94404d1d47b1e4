"""What several ranks take part in: messages have two ends, and operations of groups all members."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import zip_longest
from typing import Iterator

from ..program import every_action, holders, layers_of
from .schema import Fault


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
