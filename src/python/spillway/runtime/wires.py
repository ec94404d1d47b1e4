"""Messages and exchanges between ranks, by isend, irecv, all_reduce, broadcast and barrier of torch.distributed alone."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, Callable, Optional

import torch
import torch.distributed as dist

from .program import every_action, layers_of


class Wires:
    """One process group for each ordered pair of ranks that have a message, and one for each stage whose parameters or
    gradients go through a group of the program: so no two streams of messages share one, whatever their order.

    All processes of the job make them, in the same order. made: groups of programs before, which are used again."""

    def __init__(self, program: dict, seconds: float, made: Optional[dict] = None) -> None:
        self.program, self.timeout = program, timedelta(seconds=seconds)
        self.made = {} if made is None else made
        pairs, shared = set(), set()
        for _, of_rank, action in every_action(program):
            if action["op"] == "send":
                pairs.add(tuple(self.process(of_rank["replica"], rank) for rank in (of_rank["rank"], action["peer"])))
            elif action["op"] in ("reduce", "broadcast"):
                shared.add((action["group"], self.layers(action)))
        self.everybody = self.group("all", tuple(range(len(program["programs"]))))
        self.pairs = {pair: self.group("pair", pair) for pair in sorted(pairs)}
        self.shared = {each: self.group(f"layers {each[1]}", self.members(each[0])) for each in sorted(shared)}

    def process(self, replica: int, rank: int) -> int:
        return replica * self.program["ranks"] + rank

    def layers(self, action: dict) -> tuple:
        return layers_of(self.program["stages"][action["stage_index"]])

    def members(self, group: int) -> tuple:
        return tuple(self.process(each["replica"], each["rank"]) for each in self.program["groups"][group]["members"])

    def group(self, use: str, members: tuple) -> Any:
        if (use, members) not in self.made:
            self.made[use, members] = dist.new_group(sorted(members), timeout=self.timeout)
        return self.made[use, members]

    def send(self, value: torch.Tensor, to: int) -> Any:
        """Nothing is sent of an empty value, such as the images of a text: both ends know that it is empty."""
        return dist.isend(value, to, group=self.pairs[dist.get_rank(), to]) if value.numel() else None

    def receive(self, value: torch.Tensor, sender: int) -> Any:
        return dist.irecv(value, sender, group=self.pairs[sender, dist.get_rank()]) if value.numel() else None

    def reduce(self, tensors: list[torch.Tensor], action: dict) -> tuple[Any, Callable[[], None]]:
        """When it is over and the function was called, each tensor is the sum over the members of the group."""
        return self.exchange(tensors, action, dist.all_reduce)

    def broadcast(self, tensors: list[torch.Tensor], action: dict) -> tuple[Any, Callable[[], None]]:
        """The same, with what the first member has."""
        return self.exchange(tensors, action, partial(dist.broadcast, src=self.members(action["group"])[0]))

    def exchange(self, tensors: list[torch.Tensor], action: dict, how: Callable) -> tuple[Any, Callable[[], None]]:
        """As one tensor. Nothing goes on if there is none: layers that are frozen for every member."""
        if not tensors:
            return None, lambda: None
        flat = torch.cat([each.flatten() for each in tensors])
        work = how(flat, group=self.shared[action["group"], self.layers(action)], async_op=True)
        return work, lambda: unpack(flat, tensors)

    def barrier(self) -> None:
        dist.barrier(group=self.everybody)

    def total(self, value: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(value, group=self.everybody)
        return value


def unpack(flat: torch.Tensor, tensors: list[torch.Tensor]) -> None:
    for tensor, part in zip(tensors, flat.split([each.numel() for each in tensors])):
        tensor.copy_(part.view_as(tensor))
