"""The halves of a backward: the gradient of a stage's input first, those of its weights later, and no layer twice.

torch.autograd.grad(output, weights) goes through the whole graph again. So, while the layers run, each function that
takes both a value that depends on the stage's input and a parameter is cut out of the graph. It runs on values without
a history, which makes a small graph of its own, and one node of the large graph stands for it (Cut). The node's
backward takes the gradient of the function's inputs from the small graph, and keeps that of its outputs. From there the
weight half has only a step to the parameters.

    y = linear(x, weight)     input half: the gradient of x, of that of y     weight half: that of weight, of that of y

What is computed from parameters alone (a cast, a concatenation) counts as a parameter. What cannot be cut out stays in
the large graph: functions that write in place, and those of torch.autograd.Function. Only if parameters are reached
there does the weight half go through the large graph again, for these.

Cost: both halves run each node of a backward once, and three more for each function that is cut out. A function of many
steps that takes the parameters itself, such as multi_head_attention_forward, runs once in each half. What torch.compile
made of a layer stays right, and breaks at each function.
Source: halves of Qi et al., Zero Bubble Pipeline Parallelism, 2024. Test: tests/python/runtime_halves_test.py."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional

import torch
from torch.overrides import TorchFunctionMode


class Part:
    """A function that was cut out: its inputs without history, its outputs of them, and the gradients of these."""

    def __init__(self, inputs: list, outputs: list) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.gradients: tuple = ()


class Cut(torch.autograd.Function):
    """Stands for a part in the large graph."""

    @staticmethod
    def forward(ctx: Any, part: Part, *inputs: torch.Tensor) -> tuple:
        ctx.part = part
        return tuple(each.detach() for each in part.outputs)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple:
        part = ctx.part
        part.gradients = gradients
        return None, *torch.autograd.grad(part.outputs, part.inputs, gradients, retain_graph=True, allow_unused=True)


class Halves(TorchFunctionMode):
    """Of one microbatch. It is the context in which the layers run."""

    def __init__(self, parameters: list) -> None:
        super().__init__()
        self.parameters, self.ids = parameters, {id(each) for each in parameters}
        self.parts: list[Part] = []
        self.known: dict = {}  # by node: does it lead to more than parameters?

    def __torch_function__(self, function: Callable, types: Any, args: tuple = (), kwargs: Optional[dict] = None) -> Any:
        kwargs = kwargs or {}
        if torch.is_grad_enabled() and not writes_in_place(function, kwargs):
            learning = [each for each in tensors((args, kwargs)) if each.requires_grad]
            if len({self.has_history(each) for each in learning}) == 2:
                return self.cut(function, args, kwargs)
        return function(*args, **kwargs)

    def has_history(self, value: torch.Tensor) -> bool:
        """Does it depend on more than parameters?"""
        if value.grad_fn is None:
            return id(value) not in self.ids
        path = [value.grad_fn]
        while path:
            node = path[-1]
            before = [each for each, _ in node.next_functions if each is not None]
            unknown = [each for each in before if each not in self.known]
            path += unknown
            if not unknown:
                self.known[path.pop()] = any(self.known[each] for each in before) or self.is_other_leaf(node)
        return self.known[value.grad_fn]

    def is_other_leaf(self, node: Any) -> bool:
        return not node.next_functions and id(getattr(node, "variable", self.parameters[0])) not in self.ids

    def cut(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        histories: dict = {}  # by id: a value with a history, and the same without

        def without(value: torch.Tensor) -> torch.Tensor:
            if value.requires_grad and self.has_history(value):
                return histories.setdefault(id(value), (value, value.detach().requires_grad_()))[1]
            return value

        made = function(*mapped(args, without), **mapped(kwargs, without))
        outputs = [each for each in tensors(made) if each.requires_grad]
        if not outputs:
            return made
        inputs = list(histories.values())
        self.parts.append(Part([copy for _, copy in inputs], outputs))
        stand_for = Cut.apply(self.parts[-1], *(value for value, _ in inputs))
        by_id = dict(zip(map(id, outputs), stand_for))
        return mapped(made, lambda each: by_id.get(id(each), each))

    def done(self, output: torch.Tensor) -> None:
        """The layers have run. Finds the parameters that the large graph leads to."""
        self.known.clear()
        seen, path = set(), [output.grad_fn]
        while path:
            node = path.pop()
            if node is not None and node not in seen:
                seen.add(node)
                path += [each for each, _ in node.next_functions]
        leaves = {id(each.variable) for each in seen if not each.next_functions and hasattr(each, "variable")}
        self.of_large_graph = [each for each in self.parameters if id(each) in leaves]

    def input_half(self, x: torch.Tensor, output: torch.Tensor, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        again = bool(self.of_large_graph)
        return torch.autograd.grad(output, x, gradient, retain_graph=again, allow_unused=True)[0]

    def weight_half(self, output: torch.Tensor, gradient: torch.Tensor) -> None:
        """Adds to the gradients of the parameters."""
        if self.of_large_graph:
            torch.autograd.backward(output, gradient, inputs=self.of_large_graph)
        reached = [each for each in self.parts if each.gradients]
        if reached:
            outputs, gradients = ([value for each in reached for value in getattr(each, of)] for of in ("outputs", "gradients"))
            torch.autograd.backward(outputs, gradients, inputs=self.parameters)


def writes_in_place(function: Callable, kwargs: dict) -> bool:
    name = getattr(function, "__name__", "")
    named_so = name in ("__setitem__", "__set__") or (name.endswith("_") and not name.endswith("__"))
    return named_so or "out" in kwargs or bool(kwargs.get("inplace"))


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Of a tensor, or of a list, tuple or dict. Every function's arguments come by here, so plain numbers cost little."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            if isinstance(each, (torch.Tensor, list, tuple, dict)):
                yield from tensors(each)


def mapped(value: Any, change: Callable) -> Any:
    """The same value with other tensors."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: mapped(each, change) for key, each in value.items()}
    if isinstance(value, (list, tuple)) and next(tensors(value), None) is not None:
        members = [mapped(each, change) for each in value]
        return value._make(members) if hasattr(value, "_make") else type(value)(members)
    return value
