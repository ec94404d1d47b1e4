"""Reads a program (spillway/program/1), and checks what executing it rests on."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any, Iterator

from ..errors import InputError, Violation

SCHEMA = "spillway/program/1"
MESSAGE = ("peer", "tag", "shape", "dtype", "pass", "stage_index", "to_stage_index", "microbatch")
# The keys that an action needs, by its op.
KEYS = {
    "compute": ("stage_index", "microbatch", "pass"),
    "post_receive": MESSAGE,
    "send": MESSAGE,
    "wait": ("for",),
    "gather": (),
    "scatter": (),
    "broadcast": ("group", "root", "stage_index"),
    "loss": ("stage_index", "microbatch"),
    "reduce": ("group", "stage_index"),
    "update": ("stage_index",),
    "barrier": (),
}
PASSES = ("forward", "backward", "input_gradient", "weight_gradient", "recompute", "fused")


def load(file: str, what: str) -> Any:
    try:
        with open(file, encoding="utf-8") as text:
            return json.load(text)
    except OSError as error:
        raise InputError([Violation(file, "", what, error.strerror or str(error))]) from None
    except ValueError as error:
        raise InputError([Violation(file, "", "a JSON document", str(error))]) from None


def read(file: str) -> dict:
    """Returns the document. Raises InputError unless it can be executed."""
    program = load(file, "a program")
    schema = program.get("schema") if isinstance(program, dict) else program
    if schema != SCHEMA:
        raise InputError([Violation(file, "/schema", f'"{SCHEMA}"', json.dumps(schema))])
    violations = [Violation(file, *each) for each in (*unknown_actions(program), *unknown_sizes(program))]
    violations += [Violation(file, *each) for each in other_places(program)]
    if not violations:
        violations = [Violation(file, *each) for each in unpaired(program)]
    if violations:
        raise InputError(violations)
    return program


def check_processes(file: str, program: dict, started: int) -> None:
    if len(program["programs"]) != started:
        needed = f"{len(program['programs'])} processes: {program['ranks']} ranks of {program['replicas']} replicas"
        raise InputError([Violation(file, "/programs", needed, f"{started} started")])


def every_action(program: dict) -> Iterator[tuple[str, dict, dict]]:
    """The JSON pointer of each action, the program of its rank, and itself."""
    for number, of_rank in enumerate(program["programs"]):
        for index, action in enumerate(of_rank["actions"]):
            yield f"/programs/{number}/actions/{index}", of_rank, action


def of_process(program: dict, process: int) -> dict:
    """The program of process number replica * ranks + rank."""
    place = divmod(process, program["ranks"])
    return next(each for each in program["programs"] if (each["replica"], each["rank"]) == place)


def other_places(program: dict) -> Iterator[tuple[str, str, str]]:
    """A program that lacks a rank of a replica would train on fewer samples than its losses are divided by."""
    expected = [divmod(process, program["ranks"]) for process in range(program["ranks"] * program["replicas"])]
    found = [(each["replica"], each["rank"]) for each in program["programs"]]
    if sorted(found) != expected:
        needed = f"a program for each of {program['ranks']} ranks of {program['replicas']} replicas"
        yield "/programs", needed, f"(replica, rank) {found}"


def unknown_actions(program: dict) -> Iterator[tuple[str, str, str]]:
    for pointer, _, action in every_action(program):
        if action.get("op") not in KEYS:
            yield f"{pointer}/op", "one of " + ", ".join(KEYS), json.dumps(action.get("op"))
            continue
        for key in ("id", *KEYS[action["op"]]):
            if key not in action:
                yield f"{pointer}/{key}", f"a key of every {action['op']}", "none"
        if action["op"] == "compute" and action.get("pass") not in PASSES:
            yield f"{pointer}/pass", "one of " + ", ".join(PASSES), json.dumps(action.get("pass"))
        if action["op"] == "compute" and "group" in action:
            yield f"{pointer}/group", "passes of one rank alone", "one that replicas compute together"


def unknown_sizes(program: dict) -> Iterator[tuple[str, str, str]]:
    """One message without a shape stands for all of them."""
    messages = [each for each in every_action(program) if each[2].get("op") in ("send", "post_receive")]
    unknown = [pointer for pointer, _, action in messages if action.get("shape", 0) is None or action.get("dtype", 0) is None]
    if unknown:
        expected = "the sizes of every message, which an experiment with architectures and drawn images has"
        yield f"{unknown[0]}/shape", expected, f"null, as in {len(unknown)} of {len(messages)} messages"


def unpaired(program: dict) -> Iterator[tuple[str, str, str]]:
    """Sends and receives of an ordered pair of ranks must be the same, in the order of tags."""
    ends: dict = defaultdict(lambda: {"send": [], "post_receive": []})
    for _, of_rank, action in every_action(program):
        if action["op"] not in ("send", "post_receive"):
            continue
        here, there = of_rank["rank"], action["peer"]
        pair = (here, there) if action["op"] == "send" else (there, here)
        ends[of_rank["replica"], pair][action["op"]].append((action["tag"], action["shape"], action["dtype"]))
    for (replica, pair), sides in sorted(ends.items()):
        sent, received = sides["send"], sides["post_receive"]
        if sent != received or [tag for tag, _, _ in sent] != list(range(len(sent))):
            where = f"from rank {pair[0]} to {pair[1]} of replica {replica}"
            yield "/programs", f"the same messages {where} at both ends, in the order of tags", "other ones"


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
        stage = action["stage_index" if action["pass"] == "forward" else "to_stage_index"]
        end = "to" if op == "send" else "from"
        return f"{op} of the {value} of stage {stage}, microbatch {action['microbatch']}, {end} rank {action['peer']}"
    for key in ("pass", "stage_index", "microbatch", "group"):
        if key in action:
            words.append(f"{key.replace('_index', '')} {action[key]}" if key != "pass" else str(action[key]))
    return " ".join([op, ", ".join(words)]).strip()
