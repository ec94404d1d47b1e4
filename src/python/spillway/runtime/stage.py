"""A stage: consecutive layers of a rank, and what they keep of microbatches from a forward until its backward."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple, Optional

import torch

from .halves import Halves
from .model import Model
from .program import layers_of


class Kept(NamedTuple):
    """Of a microbatch. Without an output, it waits for its recomputation."""

    x: Optional[torch.Tensor]
    output: Optional[torch.Tensor] = None
    halves: Optional[Halves] = None  # of a split backward, if there are two
    gradient: Optional[torch.Tensor] = None  # of the output, from the input's half to the weights'


class Stage:
    """passes: names of all passes of a microbatch here, which tell what a forward has to keep."""

    def __init__(self, stated: dict, model: Model) -> None:
        self.stated, self.model = stated, model
        self.layers = [model.layer(index) for index in range(*layers_of(stated))]
        self.parameters = [each for layer in self.layers for each in layer.parameters() if each.requires_grad]
        self.optimizer = model.optimizer(self.parameters) if self.parameters else None
        before = [each for each in model.program["blocks"] if each["first_layer"] < stated["first_layer"]]
        self.passes_gradient = any(each["trainable"] for each in before)  # to the stage before it
        self.kept: dict[int, Kept] = {}  # by microbatch
        self.shapes: dict = {}  # by microbatch: of each layer's output, for messages

    def where(self, microbatch: int) -> str:
        return f"stage {self.stated['stage_index']}, microbatch {microbatch}"

    def run(self, microbatch: int, x: Optional[torch.Tensor], batch: Any) -> torch.Tensor:
        shapes = self.shapes[microbatch] = []
        for index, layer in enumerate(self.layers, self.stated["first_layer"]):
            x = self.model.run(index, layer, x, batch, self.where(microbatch))
            shapes.append((index, list(x.shape)))
        return x

    def forward(self, microbatch: int, x: Optional[torch.Tensor], batch: Any, passes: set) -> torch.Tensor:
        if x is not None:
            x = x.detach().requires_grad_(self.passes_gradient and len(passes) > 1)
        if "recompute" not in passes and len(passes) > 1:
            return self.run_with_graph(microbatch, x, batch, passes)
        if "recompute" in passes:
            self.kept[microbatch] = Kept(x)
        with torch.no_grad():
            return self.run(microbatch, x, batch)

    def recompute(self, microbatch: int, batch: Any, passes: set) -> None:
        """Another rank may have run the forward; then the input is the sample itself."""
        self.run_with_graph(microbatch, self.kept.get(microbatch, Kept(None)).x, batch, passes)

    def run_with_graph(self, microbatch: int, x: Optional[torch.Tensor], batch: Any, passes: set) -> torch.Tensor:
        two_halves = "input_gradient" in passes and self.parameters and x is not None and x.requires_grad
        halves = Halves(self.parameters) if two_halves else None
        with halves or contextlib.nullcontext():
            output = self.run(microbatch, x, batch)
        if halves:
            halves.done(output)
        self.kept[microbatch] = Kept(x, output, halves)
        return output.detach()

    def backward(self, microbatch: int, gradient: torch.Tensor, batch: Any) -> Optional[torch.Tensor]:
        """Adds to the gradients of the parameters. Returns that of the input."""
        x, output, _, _ = self.kept.pop(microbatch)
        if output.requires_grad:
            with self.asked(microbatch):
                torch.autograd.backward(output, gradient)
        return self.of_input(x, x.grad if x is not None else None, microbatch, batch)

    def input_gradient(self, microbatch: int, gradient: torch.Tensor, batch: Any) -> Optional[torch.Tensor]:
        x, output, halves, _ = self.kept.pop(microbatch)
        found = None
        if x is not None and x.requires_grad and output.requires_grad:
            with self.asked(microbatch):
                found = halves.input_half(x, output, gradient) if halves else torch.autograd.grad(output, x, gradient, allow_unused=True)[0]
        if self.parameters:
            of_graph = output if not halves or halves.of_large_graph else None  # else its memory is free
            self.kept[microbatch] = Kept(None, of_graph, halves, gradient)
        return self.of_input(x, found, microbatch, batch)

    def weight_gradient(self, microbatch: int) -> None:
        if not self.parameters:
            return
        _, output, halves, gradient = self.kept.pop(microbatch)
        with self.asked(microbatch):
            if halves:
                halves.weight_half(output, gradient)
            else:
                torch.autograd.backward(output, gradient, inputs=self.parameters)

    def asked(self, microbatch: int) -> Any:
        return self.model.asked(f"the backward of {self.where(microbatch)}", "gradients")

    def of_input(self, x: Any, gradient: Any, microbatch: int, batch: Any) -> Optional[torch.Tensor]:
        """The input's gradient. Zeros, in the memory of one, where nothing learns before it, or where it is empty."""
        if x is None or gradient is not None:
            return gradient
        if x.requires_grad and x.numel():
            numbered = zip(range(*layers_of(self.stated)), self.layers)
            raise self.model.lost_gradient(numbered, x, batch, self.where(microbatch))
        return x.new_zeros(()).expand(x.shape)

    def update(self) -> None:
        if self.optimizer:
            with self.model.asked("optimizer(parameters).step()", "an update"):
                self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
