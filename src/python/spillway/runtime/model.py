"""The user's model: its file, and the stages that are made of its layers."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import traceback
from itertools import groupby
from typing import Any, Iterator, Optional

import torch

from ..errors import InputError, Violation
from .program import layers_of

CUTS = "look for detach(), no_grad(), .data, .item() or a new tensor"


class Model:
    """The functions of a model's file (see the head of the package), for one program. A fault of the file is bad input."""

    def __init__(self, file: str, program: dict, device: torch.device) -> None:
        self.file, self.program, self.device = file, program, device
        source = importlib.util.spec_from_file_location("spillway_model", file)
        if source is None or source.loader is None:
            raise self.fault("", "a Python file", "another")
        self.functions = importlib.util.module_from_spec(source)
        with self.asked("", "a Python file"):
            source.loader.exec_module(self.functions)
        missing = [name for name in ("layer", "batch", "loss") if not callable(getattr(self.functions, name, None))]
        if missing:
            raise InputError([Violation(file, name, "a function of this name", "none") for name in missing])
        stated = getattr(self.functions, "dtype", None)
        if not isinstance(stated, (torch.dtype, type(None))):
            raise self.fault("dtype", "a torch.dtype, such as torch.float32", repr(stated))
        self.dtype = stated or torch.bfloat16  # of messages
        self.dtype_from = "`dtype` of the model's file" if stated else "the program"

    def fault(self, what: str, expected: str, found: str) -> InputError:
        return InputError([Violation(self.file, what, expected, found)])

    @contextlib.contextmanager
    def asked(self, what: str, expected: str) -> Iterator[None]:
        """An exception of the file says what the file was asked for, and where the exception comes from."""
        try:
            yield
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = [f"{each.filename}:{each.lineno}" for each in frames if not is_of_tools(each.filename)]
            found = f"{type(error).__name__}: {error}" + (f" ({', '.join(ours)})" if ours else "")
            raise self.fault(what, expected, found) from None

    def layer(self, index: int) -> torch.nn.Module:
        """The layer with the parameters that all of its copies begin with."""
        block = next(each for each in self.program["blocks"] if each["first_layer"] <= index < each["end_layer"])
        torch.manual_seed(index)
        with self.asked(f"layer({index}, blocks)", "a torch.nn.Module"):
            module = self.functions.layer(index, self.program["blocks"])
        if not isinstance(module, torch.nn.Module):
            raise self.fault(f"layer({index}, blocks)", "a torch.nn.Module", type(module).__name__)
        return module.requires_grad_(block["trainable"]).to(self.device)

    def run(self, index: int, layer: torch.nn.Module, x: Optional[torch.Tensor], batch: Any, where: str) -> torch.Tensor:
        """The layer's output. where: the stage and microbatch."""
        taken = "whose input is the batch" if x is None else f"of an input {list(x.shape)}, {x.dtype}"
        what = f"layer {index} ({where}), {taken}"
        with self.asked(what, "an output"):
            output = layer(x, batch)
        if not isinstance(output, torch.Tensor):
            hint = "return one; what other layers need besides belongs into the batch"
            raise self.fault(what, "one tensor as output", f"{type(output).__name__}: {hint}")
        learns = any(each.requires_grad for each in (*layer.parameters(), *([] if x is None else [x])))
        if torch.is_grad_enabled() and learns and output.numel() and not output.requires_grad:
            raise self.fault(what, "an output that a gradient leads back from", f"one without: {CUTS}")
        return output

    def batch(self, step: int, replica: int, microbatch: int) -> Any:
        samples = self.program.get("samples")
        sample = samples[replica][microbatch] if samples else None
        with self.asked(f"batch({step}, {replica}, {microbatch}, sample)", "a batch"):
            return moved(self.functions.batch(step, replica, microbatch, sample), self.device)

    def loss(self, output: torch.Tensor, batch: Any, where: str) -> torch.Tensor:
        """A microbatch's share of the step's loss."""
        what = f"loss ({where}), of an output {list(output.shape)}"
        expected = "a tensor of one number that depends on the output"
        with self.asked(what, expected):
            loss = self.functions.loss(output, batch)
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1 or not loss.requires_grad:
            is_one = isinstance(loss, torch.Tensor) and loss.numel() == 1
            found = f"one that does not: {CUTS}" if is_one else getattr(loss, "shape", type(loss).__name__)
            raise self.fault(what, expected, f"shape {list(found)}" if isinstance(found, torch.Size) else found)
        return loss.reshape(()) / (self.program["microbatches"] * self.program["replicas"])

    def optimizer(self, parameters: list) -> torch.optim.Optimizer:
        given = getattr(self.functions, "optimizer", None)
        with self.asked("optimizer(parameters)", "a torch.optim.Optimizer"):
            made = given(parameters) if given else torch.optim.SGD(parameters, lr=0.01)
        if not isinstance(made, torch.optim.Optimizer):
            raise self.fault("optimizer(parameters)", "a torch.optim.Optimizer", type(made).__name__)
        return made


def is_of_tools(file: str) -> bool:
    return file.startswith((os.path.dirname(__file__), os.path.dirname(torch.__file__), "<frozen", contextlib.__file__))


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
        self.stated, self.model = stated, model
        self.layers = [model.layer(index) for index in range(*layers_of(stated))]
        self.parameters = [each for layer in self.layers for each in layer.parameters() if each.requires_grad]
        self.optimizer = model.optimizer(self.parameters) if self.parameters else None
        before = [each for each in model.program["blocks"] if each["first_layer"] < stated["first_layer"]]
        self.passes_gradient = any(each["trainable"] for each in before)  # to the stage before it
        self.kept: dict = {}  # by microbatch: the input, the output with its graph (or its gradient), the batch
        self.shapes: dict = {}  # by microbatch: of each layer's output, for messages

    def where(self, microbatch: int) -> str:
        return f"stage {self.stated['stage_index']}, microbatch {microbatch}"

    def run(self, microbatch: int, x: Optional[torch.Tensor], batch: Any) -> torch.Tensor:
        shapes = self.shapes[microbatch] = []
        for index, layer in enumerate(self.layers, self.stated["first_layer"]):
            x = self.model.run(index, layer, x, batch, self.where(microbatch))
            shapes.append((index, list(x.shape)))
        return x

    def forward(self, microbatch: int, x: Optional[torch.Tensor], batch: Any, keep: Optional[str]) -> torch.Tensor:
        """keep: "graph" for a backward, "input" for a recomputation, or None."""
        if x is not None:
            x = x.detach().requires_grad_(self.passes_gradient and keep is not None)
        with torch.set_grad_enabled(keep == "graph"):
            output = self.run(microbatch, x, batch)
        if keep is not None:
            self.kept[microbatch] = (x, output if keep == "graph" else None, batch)
        return output.detach()

    def recompute(self, microbatch: int, batch: Any) -> None:
        """Another rank may have run the forward; then the input is the sample itself."""
        x = self.kept[microbatch][0] if microbatch in self.kept else None
        self.kept[microbatch] = (x, self.run(microbatch, x, batch), batch)

    def backward(self, microbatch: int, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        """Adds to the gradients of the parameters. Returns that of the input."""
        x, output, batch = self.kept.pop(microbatch)
        if output.requires_grad:
            with self.model.asked(f"the backward of {self.where(microbatch)}", "gradients"):
                torch.autograd.backward(output, gradient)
        return self.of_input(x, x.grad if x is not None else None, microbatch, batch)

    def input_gradient(self, microbatch: int, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        x, output, batch = self.kept.pop(microbatch)
        if self.parameters:
            self.kept[microbatch] = (x, output, gradient)
        found = None
        if x is not None and x.requires_grad and output.requires_grad:
            with self.model.asked(f"the backward of {self.where(microbatch)}", "gradients"):
                (found,) = torch.autograd.grad(output, x, gradient, retain_graph=bool(self.parameters), allow_unused=True)
        return self.of_input(x, found, microbatch, batch)

    def weight_gradient(self, microbatch: int) -> None:
        if self.parameters:
            _, output, gradient = self.kept.pop(microbatch)
            with self.model.asked(f"the backward of {self.where(microbatch)}", "gradients"):
                torch.autograd.backward(output, gradient, inputs=self.parameters)

    def of_input(self, x: Any, gradient: Any, microbatch: int, batch: Any) -> Optional[torch.Tensor]:
        """The input's gradient. Zeros, in the memory of one, where nothing learns before it, or where it is empty."""
        if x is None or gradient is not None:
            return gradient
        if x.requires_grad and x.numel():
            what = f"layer {self.losing(x, batch)} ({self.where(microbatch)})"
            raise self.model.fault(what, "an output that leads a gradient back to its input", f"one that does not: {CUTS}")
        return x.new_zeros(()).expand(x.shape)

    def losing(self, x: torch.Tensor, batch: Any) -> int:
        """The first layer that loses its input's gradient, found by running the layers once more."""
        with torch.enable_grad():
            for index, layer in enumerate(self.layers, self.stated["first_layer"]):
                x = x.detach().requires_grad_()
                output = layer(x, batch)
                if torch.autograd.grad(output.sum(), x, allow_unused=True)[0] is None:
                    break
                x = output
        return index

    def update(self) -> None:
        if self.optimizer:
            with self.model.asked("optimizer(parameters).step()", "an update"):
                self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)


def trail(shapes: list) -> str:
    """In words, the shapes of layers' outputs, one after the other."""
    words = []
    for shape, of_run in groupby(shapes, key=lambda each: each[1]):
        first, *others = (index for index, _ in of_run)
        words.append(f"{shape} of layers {first} to {others[-1]}" if others else f"{shape} of layer {first}")
    return ", ".join(words)
