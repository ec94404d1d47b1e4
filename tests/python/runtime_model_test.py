"""What is said of a fault in a user's model: which layer or function, what was expected, what was found, what to do."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from derived_programs import derived
from executed import EXAMPLE
from pipeline_programs import one_f_one_b
from program import needs
from spillway import InputError
from tiny_model import tiny

# The example, tiny, each of whose layers is wrapped.
MODEL = """
import importlib.util, json, sys
import torch
source = importlib.util.spec_from_file_location("small_vlm", {example!r})
small_vlm = importlib.util.module_from_spec(source)
source.loader.exec_module(small_vlm)
small_vlm.CONFIG = json.loads({config!r})
batch, loss, dtype = small_vlm.batch, small_vlm.loss, torch.float32
class Wrapped(torch.nn.Module):
    def __init__(self, index, layer):
        super().__init__()
        self.index, self.layer = index, layer
    def forward(self, x, batch):
        index, y = self.index, self.layer(x, batch) 
        return {output}
def layer(index, blocks):
    return Wrapped(index, small_vlm.layer(index, blocks))
{more}
"""
LAYER_2 = "layer 2 (stage 0, microbatch 0), of an input "


class OneProcess:
    """Wires, a watch and a trace of a job that has one process."""

    def begins(self, action):
        pass

    def barrier(self):
        pass

    def total(self, value):
        return value

    def process(self, replica, rank):
        return rank

    def receive(self, value, sender):
        return None

    def range(self, *_):
        return tempfile.SpooledTemporaryFile()  # any context


@needs("torch")
class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "model.py")

    def run_one(self, text, program=None, process=0):
        import torch
        from spillway.runtime.model import Model
        from spillway.runtime.rank import Rank

        Path(self.file).write_text(text)
        program = program or one_f_one_b(1, 1, layers_of_rank=[4])
        one = OneProcess()
        return Rank(program, process, Model(self.file, program, torch.device("cpu")), one, one, one).run(1)

    def said(self, output="y", more="", program=None, config=None, process=0):
        config = json.dumps(config or tiny())
        text = MODEL.format(example=str(EXAMPLE), config=config, output=output, more=more)
        with self.assertRaises(InputError) as refused:
            self.run_one(text, program, process)
        return str(refused.exception)

    def test_as_it_is_it_trains(self):
        text = MODEL.format(example=str(EXAMPLE), config=json.dumps(tiny()), output="y", more="")
        self.assertEqual(len(self.run_one(text)), 1)

    def test_a_layer_that_returns_no_tensor(self):
        of_layer = LAYER_2 + "[1, 8], torch.float32: expected one tensor as output, found "
        self.assertIn(of_layer + "NoneType: return one", self.said("None if index == 2 else y"))
        self.assertIn(of_layer + "tuple: return one", self.said("(y,) if index == 2 else y"))

    def test_a_layer_that_raises_is_named_with_the_line(self):
        said = self.said("1 // 0 if index == 2 else y")
        self.assertIn(LAYER_2 + "[1, 8], torch.float32: expected an output, found ZeroDivisionError", said)
        self.assertRegex(said, r"\(\S+model\.py:15\)$")
        self.assertIn("expected an output, found SystemExit: 0", self.said("sys.exit(0) if index == 2 else y"))

    def test_an_input_of_a_wrong_shape_is_said_of_the_layer_that_takes_it(self):
        said = self.said("y[:, 1:] if index == 1 else y")
        self.assertIn(LAYER_2 + "[1, 7], torch.float32: expected an output, found RuntimeError", said)

    def test_a_gradient_that_a_layer_loses(self):
        said = self.said("y.detach() if index == 2 else y")
        self.assertIn(LAYER_2 + "[1, 8], torch.float32: expected an output that a gradient leads back from", said)
        self.assertIn("look for detach(), no_grad(),", said)

    def test_an_inputs_gradient_that_a_layer_loses(self):
        for split in (False, True):
            program = one_f_one_b(2, 1, layers_of_rank=[2, 2], split=split)
            program = self.alone(program)
            said = self.said("self.layer(x.detach(), batch) if index == 3 else y", program=program)
            self.assertIn("layer 3 (stage 1, microbatch 0): expected an output that leads a gradient back to its input", said)

    @staticmethod
    def alone(program):
        """Both stages on one rank, without messages."""
        actions = [each for of_rank in program["programs"] for each in of_rank["actions"]]
        order = ("forward", "loss", "backward", "input_gradient", "weight_gradient")
        key = lambda a: (order.index(a.get("pass", "loss")), 0 if a.get("pass") == "forward" else 1)  # noqa: E731
        back = [a for a in actions if a.get("pass") in order[2:] and a["op"] == "compute"]
        front = [a for a in actions if a["op"] == "loss" or (a["op"] == "compute" and a["pass"] == "forward")]
        ends = [a for a in actions if a["op"] == "update"] + [actions[-1]]
        back.sort(key=lambda a: (key(a), -a["stage_index"]))
        for stage in program["stages"]:
            stage["rank"] = 0
        return {**program, "ranks": 1, "programs": [{"replica": 0, "rank": 0, "actions": front + back + ends}]}

    def test_another_shape_than_the_program_states_is_led_back_to_the_layer(self):
        job = derived(self.folder.name, {"schedule": "zb-v"}, tiny(depth=2, layers=6))
        # Layers 2 to 5 are two stages of rank 1. The fault is in the first, and the second sends.
        twice = "torch.cat([y, y]) if index == 2 else y"
        said = self.said(twice, program=job["program"], config=job["config"], process=1)
        self.assertRegex(said, r"send of the output of stage 3, microbatch 0, to rank 0: expected shape \[\d+, 8\], from the")
        self.assertRegex(said, r"found shape \[(\d+), 8\] and torch.float32 \(\[\1, 8\] of layers 2 to 5\)")

    def test_a_model_without_a_dtype_is_told_which_to_set(self):
        program = one_f_one_b(2, 1)
        said = self.said(more="del dtype", program=program)
        self.assertIn("from the program, and torch.bfloat16, from the program, found shape [1, 8] and torch.float32", said)
        self.assertIn("set `dtype = torch.float32` in the model's file, or let its layers compute in torch.bfloat16", said)
        said = self.said(more="dtype = 'float32'")
        self.assertIn("dtype: expected a torch.dtype, such as torch.float32, found 'float32'", said)

    def test_a_loss_of_another_kind(self):
        for output, found in (
            ("3.0", "float"), ("None", "NoneType"), ("output.sum(-1)", "shape ["),
            ("output.detach().sum()", "one that does not: look for detach()"), ("int('x')", "ValueError: invalid literal"),
        ):  # fmt: skip
            said = self.said(more=f"def loss(output, batch): return {output}")
            self.assertIn("loss (stage 0, microbatch 0), of an output [", said)
            self.assertIn(f"expected a tensor of one number that depends on the output, found {found}", said)

    def test_functions_that_fail_or_return_something_else(self):
        for more, expected in (
            ("batch = None", "batch: expected a function of this name, found none"),
            ("def batch(step): pass", "batch(0, 0, 0, sample): expected a batch, found TypeError"),
            ("def layer(i, b): return lambda x, batch: x", "layer(0, blocks): expected a torch.nn.Module, found function"),
            ("def layer(i, b): raise KeyError('a')", "layer(0, blocks): expected a torch.nn.Module, found KeyError: 'a'"),
            ("def optimizer(p): return 1", "optimizer(parameters): expected a torch.optim.Optimizer, found int"),
            ("def optimizer(p): raise KeyError('a')", "optimizer(parameters): expected a torch.optim.Optimizer, found KeyError"),
            ("raise SystemExit(0)", "expected a Python file, found SystemExit: 0"),
            ("import nowhere_to_be_found", "expected a Python file, found ModuleNotFoundError: No module named"),
            ("def layer(:", "expected a Python file, found SyntaxError: invalid syntax"),
        ):
            self.assertIn(expected, self.said(more=more))


if __name__ == "__main__":
    unittest.main()
