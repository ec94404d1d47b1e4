"""The halves of a backward: together its gradients, and hardly more than its nodes."""

import collections
import unittest

from executed import small_vlm
from program import needs
from tiny_model import tiny

try:
    import torch
except ImportError:
    torch = None


NODE = "autograd::engine::evaluate_function: "


def counted(does, *not_run):
    """How many nodes of autograd run, and how many products of matrices. not_run: kinds of nodes that are only reached."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        does()
    names = collections.Counter(event.name for event in profile.events())
    nodes = {name[len(NODE) :]: count for name, count in names.items() if name.startswith(NODE)}
    run = sum(count for name, count in nodes.items() if name.rpartition(":")[2] not in ("GraphRoot", *not_run))
    return run, names["aten::mm"] + names["aten::bmm"]  # which all products of a backward are


def whole_backward(layers, x, batch):
    """The gradients of x and of each parameter, and what the backward took."""
    parameters = list(layers.parameters())
    y = run(layers, x, batch)
    g = upstream(y)
    count = counted(lambda: torch.autograd.backward(y, g))
    found = [x.grad, *(each.grad for each in parameters)]
    for each in (x, *parameters):
        each.grad = None
    return found, count


def two_halves(layers, x, batch):
    from spillway.runtime.halves import Halves

    parameters = list(layers.parameters())
    halves, found = Halves(parameters), []
    with halves:
        y = run(layers, x, batch)
    halves.done(y)
    g = upstream(y)
    inputs = counted(lambda: found.append(halves.input_half(x, y, g)), "AccumulateGrad")  # which keep nothing
    assert all(each.grad is None for each in parameters)
    y_later = y if halves.of_large_graph else None
    weights = counted(lambda: halves.weight_half(y_later, g))
    assert x.grad is None
    found += [each.grad for each in parameters]
    for each in parameters:
        each.grad = None
    return found, inputs, weights, halves


def upstream(y):
    torch.manual_seed(5)
    return torch.randn_like(y)


def run(layers, x, batch):
    torch.manual_seed(3)  # of dropout
    for layer in layers:
        x = layer(x, batch)
    return x


def layer_of(forward, **parameters):
    class Made(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(2)
            for name, value in parameters.items():
                setattr(self, name, torch.nn.Parameter(torch.randn(value)) if isinstance(value, tuple) else value)

        def forward(self, x, batch):
            return forward(self, x)

    return torch.nn.ModuleList([Made()])


@needs("torch")
class Halves(unittest.TestCase):
    def hold(self, layers, x=None, batch=None):
        x = torch.randn(5, 4) if x is None else x
        x = x.detach().requires_grad_()
        expected, of_whole = whole_backward(layers, x, batch)
        found, inputs, weights, halves = two_halves(layers, x, batch)
        for a, b in zip(found, expected):
            self.assertEqual(a is None, b is None)
            if b is not None:
                torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
        return halves, of_whole, inputs, weights

    def test_of_the_example_cost_what_one_backward_costs(self):
        example = small_vlm(tiny(depth=4, layers=4))
        blocks = [{"role": "encoder", "first_layer": 0, "end_layer": 4}, {"role": "backbone", "first_layer": 4, "end_layer": 8}]
        sample = {"tokens": 20, "media": [{"patches": 24}, {"patches": 8}]}
        batch = example.batch(0, 0, 0, sample)
        for first, end, rows in ((1, 3, 32), (1, 8, 32), (4, 6, 8), (5, 8, 20)):
            layers = torch.nn.ModuleList([example.layer(index, blocks) for index in range(first, end)])
            halves, (nodes, products), inputs, weights = self.hold(layers, torch.randn(rows, 8), batch)
            self.assertEqual(halves.of_large_graph, [])
            self.assertEqual(inputs[1] + weights[1], products)  # none is computed twice
            self.assertLess(inputs[1], 0.8 * products)
            self.assertLess(inputs[0] + weights[0], 1.3 * nodes)
            self.assertLess(weights[0], 0.6 * nodes)

    def test_of_functions_with_several_inputs_and_outputs(self):
        functional = torch.nn.functional
        for forward, parameters in (
            (lambda layer, x: torch.cat([x, layer.w, x.tanh()]), {"w": (3, 4)}),
            (lambda layer, x: sum(torch.broadcast_tensors(x, layer.w)), {"w": (4,)}),
            (lambda layer, x: (x * layer.w).max(-1).values, {"w": (4,)}),
            (lambda layer, x: x @ layer.w.tanh() @ layer.w.t(), {"w": (4, 4)}),  # used twice
            (lambda layer, x: functional.linear(x, torch.cat([layer.a, layer.b]).half().float()), {"a": (2, 4), "b": (3, 4)}),
            (lambda layer, x: functional.dropout(x * layer.w, 0.5), {"w": (4,)}),
            (lambda layer, x: torch.where(x > layer.w, x, layer.w), {"w": (4,)}),
            (lambda layer, x: torch.stack([x, x * 2]).mul(layer.w).unbind()[1], {"w": (4,)}),
            (lambda layer, x: x * 2, {"w": (4,)}),  # a parameter that takes no part
        ):
            halves, *_ = self.hold(layer_of(forward, **parameters))
            self.assertEqual(halves.of_large_graph, [])

    def test_of_modules_that_take_their_parameters_whole(self):
        attention = layer_of(lambda layer, x: layer.of(x[None], x[None], x[None])[0][0], of=torch.nn.MultiheadAttention(4, 2, batch_first=True))
        recurrent = layer_of(lambda layer, x: layer.of(x[None])[0][0], of=torch.nn.GRU(4, 3, batch_first=True))
        norm = layer_of(lambda layer, x: layer.of(x), of=torch.nn.BatchNorm1d(4))
        for layers in (attention, recurrent, norm):
            halves, *_ = self.hold(layers)
            self.assertEqual(halves.of_large_graph, [])

    def test_of_functions_that_write_in_place(self):
        def into_a_copy(layer, x):
            buffer = layer.w.clone().expand(5, 4).clone()
            buffer[:, 1:3].mul_(x[:, :2])  # what was the parameters' alone is so no more
            return buffer * x + buffer @ layer.v

        def added(layer, x):
            y = x * 1
            y += layer.w
            return y.tanh() @ layer.v

        halves, *_ = self.hold(layer_of(into_a_copy, w=(4,), v=(4, 4)))
        self.assertEqual(len(halves.of_large_graph), 1)
        halves, *_ = self.hold(layer_of(added, w=(4,), v=(4, 4)))
        self.assertEqual(len(halves.of_large_graph), 1)
        linear = torch.nn.Linear(4, 4)
        halves, *_ = self.hold(layer_of(lambda layer, x: torch.nn.functional.relu(layer.of(x), inplace=True), of=linear))
        self.assertEqual(halves.of_large_graph, [])

    def test_of_functions_that_nobody_sees(self):
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(x, w)
                return x * w

            @staticmethod
            def backward(ctx, g):
                x, w = ctx.saved_tensors
                return g * w, (g * x).sum(0)

        halves, *_ = self.hold(layer_of(lambda layer, x: Scaled.apply(x @ layer.v, layer.w) @ layer.v, w=(4,), v=(4, 4)))
        self.assertEqual(len(halves.of_large_graph), 1)

        def checkpointed(layer, x):
            from torch.utils.checkpoint import checkpoint

            return checkpoint(lambda y: torch.tanh(y @ layer.v).exp(), x * layer.w, use_reentrant=False)

        self.hold(layer_of(checkpointed, w=(4,), v=(4, 4)))


if __name__ == "__main__":
    unittest.main()
