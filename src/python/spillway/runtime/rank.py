"""A rank executes its program. The methods are the actions of spillway/program/1, by their names."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import torch

from ..errors import InputError, Violation
from .model import Model, Stage
from .program import named, of_process, parts
from .wires import Wires


class Values(dict):
    """Outputs of stages, or their gradients, by stage and microbatch. Each is taken once."""

    def take(self, what: str, stage: int, microbatch: int, action: dict) -> torch.Tensor:
        if (stage, microbatch) not in self:
            expected = f"the {what} of stage {stage}, microbatch {microbatch}, made or received before"
            raise InputError([Violation("program", f"action {action['id']}, {named(action)}", expected, "none")])
        return self.pop((stage, microbatch))


class Rank:
    """watch: told of every action before it begins. trace: has a range for each."""

    def __init__(self, program: dict, process: int, model: Model, wires: Wires, watch: Any, trace: Any) -> None:
        self.model, self.wires, self.watch, self.trace = model, wires, watch, trace
        of_rank = of_process(program, process)
        self.replica = of_rank["replica"]
        self.parts = parts(of_rank["actions"])
        self.waited_for = {action["for"] for does, action in self.parts if does == "wait"}
        stages = [each for each in program["stages"] if each["rank"] == of_rank["rank"]]
        self.stages = {each["stage_index"]: Stage(each, model) for each in stages}
        self.keep = {}  # what a forward keeps, by stage and microbatch
        for does, action in self.parts:
            if does in ("backward", "input_gradient"):
                self.keep.setdefault((action["stage_index"], action["microbatch"]), "graph")
            elif does == "recompute":
                self.keep[action["stage_index"], action["microbatch"]] = "input"

    def run(self, steps: int) -> list[float]:
        """Returns the loss of each step: the mean over all microbatches of all replicas."""
        losses = torch.zeros(steps, device=self.model.device)
        self.seconds = []
        for self.step in range(steps):
            start = time.monotonic()
            self.outputs, self.gradients, self.batches = Values(), Values(), {}
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
        stage, microbatch, source = action["stage_index"], action["microbatch"], action.get("from_stage_index")
        x = None if source is None else self.outputs.take("output", source, microbatch, action)
        keep = self.keep.get((stage, microbatch), "nothing")
        self.outputs[stage, microbatch] = self.stages[stage].forward(microbatch, x, self.batch(microbatch), keep)

    def recompute(self, action: dict) -> None:
        self.stages[action["stage_index"]].recompute(action["microbatch"], self.batch(action["microbatch"]))

    def backward(self, action: dict) -> None:
        self.pass_on(action, self.stages[action["stage_index"]].backward)

    def input_gradient(self, action: dict) -> None:
        self.pass_on(action, self.stages[action["stage_index"]].input_gradient)

    def weight_gradient(self, action: dict) -> None:
        self.stages[action["stage_index"]].weight_gradient(action["microbatch"])

    def pass_on(self, action: dict, backward: Any) -> None:
        """The gradient of a stage's output becomes that of its input, the output of the stage before."""
        stage, microbatch = action["stage_index"], action["microbatch"]
        gradient = backward(microbatch, self.gradients.take("gradient", stage, microbatch, action))
        if gradient is not None and "from_stage_index" in action:
            self.gradients[action["from_stage_index"], microbatch] = gradient

    def loss(self, action: dict) -> None:
        stage, microbatch = action["stage_index"], action["microbatch"]
        output = self.outputs.take("output", stage, microbatch, action).requires_grad_()
        loss = self.model.loss(output, self.batch(microbatch))
        (self.gradients[stage, microbatch],) = torch.autograd.grad(loss, output)
        self.step_loss += loss.detach()

    def value_of(self, message: dict) -> tuple[Values, str, int]:
        """A message carries an output forward, and a gradient backward. Returns their values, the word, and the stage."""
        if message["pass"] == "forward":
            return self.outputs, "output", message["stage_index"]
        return self.gradients, "gradient", message["to_stage_index"]

    def post_receive(self, action: dict) -> None:
        buffer = torch.empty(action["shape"], dtype=self.model.dtype(action["dtype"]), device=self.model.device)
        sender = self.wires.process(self.replica, action["peer"])
        values, _, stage = self.value_of(action)
        arrived = partial(values.__setitem__, (stage, action["microbatch"]), buffer)
        self.open[action["id"]] = (self.wires.receive(buffer, sender), arrived)

    def send(self, action: dict) -> None:
        values, what, stage = self.value_of(action)
        value = values.take(what, stage, action["microbatch"], action).contiguous()
        expected = (tuple(action["shape"]), self.model.dtype(action["dtype"]))
        if (tuple(value.shape), value.dtype) != expected:
            of = f"{what} of stage {stage}, microbatch {action['microbatch']}"
            stated = f"shape {list(expected[0])} and {expected[1]}, as the program states"
            found = f"shape {list(value.shape)} and {value.dtype}"
            raise InputError([Violation(self.model.file, of, stated, found)])
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
        self.begin(action, self.wires.reduce([each.grad for each in parameters], action))

    def broadcast(self, action: dict) -> None:
        self.begin(action, self.wires.broadcast([each.data for each in self.copy_of(action).parameters], action))

    def copy_of(self, action: dict) -> Stage:
        """This rank's stage of the same layers: members of a group may name the first of the copies."""
        return next(stage for stage in self.stages.values() if stage.stated_layers == self.wires.layers(action))

    def begin(self, action: dict, started: tuple) -> None:
        """Starts something that goes on until a wait for it. Without a wait it is over at once."""
        self.open[action["id"]] = started
        if action["id"] not in self.waited_for:
            self.wait({"for": action["id"]})

    def update(self, action: dict) -> None:
        self.stages[action["stage_index"]].update()

    def barrier(self, action: dict) -> None:
        self.wires.barrier()
