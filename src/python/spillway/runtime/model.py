"""The user's model: its file, and the stages that are made of its layers."""

from __future__ import annotations

import importlib.util
from typing import Any, Optional

import torch

from ..errors import InputError, Violation

DTYPES = {
    "fp32": torch.float32, "float32": torch.float32, "bf16": torch.bfloat16, "bfloat16": torch.bfloat16,
    "fp16": torch.float16, "float16": torch.float16,
}  # fmt: skip


class Model:
    """The functions of a model's file (see the head of the package), for one program."""

    def __init__(self, file: str, program: dict, device: torch.device) -> None:
        self.file, self.program, self.device = file, program, device
        source = importlib.util.spec_from_file_location("spillway_model", file)
        if source is None or source.loader is None:
            raise InputError([Violation(file, "", "a Python file", "another")])
        self.functions = importlib.util.module_from_spec(source)
        try:
            source.loader.exec_module(self.functions)
        except OSError as error:
            raise InputError([Violation(file, "", "a Python file", error.strerror or str(error))]) from None
        missing = [name for name in ("layer", "batch", "loss") if not hasattr(self.functions, name)]
        if missing:
            raise InputError([Violation(file, name, "a function of this name", "none") for name in missing])

    def layer(self, index: int) -> torch.nn.Module:
        """The layer with the parameters that all of its copies begin with."""
        block = next(each for each in self.program["blocks"] if each["first_layer"] <= index < each["end_layer"])
        torch.manual_seed(index)
        module = self.functions.layer(index, self.program["blocks"])
        if not isinstance(module, torch.nn.Module):
            raise InputError([Violation(self.file, f"layer({index})", "a torch.nn.Module", repr(type(module)))])
        return module.requires_grad_(block["trainable"]).to(self.device)

    def batch(self, step: int, replica: int, microbatch: int) -> Any:
        samples = self.program.get("samples")
        sample = samples[replica][microbatch] if samples else None
        return moved(self.functions.batch(step, replica, microbatch, sample), self.device)

    def loss(self, output: torch.Tensor, batch: Any) -> torch.Tensor:
        """A microbatch's share of the step's loss."""
        return self.functions.loss(output, batch) / (self.program["microbatches"] * self.program["replicas"])

    def optimizer(self, parameters: list) -> torch.optim.Optimizer:
        given = getattr(self.functions, "optimizer", None)
        return given(parameters) if given else torch.optim.SGD(parameters, lr=0.01)

    def dtype(self, stated: str) -> torch.dtype:
        """The type of messages."""
        return getattr(self.functions, "dtype", None) or DTYPES[stated]


def moved(value: Any, device: torch.device) -> Any:
    """The batch with its tensors on the device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: moved(each, device) for key, each in value.items()}
    return type(value)(moved(each, device) for each in value) if type(value) in (list, tuple) else value


class Stage:
    """Consecutive layers of a rank, and what they keep of microbatches from a forward until its backward."""

    def __init__(self, stated: dict, model: Model) -> None:
        self.stated_layers = (stated["first_layer"], stated["end_layer"])
        self.layers = [model.layer(index) for index in range(*self.stated_layers)]
        self.parameters = [each for layer in self.layers for each in layer.parameters() if each.requires_grad]
        self.optimizer = model.optimizer(self.parameters) if self.parameters else None
        before = [each for each in model.program["blocks"] if each["first_layer"] < stated["first_layer"]]
        self.passes_gradient = any(each["trainable"] for each in before)  # to the stage before it
        self.kept: dict = {}  # by microbatch: the input, the output with its graph, the output's gradient

    def run(self, x: Optional[torch.Tensor], batch: Any) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x, batch)
        return x

    def forward(self, microbatch: int, x: Optional[torch.Tensor], batch: Any, keep: str) -> torch.Tensor:
        """keep: "graph" for a backward, "input" for a recomputation, or "nothing"."""
        if x is not None:
            x = x.detach().requires_grad_(self.passes_gradient and keep != "nothing")
        with torch.set_grad_enabled(keep == "graph"):
            output = self.run(x, batch)
        if keep != "nothing":
            self.kept[microbatch] = (x, output if keep == "graph" else None)
        return output.detach()

    def recompute(self, microbatch: int, batch: Any) -> None:
        """Another rank may have run the forward; then the input is the sample itself."""
        x, _ = self.kept.get(microbatch, (None, None))
        self.kept[microbatch] = (x, self.run(x, batch))

    def backward(self, microbatch: int, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        """Adds to the gradients of the parameters. Returns that of the input if a stage before learns."""
        x, output = self.kept.pop(microbatch)
        if output.requires_grad:
            torch.autograd.backward(output, gradient)
        return x.grad if x is not None else None

    def input_gradient(self, microbatch: int, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        x, output = self.kept.pop(microbatch)
        if self.parameters:
            self.kept[microbatch] = (output, gradient)
        if x is None or not x.requires_grad:
            return None
        return torch.autograd.grad(output, x, gradient, retain_graph=bool(self.parameters))[0]

    def weight_gradient(self, microbatch: int) -> None:
        if self.parameters:
            output, gradient = self.kept.pop(microbatch)
            torch.autograd.backward(output, gradient, inputs=self.parameters)

    def update(self) -> None:
        if self.optimizer:
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
