"""The user's model: the functions of its file. What is wrong with them is said as bad input."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import traceback
from itertools import groupby
from typing import Any, Iterable, Iterator, Optional

import torch

from ..errors import InputError, Violation
from .program import named

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
        if torch.is_grad_enabled() and output.numel() and not output.requires_grad and learns(layer, x):
            raise self.fault(what, "an output that a gradient leads back from", f"one without: {CUTS}")
        return output

    def another_value(self, value: torch.Tensor, action: dict, shapes: list) -> InputError:
        """A message that is not as the program states it. shapes: of the outputs of layers before it, each with its layer."""
        expected = f"shape {action['shape']}, from the program, and {self.dtype}, from {self.dtype_from}"
        found = f"shape {list(value.shape)} and {value.dtype}"
        if list(value.shape) != action["shape"]:
            found += f" ({trail(shapes)})" if shapes and action["pass"] == "forward" else ""
            found += ": the experiment's architecture states other sizes than the model's layers have"
        if value.dtype != self.dtype:
            found += f": set `dtype = {value.dtype}` in the model's file, or let its layers compute in {self.dtype}"
        return self.fault(named(action), expected, found)

    def lost_gradient(self, layers: Iterable[tuple], x: torch.Tensor, batch: Any, where: str) -> InputError:
        """Of these layers with their numbers, the first that loses its input's gradient, found by running them again."""
        with torch.enable_grad():
            for index, layer in layers:
                x = x.detach().requires_grad_()
                output = layer(x, batch)
                if torch.autograd.grad(output.sum(), x, allow_unused=True)[0] is None:
                    break
                x = output
        expected = "an output that leads a gradient back to its input"
        return self.fault(f"layer {index} ({where})", expected, f"one that does not: {CUTS}")

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


def learns(layer: torch.nn.Module, x: Optional[torch.Tensor]) -> bool:
    return any(each.requires_grad for each in (*layer.parameters(), *([] if x is None else [x])))


def trail(shapes: list) -> str:
    """In words, the shapes of layers' outputs, one after the other."""
    words = []
    for shape, of_run in groupby(shapes, key=lambda each: each[1]):
        first, *others = (index for index, _ in of_run)
        words.append(f"{shape} of layers {first} to {others[-1]}" if others else f"{shape} of layer {first}")
    return ", ".join(words)


def is_of_tools(file: str) -> bool:
    return file.startswith((os.path.dirname(__file__), os.path.dirname(torch.__file__), "<frozen", contextlib.__file__))


def moved(value: Any, device: torch.device) -> Any:
    """The batch with its tensors on the device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: moved(each, device) for key, each in value.items()}
    return type(value)(moved(each, device) for each in value) if type(value) in (list, tuple) else value
