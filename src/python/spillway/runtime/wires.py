"""What ranks say to each other, by torch.distributed: nothing but isend, irecv, all_reduce, broadcast and barrier."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any, Optional

import torch
import torch.distributed as dist

from .program import every_action


class Wires:
    """One process group for each ordered pair of ranks that have a message, and one for each group of the program.

    All processes of the job make them, in the same order. made: groups of programs before, which are used again."""

    def __init__(self, program: dict, seconds: float, made: Optional[dict] = None) -> None:
        self.program, self.timeout = program, timedelta(seconds=seconds)
        self.made = {} if made is None else made
        ordered = {
            (self.process(of_rank["replica"], of_rank["rank"]), self.process(of_rank["replica"], action["peer"]))
            for _, of_rank, action in every_action(program)
            if action["op"] == "send"
        }
        self.pairs = {pair: self.group("pair", pair) for pair in sorted(ordered)}
        self.everybody = self.group("all", tuple(range(program["ranks"] * program["replicas"])))
        self.groups, met = {}, Counter()
        for stated in program["groups"]:
            members = tuple(self.process(each["replica"], each["rank"]) for each in stated["members"])
            self.groups[stated["group"]] = (self.group(f"group {met[members]}", members), members[0])
            met[members] += 1

    def process(self, replica: int, rank: int) -> int:
        return replica * self.program["ranks"] + rank

    def group(self, use: str, members: tuple) -> Any:
        if (use, members) not in self.made:
            self.made[use, members] = dist.new_group(sorted(members), timeout=self.timeout)
        return self.made[use, members]

    def send(self, value: torch.Tensor, to: int) -> Any:
        """Nothing is sent of an empty value, such as the images of a text: both ends know that it is empty."""
        return dist.isend(value, to, group=self.pairs[dist.get_rank(), to]) if value.numel() else None

    def receive(self, value: torch.Tensor, sender: int) -> Any:
        return dist.irecv(value, sender, group=self.pairs[sender, dist.get_rank()]) if value.numel() else None

    def add_up(self, tensors: list[torch.Tensor], group: int) -> None:
        """Each tensor becomes the sum over the members of the group."""
        flat = torch.cat([each.flatten() for each in tensors])
        dist.all_reduce(flat, group=self.groups[group][0])
        unpack(flat, tensors)

    def broadcast(self, tensors: list[torch.Tensor], group: int) -> None:
        """Each tensor becomes that of the first member."""
        flat = torch.cat([each.flatten() for each in tensors])
        dist.broadcast(flat, self.groups[group][1], group=self.groups[group][0])
        unpack(flat, tensors)

    def barrier(self) -> None:
        dist.barrier(group=self.everybody)

    def total(self, value: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(value, group=self.everybody)
        return value


def unpack(flat: torch.Tensor, tensors: list[torch.Tensor]) -> None:
    for tensor, part in zip(tensors, flat.split([each.numel() for each in tensors])):
        tensor.copy_(part.view_as(tensor))
