"""Executes programs for tests: many in one start of processes, with their gradients; and what one process computes."""

import functools
import importlib
import importlib.util
import math
import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from started import Fork

EXAMPLE = Path(__file__).parents[2] / "examples/small_vlm.py"


def small_vlm(config):
    """The example with other sizes."""
    source = importlib.util.spec_from_file_location("small_vlm", EXAMPLE)
    functions = importlib.util.module_from_spec(source)
    source.loader.exec_module(functions)
    functions.CONFIG = config
    return functions


def example_file(folder, config):
    """The same as a file."""
    given = 'json.loads((Path(__file__).parents[1] / "workloads/models/small-vlm/config.json").read_text())'
    text = EXAMPLE.read_text()
    assert given in text
    path = os.path.join(folder, "model.py")
    Path(path).write_text(text.replace(given, repr(config)))
    return path


def of_one_process(job):
    """Losses, and the gradients of each step by layer and name: a plain training loop over the whole model."""
    import torch

    program, functions = job["program"], small_vlm(job["config"])
    layers = []
    for block in program["blocks"]:
        for index in range(block["first_layer"], block["end_layer"]):
            torch.manual_seed(index)
            layers.append(functions.layer(index, program["blocks"]).requires_grad_(block["trainable"]))
    whole = torch.nn.ModuleList(layers)
    learned = [each for each in whole.parameters() if each.requires_grad]
    optimizer = functions.optimizer(learned)
    losses, gradients = [], []
    for step in range(job["steps"]):
        total = 0.0
        for replica in range(program["replicas"]):
            for microbatch in range(program["microbatches"]):
                held = functions.batch(step, replica, microbatch, program["samples"][replica][microbatch])
                x = None
                for layer in whole:
                    x = layer(x, held)
                loss = functions.loss(x, held) / (program["replicas"] * program["microbatches"])
                loss.backward()
                total += loss.item()
        losses.append(total)
        gradients.append({name: each.grad.clone() for name, each in whole.named_parameters() if each.grad is not None})
        optimizer.step()
        optimizer.zero_grad()
    return losses, gradients


class Pool:
    """Processes that execute jobs, each a "program", a "config" for examples/small_vlm.py, and "steps". Their number is
    that of the largest program. They are forks: call nothing of torch before. hang: seconds until the pool names an action
    that does not end."""

    def __init__(self, jobs, hang=60):
        self.folder, self.jobs, self.hang = tempfile.TemporaryDirectory(), jobs, hang
        self.size = max(len(each["program"]["programs"]) for each in jobs)
        importlib.import_module("spillway.runtime.job")  # PyTorch, too, before the forks
        self.processes = [Fork(lambda rank=rank: self.run(rank)) for rank in range(self.size)]

    def run(self, rank):
        import torch

        sys.dont_write_bytecode, sys.pycache_prefix = False, self.folder.name  # every job loads the model's file
        found = execute(self.jobs, rank, self.size, os.path.join(self.folder.name, "meet"), self.hang)
        torch.save([each and (each[0], packed(each[1])) for each in found], self.file(rank))

    def file(self, rank):
        return os.path.join(self.folder.name, f"found-{rank}.pt")

    def found(self):
        """By job: its losses, and the gradients of each step by layer and name, once for every copy of a layer."""
        import torch

        ended = [process.ended() for process in self.processes]
        if any(each.returncode for each in ended):
            raise AssertionError("\n".join(each.stderr for each in ended))
        parts = [torch.load(self.file(rank)) for rank in range(self.size)]
        self.folder.cleanup()
        return [
            (next(part[n][0] for part in parts if part[n]), [copy for part in parts if part[n] for copy in unpacked(*part[n][1])])
            for n in range(len(parts[0]))
        ]


def packed(gradients):
    """As one tensor, since thousands of small ones take longer to write than to compute."""
    import torch

    names = [(step, name, list(each.shape)) for step, name, each in gradients]
    return names, torch.cat([each.flatten() for *_, each in gradients]) if gradients else torch.empty(0)


def unpacked(names, flat):
    parts = flat.split([math.prod(shape) for *_, shape in names]) if names else []
    return [(step, name, part.view(shape)) for (step, name, shape), part in zip(names, parts)]


def farthest(found, expected):
    """The largest relative error of losses and of gradients, each relative to the largest entry of its tensor, or of
    all tensors of its step if that is tiny. Every learned parameter must be there."""
    import torch

    losses, copies = found
    worst_loss = max(abs(a - b) / abs(b) for a, b in zip(losses, expected[0]))
    largest = [max(each.abs().max().item() for each in of_step.values()) for of_step in expected[1]]
    met, worst = set(), 0.0
    for step, name, gradient in copies:
        reference = expected[1][step].get(name, torch.zeros_like(gradient))  # no microbatch reaches it
        scale = max(reference.abs().max().item(), 1e-3 * largest[step]) or 1
        worst = max(worst, (gradient - reference).abs().max().item() / scale)
        met.add((step, name))
    missing = {(step, name) for step, all_of in enumerate(expected[1]) for name in all_of} - met
    if missing or len(losses) != len(expected[0]):
        raise AssertionError(f"no gradients of {sorted(missing)}")
    return worst_loss, worst


def execute(jobs, rank, size, meet, hang):
    """One process of a pool. What another process has none of is no part of its program."""
    import torch
    import torch.distributed as dist
    from spillway.runtime.model import Model
    from spillway.runtime.rank import Rank
    from spillway.runtime.trace import Records
    from spillway.runtime.watch import Watch
    from spillway.runtime.wires import Wires

    class Recording(Rank):
        def update(self, action):
            for name, each in self.named(action["stage_index"]):
                if each.grad is not None:
                    self.gradients_met.append((self.step, name, each.grad.clone()))
            super().update(action)

        @functools.cache
        def named(self, index):
            stage = self.stages[index]
            numbered = enumerate(stage.layers, stage.stated["first_layer"])
            named = [(f"{number}.{name}", each) for number, layer in numbered for name, each in layer.named_parameters()]
            return [(name, each) for name, each in named if each.requires_grad]

    patience = timedelta(seconds=2 * hang)
    dist.init_process_group("gloo", init_method=f"file://{meet}", rank=rank, world_size=size, timeout=patience)
    watch = Watch(f"process {rank}", [], NoStore(), hang)
    watch.start()
    found, made = [], {}
    for number, job in enumerate(jobs):
        program = job["program"]
        wires = Wires(program, 2 * hang, made)
        if rank >= len(program["programs"]):
            watch.begins({"op": "wait", "id": -1})
            found.append(None)
            continue
        model = Model(str(EXAMPLE), program, torch.device("cpu"))
        model.functions.CONFIG = job["config"]
        executed = Recording(program, rank, model, wires, watch, Records(program, rank))
        executed.gradients_met, watch.who = [], f"process {rank}, job {number}"
        try:
            losses = executed.run(job["steps"])
        except Exception as error:
            raise AssertionError(f"job {number}, {program['schedule']}, {watch.doing()}: {error}") from error
        found.append((losses, executed.gradients_met))
    watch.finish()
    return found


class NoStore:
    """The watch of a pool tells of itself alone."""

    def add(self, _, amount):
        return amount

    def set(self, *_):
        pass
