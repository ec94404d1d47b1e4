"""What is timed, from the smallest to the largest. A device takes as many of them as the seconds allow.

A row of a table is a shape. Products have three forms, which libraries compute at different speeds:

    forward               [m x k] times [n x k] transposed      a row m, n, k
    gradient of an input  [m x n] times [n x k]                 a row m, k, n
    gradient of a weight  [m x n] transposed times [m x k]      a row n, k, m

Widths are powers of two, and tokens three times that, so that the rows of tokens and of widths never meet. Where two
forms have one shape, the row has the mean of both.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterator, NamedTuple, Optional

import torch
from torch.nn import functional

from .device import Device

TOKENS = [192 * 2**i for i in range(8)]  # to 24,576
WIDTHS = [64 * 2**i for i in range(8)]  # to 8,192
LENGTHS = [64 * 2**i for i in range(9)]  # to 16,384
HEADS = [4, 32]
HEAD_WIDTHS = [32, 64, 128]
ELEMENTS = [1024 * 4**i for i in range(10)]  # to 268 million
ELEMENT_BYTES = 2  # as the program counts
HAS_FUSED_ATTENTION = hasattr(functional, "scaled_dot_product_attention")
Call = Callable[[], Any]


class Case(NamedTuple):
    """group: the table; row: its sizes; form: one of several that the row is the mean of. work: FLOPs, or bytes of what
    only moves them. elements: of its largest tensor. make: the call that is timed."""

    group: str
    row: tuple[int, ...]
    form: str
    work: float
    elements: int
    make: Callable[["Operands"], Call]


class Operands:
    """Tensors of random numbers. They share memory with each other, but for those of different `number`."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.pools: dict[int, torch.Tensor] = {}

    def of(self, number: int, *shape: int) -> torch.Tensor:
        size = math.prod(shape)
        if number not in self.pools or self.pools[number].numel() < size:
            self.pools[number] = torch.randn(size, dtype=self.device.dtype, device=self.device.torch)
        return self.pools[number][:size].view(shape)


def products() -> Iterator[Case]:
    for width, tokens in itertools.product(WIDTHS, TOKENS):
        for n, k in ((width, width), (4 * width, width), (width, 4 * width)):
            yield from product(tokens, n, k)


def product(m: int, n: int, k: int) -> Iterator[Case]:
    forms = {
        "forward": ((m, n, k), lambda x, w, dy: lambda: x @ w.t()),
        "input gradient": ((m, k, n), lambda x, w, dy: lambda: dy @ w),
        "weight gradient": ((n, k, m), lambda x, w, dy: lambda: dy.t() @ x),
    }
    largest = max(m * n, n * k, m * k)
    for form, (row, call) in forms.items():
        make = lambda operands, call=call: call(operands.of(0, m, k), operands.of(1, n, k), operands.of(2, m, n))  # noqa: E731
        yield Case("products", row, f"{form} of {m} {n} {k}", 2.0 * m * n * k, largest, make)


def plain_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return (scores if mask is None else scores + mask).softmax(-1) @ v


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, fused: bool) -> Call:
    if fused:
        return lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    mask = torch.full((q.shape[-2],) * 2, -math.inf, dtype=q.dtype, device=q.device).triu(1) if causal else None
    return lambda: plain_attention(q, k, v, mask)


def attention(fused: bool) -> Iterator[Case]:
    for length, heads, width, causal in itertools.product(LENGTHS, HEADS, HEAD_WIDTHS, (False, True)):
        if heads != max(HEADS) or width != min(HEAD_WIDTHS):
            yield from attention_of(length, heads, width, causal, fused)


def attention_of(length: int, heads: int, width: int, causal: bool, fused: bool) -> Iterator[Case]:
    def forward(operands: Operands) -> Call:
        q, k, v = (operands.of(i, 1, heads, length, width) for i in range(3))
        return attend(q, k, v, causal, fused)

    def backward(operands: Operands) -> Call:
        q, k, v = (operands.of(i, 1, heads, length, width).detach().requires_grad_() for i in range(3))
        with torch.enable_grad():
            output = attend(q, k, v, causal, fused)()
        gradient = operands.of(3, *output.shape)
        return lambda: torch.autograd.grad(output, (q, k, v), gradient, retain_graph=True)

    largest = heads * length * (width if fused else max(width, length))
    for is_backward, make in ((0, forward), (1, backward)):
        row = (int(causal), is_backward, 1, length, heads, heads, width, width)
        work = 4.0 * heads * length * length * width * (2.5 if is_backward else 1)
        yield Case("attention", row, "", work, largest, make)


def elementwise() -> Iterator[Case]:
    """A row: elements, and the tensors that are read and written."""
    width = 1024
    for elements in ELEMENTS:
        shape = (elements // width, width)
        for form, tensors, make in (
            ("norm", 2, lambda o, s=shape: (lambda x: lambda: functional.layer_norm(x, s[1:]))(o.of(0, *s))),
            ("activation", 2, lambda o, s=shape: (lambda x: lambda: functional.silu(x))(o.of(0, *s))),
            ("add", 3, lambda o, s=shape: (lambda x, y: lambda: x + y)(o.of(0, *s), o.of(1, *s))),
        ):
            yield Case("elementwise", (elements, tensors), form, ELEMENT_BYTES * tensors * elements, elements, make)


def single() -> Iterator[Case]:
    """An empty kernel in a row of them, and the host's meeting with an idle device."""

    def launch(operands: Operands) -> Call:
        one = torch.zeros(1, device=operands.device.torch)
        return lambda: one.add_(1)

    yield Case("launch", (), "launch", 1, 1, launch)
    yield Case("launch", (), "synchronisation", 1, 1, lambda operands: operands.device.synchronize)


def by_work(group: Iterator[Case]) -> list[Case]:
    return sorted(group, key=lambda case: case.work)
