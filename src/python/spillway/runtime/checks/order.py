"""Executes a program without values: what every action takes must be there, and no rank may wait for ever.

A rank goes on until it waits: for a receive, until its send was started; for a send, until its receive was posted
(rendezvous, as on Gloo); for a reduction, a broadcast and the barrier, until every member has started it. Time does not
matter: what one rank does never hinders another, so every order of ranks ends in the same place. Linear in the actions.
Test: tests/python/runtime_check_test.py."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Optional

from ..program import carried, holders, layers_of, named, parts, passes_of
from .schema import Fault


class DryRank:
    """The state of a process: sets of (stage, microbatch), and of layers."""

    def __init__(self, program: dict, number: int) -> None:
        of_rank = program["programs"][number]
        self.replica, self.rank = of_rank["replica"], of_rank["rank"]
        self.parts, self.next = parts(of_rank["actions"]), 0
        self.at = {action["id"]: f"/programs/{number}/actions/{i}" for i, action in enumerate(of_rank["actions"])}
        self.passes = passes_of(self.parts)
        self.outputs: set = set()
        self.gradients: set = set()
        self.kept: dict = {}  # "input", "graph" or "weights": what the next pass of a (stage, microbatch) can rest on
        self.open: dict = {}  # by id, what a wait ends: the action, and its number in its pair of ranks or group
        self.started: Counter = Counter()  # by group; None: the barrier
        self.closed: dict = {}  # layers whose gradients are whole: "reduced" from its start, then "summed" or "updated"
        self.fresh: set = set()  # layers that a broadcast has brought


class DryRun:
    def __init__(self, program: dict) -> None:
        self.program, self.stages = program, program["stages"]
        self.ranks = [DryRank(program, number) for number in range(len(program["programs"]))]
        self.sent: Counter = Counter()  # by replica, sender, receiver
        self.posted: Counter = Counter()
        self.arrived: Counter = Counter()  # by group, and number of its operation
        self.learned: Counter = Counter()  # by replica, microbatch, layers
        self.losses: Counter = Counter()  # by replica, microbatch

    def faults(self) -> Iterator[Fault]:
        moved = True
        while moved:
            moved = False
            for rank in self.ranks:
                while rank.next < len(rank.parts):
                    does, action = rank.parts[rank.next]
                    if self.waits(rank, does, action):
                        break
                    for expected, found in getattr(self, does)(rank, action) or ():
                        yield rank.at[action["id"]], expected, found
                    rank.next += 1
                    moved = True
        blocked = [rank for rank in self.ranks if rank.next < len(rank.parts)]
        for rank in blocked:
            action = rank.parts[rank.next][1]
            what = rank.open[action["for"]][0] if "for" in action else action
            yield rank.at[action["id"]], "an action that ends", f"one that waits for ever, for the {named(what)}"
        if not blocked:
            yield from self.left_out()

    def left_out(self) -> Iterator[Fault]:
        """Each microbatch has one loss, and gives each trained stage's layers one gradient."""
        losses, microbatches = sum(self.losses.values()), self.program["microbatches"]
        if losses != microbatches * self.program["replicas"]:
            yield "/microbatches", "as many as each replica has losses", f"{microbatches}, and {losses} losses"
            return
        learn = [stage for number, stage in enumerate(self.stages) if stage["trained"] and self.learns(number)]
        trained = sorted({layers_of(stage) for stage in learn})
        for replica in range(self.program["replicas"]):
            for microbatch in range(self.program["microbatches"]):
                which, losses = f"microbatch {microbatch} of replica {replica}", self.losses[replica, microbatch]
                if losses != 1:
                    yield "/programs", f"one loss of {which}", str(losses)
                for layers in trained:
                    count = self.learned[replica, microbatch, layers]
                    if count != 1:
                        what = f"one backward (or weight_gradient) of {which} for layers {layers[0]} to {layers[1] - 1}"
                        yield "/programs", what, str(count)

    def waits(self, rank: DryRank, does: str, action: dict) -> bool:
        if does == "barrier":
            self.arrive(rank, None)
            return self.arrived[None, 1] < len(self.ranks)
        if does != "wait":
            return False
        started, number = rank.open[action["for"]]
        if started["op"] == "send":
            return self.posted[rank.replica, rank.rank, started["peer"]] <= number
        if started["op"] == "post_receive":
            return self.sent[rank.replica, started["peer"], rank.rank] <= number
        return self.arrived[started["group"], number] < len(self.program["groups"][started["group"]]["members"])

    def arrive(self, rank: DryRank, group: Optional[int]) -> int:
        if group is not None or rank.started[None] == 0:  # a rank that waits at the barrier asks again
            rank.started[group] += 1
            self.arrived[group, rank.started[group]] += 1
        return rank.started[group]

    def layers(self, action: dict) -> tuple:
        return layers_of(self.stages[action["stage_index"]])

    def learns(self, stage: int) -> bool:
        first, end = layers_of(self.stages[stage])
        blocks = (each for each in self.program["blocks"] if each["first_layer"] < end and each["end_layer"] > first)
        return any(each["trainable"] for each in blocks)

    def forward(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        of, source = (action["stage_index"], action["microbatch"]), action.get("from_stage_index")
        if source is not None:
            yield from taken(rank.outputs, "output", source, action["microbatch"])
        yield from self.parameters(rank, action)
        if len(rank.passes[of]) > 1:
            rank.kept[of] = "input" if "recompute" in rank.passes[of] else "graph"
        rank.outputs.add(of)

    def parameters(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        """A copy that is not trained gets those of one that is."""
        stage = action["stage_index"]
        if not self.stages[stage]["trained"] and self.learns(stage) and self.layers(action) not in rank.fresh:
            yield f"a broadcast of the parameters of stage {stage} before, and a wait for it", "none"
        if self.closed_by(rank, action) == "updated":
            yield f"no pass of stage {stage} after its update", "one"

    def closed_by(self, rank: DryRank, action: dict) -> Optional[str]:
        return rank.closed.get(self.layers(action))

    def recompute(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        """Another rank may have run the forward of the first layers, whose input is the sample."""
        of = (action["stage_index"], action["microbatch"])
        if rank.kept.get(of) != "input" and (of in rank.kept or self.layers(action)[0] > 0):
            yield f"the input of stage {of[0]}, microbatch {of[1]}, kept by a forward before", "none"
        rank.kept[of] = "graph"

    def backward(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        yield from self.input_gradient(rank, action)
        yield from self.weight_gradient(rank, action)

    def input_gradient(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        stage, microbatch = action["stage_index"], action["microbatch"]
        yield from taken(rank.gradients, "gradient", stage, microbatch)
        if rank.kept.get((stage, microbatch)) != "graph":
            yield f"a forward of stage {stage}, microbatch {microbatch}, before, and no other backward", "none"
        rank.kept[stage, microbatch] = "weights"
        if "from_stage_index" in action:
            rank.gradients.add((action["from_stage_index"], microbatch))

    def weight_gradient(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        stage, microbatch = action["stage_index"], action["microbatch"]
        if rank.kept.pop((stage, microbatch), None) != "weights":
            yield f"an input_gradient of stage {stage}, microbatch {microbatch}, before", "none"
        if not self.learns(stage):
            return
        if not self.stages[stage]["trained"]:
            yield f"a trained stage, since stage {stage} has layers that learn", "one that is not trained"
        if self.closed_by(rank, action):
            yield f"the gradients of stage {stage} before it is {self.closed_by(rank, action)}", "one after it"
        self.learned[rank.replica, microbatch, self.layers(action)] += 1

    def loss(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        yield from taken(rank.outputs, "output", action["stage_index"], action["microbatch"])
        rank.gradients.add((action["stage_index"], action["microbatch"]))
        self.losses[rank.replica, action["microbatch"]] += 1

    def send(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        values, what = (rank.outputs, "output") if action["pass"] == "forward" else (rank.gradients, "gradient")
        yield from taken(values, what, *carried(action))
        self.sent[rank.replica, rank.rank, action["peer"]] += 1
        rank.open[action["id"]] = (action, action["tag"])

    def post_receive(self, rank: DryRank, action: dict) -> None:
        self.posted[rank.replica, action["peer"], rank.rank] += 1
        rank.open[action["id"]] = (action, action["tag"])

    def reduce(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        if self.closed_by(rank, action):
            yield f"one reduce of stage {action['stage_index']}, before its update", "another"
        rank.closed[self.layers(action)] = "reduced"
        rank.open[action["id"]] = (action, self.arrive(rank, action["group"]))

    def broadcast(self, rank: DryRank, action: dict) -> None:
        rank.open[action["id"]] = (action, self.arrive(rank, action["group"]))

    def wait(self, rank: DryRank, action: dict) -> None:
        started, _ = rank.open.pop(action["for"])
        if started["op"] == "post_receive":
            (rank.outputs if started["pass"] == "forward" else rank.gradients).add(carried(started))
        elif started["op"] == "reduce":
            rank.closed[self.layers(started)] = "summed"
        elif started["op"] == "broadcast":
            rank.fresh.add(self.layers(started))

    def update(self, rank: DryRank, action: dict) -> Iterator[tuple[str, str]]:
        alone = len(holders(self.program, self.layers(action), trained=True)) == 1
        if self.closed_by(rank, action) != (None if alone else "summed"):
            yield f"a reduce of stage {action['stage_index']} over its copies before, and a wait for it", "none"
        rank.closed[self.layers(action)] = "updated"

    def gather(self, rank: DryRank, action: dict) -> None:
        """Nothing to do, as in rank.py."""

    scatter = barrier = gather


def taken(values: set, what: str, stage: int, microbatch: int) -> Iterator[tuple[str, str]]:
    """Each value is taken once."""
    if (stage, microbatch) not in values:
        yield f"the {what} of stage {stage}, microbatch {microbatch}, made or received before", "none"
    values.discard((stage, microbatch))


def run(program: dict) -> Iterator[Fault]:
    return DryRun(program).faults()
