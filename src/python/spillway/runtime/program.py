"""The words of a program (spillway/program/1): what its actions say, in terms that all of the runtime shares."""

from __future__ import annotations

from collections import defaultdict
from typing import Iterator


def every_action(program: dict) -> Iterator[tuple[str, dict, dict]]:
    """The JSON pointer of each action, the program of its rank, and itself."""
    for number, of_rank in enumerate(program["programs"]):
        for index, action in enumerate(of_rank["actions"]):
            yield f"/programs/{number}/actions/{index}", of_rank, action


def layers_of(part: dict) -> tuple[int, int]:
    """Of a block or a stage."""
    return part["first_layer"], part["end_layer"]


def holders(program: dict, layers: tuple[int, int], trained: bool = False) -> set:
    """(replica, rank) of all processes that have a stage of these layers; trained: one that learns."""
    ranks = {each["rank"] for each in program["stages"] if layers_of(each) == layers and each["trained"] >= trained}
    return {(replica, rank) for replica in range(program["replicas"]) for rank in ranks}


def carried(action: dict) -> tuple[int, int]:
    """The stage and microbatch whose output or gradient a message carries: the gradient is of its taker's output."""
    return action["stage_index" if action["pass"] == "forward" else "to_stage_index"], action["microbatch"]


def passes_of(of_rank: list[tuple[str, dict]]) -> dict:
    """The names of all passes of a (stage, microbatch) on a rank. They tell what its forward has to keep."""
    passes: dict = defaultdict(set)
    for does, action in of_rank:
        if action["op"] == "compute":
            passes[action["stage_index"], action["microbatch"]].add(does)
    return passes


def parts(actions: list[dict]) -> list[tuple[str, dict]]:
    """Returns the actions of a rank in their order, each with the name of its op, or of its pass. A fused pass is two."""
    all_parts = []
    for action in actions:
        does = action["pass"] if action["op"] == "compute" else action["op"]
        if does != "fused":
            all_parts.append((does, action))
            continue
        of_backward = {key[len("backward_") :]: value for key, value in action.items() if key.startswith("backward_")}
        backward = {"id": action["id"], "op": "compute", "pass": "backward", **of_backward}
        all_parts += [("forward", action), ("backward", backward)]
    return all_parts


def named(action: dict) -> str:
    """An action as messages to the user name it."""
    op, words = action["op"], []
    if op in ("send", "post_receive"):
        value = "output" if action["pass"] == "forward" else "gradient"
        stage, microbatch = carried(action)
        end = "to" if op == "send" else "from"
        return f"{op} of the {value} of stage {stage}, microbatch {microbatch}, {end} rank {action['peer']}"
    for key in ("pass", "stage_index", "microbatch", "group"):
        if key in action:
            words.append(f"{key.replace('_index', '')} {action[key]}" if key != "pass" else str(action[key]))
    return " ".join([op, ", ".join(words)]).strip()
