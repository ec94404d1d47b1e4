"""A rank executes its program. The methods are the actions of spillway/program/1, by their names."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import torch

from .model import Model
from .program import carried, layers_of, parts, passes_of
from .stage import Stage
from .wires import Wires


class Rank:
    """watch: told of every action before it begins. trace: has a range for each. The program has been checked, so
    every value is there when an action takes it."""

    def __init__(self, program: dict, process: int, model: Model, wires: Wires, watch: Any, trace: Any) -> None:
        self.model, self.wires, self.watch, self.trace = model, wires, watch, trace
        of_rank = program["programs"][process]
        self.replica = of_rank["replica"]
        self.parts = parts(of_rank["actions"])
        stages = [each for each in program["stages"] if each["rank"] == of_rank["rank"]]
        self.stages = {each["stage_index"]: Stage(each, model) for each in stages}
        self.passes = passes_of(self.parts)

    def run(self, steps: int) -> list[float]:
        """Returns the loss of each step: the mean over all microbatches of all replicas."""
        losses = torch.zeros(steps, device=self.model.device)
        self.seconds = []
        self.wires.barrier()  # processes are not ready at the same time, and what the first step takes is noted, too
        for self.step in range(steps):
            start = time.monotonic()
            # Of stages and microbatches; each value is taken once. shapes: of the layers on this rank that made an output.
            self.outputs, self.gradients, self.shapes, self.batches = {}, {}, {}, {}
            self.open: dict = {}  # what a wait ends: the work, and what to do then
            self.step_loss = losses[self.step]
            for does, action in self.parts:
                self.watch.begins(action)
                with self.trace.range(self.step, does, action):
                    getattr(self, does)(action)
            self.seconds.append(time.monotonic() - start)
        return self.wires.total(losses).tolist()

    def batch(self, microbatch: int) -> Any:
        if microbatch not in self.batches:
            self.batches[microbatch] = self.model.batch(self.step, self.replica, microbatch)
        return self.batches[microbatch]

    def forward(self, action: dict) -> None:
        stage, of, source = self.stages[action["stage_index"]], of_pass(action), action.get("from_stage_index")
        x = None if source is None else self.outputs.pop((source, of[1]))
        self.outputs[of] = stage.forward(of[1], x, self.batch(of[1]), self.passes[of])
        self.shapes[of] = self.shapes.get((source, of[1]), []) + stage.shapes.pop(of[1])

    def recompute(self, action: dict) -> None:
        of = of_pass(action)
        self.stages[of[0]].recompute(of[1], self.batch(of[1]), self.passes[of])

    def backward(self, action: dict) -> None:
        self.pass_on(action, self.stages[action["stage_index"]].backward)

    def input_gradient(self, action: dict) -> None:
        self.pass_on(action, self.stages[action["stage_index"]].input_gradient)

    def weight_gradient(self, action: dict) -> None:
        self.stages[action["stage_index"]].weight_gradient(action["microbatch"])

    def pass_on(self, action: dict, backward: Any) -> None:
        """The gradient of a stage's output becomes that of its input, the output of the stage before."""
        of = of_pass(action)
        gradient = backward(of[1], self.gradients.pop(of), self.batch(of[1]))
        if gradient is not None and "from_stage_index" in action:
            self.gradients[action["from_stage_index"], action["microbatch"]] = gradient

    def loss(self, action: dict) -> None:
        of = of_pass(action)
        output = self.outputs.pop(of).requires_grad_()
        where = f"stage {of[0]}, microbatch {of[1]}"
        loss = self.model.loss(output, self.batch(of[1]), where)
        with self.model.asked(f"the gradient of loss ({where})", "that of its output"):
            (self.gradients[of],) = torch.autograd.grad(loss, output)
        self.step_loss += loss.detach()

    def post_receive(self, action: dict) -> None:
        buffer = torch.empty(action["shape"], dtype=self.model.dtype, device=self.model.device)
        sender = self.wires.process(self.replica, action["peer"])
        arrived = partial(self.of_message(action).__setitem__, carried(action), buffer)
        self.open[action["id"]] = (self.wires.receive(buffer, sender), arrived)

    def of_message(self, action: dict) -> dict:
        """A message carries an output forward, and a gradient backward."""
        return self.outputs if action["pass"] == "forward" else self.gradients

    def send(self, action: dict) -> None:
        value = self.of_message(action).pop(carried(action)).contiguous()
        if list(value.shape) != action["shape"] or value.dtype != self.model.dtype:
            raise self.model.another_value(value, action, self.shapes.get(carried(action), []))
        work = self.wires.send(value, self.wires.process(self.replica, action["peer"]))
        self.open[action["id"]] = (work, value.numel)  # which holds the buffer until then

    def wait(self, action: dict) -> None:
        work, over = self.open.pop(action["for"])
        if work is not None:
            work.wait()
        over()

    def gather(self, action: dict) -> None:
        """Values lie by stage and microbatch, whoever made them, so a seam's local end has nothing to do."""

    def scatter(self, action: dict) -> None:
        """As gather."""

    def reduce(self, action: dict) -> None:
        parameters = self.copy_of(action).parameters
        for each in parameters:
            if each.grad is None:  # no microbatch of this rank
                each.grad = torch.zeros_like(each)
        self.open[action["id"]] = self.wires.reduce([each.grad for each in parameters], action)

    def broadcast(self, action: dict) -> None:
        self.open[action["id"]] = self.wires.broadcast([each.data for each in self.copy_of(action).parameters], action)

    def copy_of(self, action: dict) -> Stage:
        """This rank's stage of the same layers: members of a group may name the first of the copies."""
        return next(stage for stage in self.stages.values() if layers_of(stage.stated) == self.wires.layers(action))

    def update(self, action: dict) -> None:
        self.stages[action["stage_index"]].update()

    def barrier(self, action: dict) -> None:
        self.wires.barrier()


def of_pass(action: dict) -> tuple[int, int]:
    return action["stage_index"], action["microbatch"]
