"""run_lists.py FOLDER: does PyTorch execute the action lists of write_lists.py as they say?

For every list, as many processes as it has ranks load it into torch.distributed.pipelining's own runtime, with small
stages, and run a step over Gloo. On every rank the actions that PyTorch executed have to be those of the rank's row, in
that order, and the gradients those of a process that holds the whole model, to 1e-5 of the largest. Lists that PyTorch
cannot hold, as a note of the program says, it has to refuse. Where it refuses OVERLAP_F_B alone, it then runs the
halves, as later versions do.
"""

import copy
import csv
import datetime
import json
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime

WIDTH, SAMPLES, TOLERANCE, PATIENCE = 8, 2, 1e-5, datetime.timedelta(seconds=60)
CELL = re.compile(r"(\d+)([A-Z_]+)(\d+)(?: \[layers=(\d+)\])?$")
OVERLAP = re.compile(r"\((\w+);(\w+)\)OVERLAP_F_B$")
COMPUTING = ("F", "B", "I", "W")


class Layer(torch.nn.Module):
    def __init__(self, number, frozen):
        super().__init__()
        torch.manual_seed(number)
        self.linear = torch.nn.Linear(WIDTH, WIDTH).requires_grad_(not frozen)

    def forward(self, value):
        return value + torch.tanh(self.linear(value))


class Lists:
    """The rows of a file, and what they say about the stages."""

    def __init__(self, path, model_layers):
        with open(path, newline="") as file:
            cells = [row for row in csv.reader(file)]
        self.fused = any(OVERLAP.match(cell) for row in cells for cell in row)
        self.rows = [[part for cell in row for part in self.parts(cell)] for row in cells]
        found = [(rank, *CELL.match(cell).groups()) for rank, row in enumerate(self.rows) for cell in row]
        self.rank_of = {int(stage): rank for rank, stage, kind, _, _ in found if kind in COMPUTING}
        self.stages = len(self.rank_of)
        stated = {int(stage): int(layers) for _, stage, _, _, layers in found if layers}
        each, more = divmod(model_layers, self.stages)
        self.layers = [stated.get(s) or each + (s < more) for s in range(self.stages)]

    @staticmethod
    def parts(cell):
        fused = OVERLAP.match(cell)
        return fused.groups() if fused else (cell,)

    def write(self, path):
        """The same lists with every overlap as its halves."""
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows(self.rows)

    def expected(self, rank):
        return ["".join(CELL.match(cell).groups()[:3]) for cell in self.rows[rank]]


class Job:
    def __init__(self, folder, stated):
        self.name, self.notes, self.path = stated["name"], stated["notes"], folder / stated["file"]
        self.microbatches = stated["microbatches"]
        self.lists = Lists(self.path, len(stated["frozen"]))
        self.left_out, self.frozen = stated["left_out"], stated["frozen"]
        self.form = "compute_comms" if "compute_comms" in self.notes else "compute_only"
        self.refused = "second copy" in self.notes
        assert self.refused or sum(self.lists.layers) == len(self.frozen), f"{self.name}: other layers than the model's"
        self.ranks = len(self.lists.rows)

    def model(self):
        layers = [Layer(i, i < len(self.frozen) and self.frozen[i]) for i in range(sum(self.lists.layers))]
        ends = [sum(self.lists.layers[:s + 1]) for s in range(self.lists.stages)]
        return [torch.nn.Sequential(*layers[end - size:end]) for end, size in zip(ends, self.lists.layers)]

    def data(self):
        torch.manual_seed(20240607)
        return torch.randn(2, self.microbatches * SAMPLES, WIDTH)


def loss_of(output, target):
    return ((output - target) ** 2).mean()


def gradients_of_one_process(job):
    model = job.model()
    value, target = job.data()
    for sample, wanted in zip(value.split(SAMPLES), target.split(SAMPLES)):
        sample.requires_grad_()  # as the output of an encoder that is left out
        loss_of(torch.nn.Sequential(*model)(sample), wanted).backward()
    return [[p.grad for p in stage.parameters()] for stage in model]


def recorded(stages, form):
    """A list that gets every action of the stages, when PyTorch begins it."""
    done = []

    def watch(stage, method, kind_of):
        run = getattr(stage, method)

        def watched(microbatch, *arguments, **named):
            done.append(f"{stage.stage_index}{kind_of(named)}{microbatch}")
            return run(microbatch, *arguments, **named)

        setattr(stage, method, watched)

    for stage in stages:
        watch(stage, "forward_one_chunk", lambda named: "F")
        watch(stage, "backward_one_chunk", lambda named: "B" if named["full_backward"] else "I")
        watch(stage, "backward_weight_one_chunk", lambda named: "W")
        for method, kind in {"fwd_send": "SEND_F", "fwd_recv": "RECV_F", "bwd_send": "SEND_B",
                             "bwd_recv": "RECV_B"}.items() if form == "compute_comms" else ():
            watch(stage, f"get_{method}_ops", lambda named, kind=kind: kind)
    return done


def runtime_of(job, rank, group):
    lists, empty = job.lists, torch.empty(SAMPLES, WIDTH)
    model = job.model()
    stages = [PipelineStage(model[s], s, lists.stages, torch.device("cpu"), input_args=empty, output_args=empty,
                            group=group) for s in sorted(lists.rank_of) if lists.rank_of[s] == rank]
    return stages, _PipelineScheduleRuntime(stages, job.microbatches, loss_fn=loss_of,
                                            stage_index_to_group_rank=lists.rank_of)


def refuses(job, runtime, path):
    try:
        copy.copy(runtime)._load_csv(path, format=job.form)
    except (RuntimeError, AssertionError, KeyError):
        return True
    return False


def load(job, runtime):
    """Loads the file, or the halves of its overlaps. Returns true if PyTorch refuses these, too."""
    assert refuses(job, runtime, job.path) == job.lists.fused == ("does not read OVERLAP_F_B" in job.notes), job.name
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        job.lists.write(file.name)
        if refuses(job, runtime, file.name):
            return True
        runtime._load_csv(file.name if job.lists.fused else job.path, format=job.form)
    return False


def worst_error(stages, wanted):
    worst = 0.0
    for stage in stages:
        for parameter, reference in zip(stage.submod.parameters(), wanted[stage.stage_index]):
            assert (parameter.grad is None) == (reference is None), f"stage {stage.stage_index}: a gradient too many"
            if reference is not None:
                worst = max(worst, ((parameter.grad - reference).abs().max() / reference.abs().max()).item())
    return worst


def run_job(job, rank, group):
    stages, runtime = runtime_of(job, rank, group)
    refused = load(job, runtime)
    assert refused == job.refused, f"{job.name}: PyTorch {'refuses' if refused else 'takes'} it, and the notes differ"
    if refused:
        return 0, 0.0
    done = recorded(stages, job.form)
    value, target = job.data()
    runtime.step(*([value] if job.lists.rank_of[0] == rank else []), target=target)
    wanted = job.lists.expected(rank)
    differ = [(a, b) for a, b in zip(done + [None], wanted + [None]) if a != b]
    assert not differ, f"{job.name}: rank {rank} executed {differ[0][0]} instead of {differ[0][1]}"
    error = worst_error(stages, gradients_of_one_process(job))
    assert error <= TOLERANCE, f"{job.name}: gradients of rank {rank} are {error:.1e} off"
    return len(done), error


def run_rank(rank, jobs, folder):
    torch.set_num_threads(1)
    ranks = max(job.ranks for job in jobs)
    dist.init_process_group("gloo", rank=rank, world_size=ranks, init_method=f"file://{folder}/store", timeout=PATIENCE)
    groups = {size: dist.new_group(range(size), timeout=PATIENCE) for size in sorted({job.ranks for job in jobs})}
    figures = []
    for job in jobs:
        try:
            figures.append(run_job(job, rank, groups[job.ranks]) if rank < job.ranks else (0, 0.0))
        except Exception:
            traceback.print_exc()
            print(f"{job.name}: failed on rank {rank}", file=sys.stderr, flush=True)
            os._exit(1)
    (Path(folder) / f"{rank}.json").write_text(json.dumps(figures))
    dist.destroy_process_group()


def run_all(jobs):
    """Actions and the worst error of each job. Ends the program if a rank fails."""
    ranks = max(job.ranks for job in jobs)
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.start_processes(run_rank, (jobs, folder), nprocs=ranks, start_method="fork")
        by_rank = [json.loads((Path(folder) / f"{rank}.json").read_text()) for rank in range(ranks)]
    return [(sum(actions for actions, _ in one), max(error for _, error in one)) for one in zip(*by_rank)]


def main(folder):
    folder = Path(folder)
    stated = json.loads((folder / "jobs.json").read_text())
    jobs = [Job(folder, each) for each in stated]
    for job, (actions, error) in zip(jobs, run_all(jobs)):
        about = "refused" if job.refused else "as halves, " + job.form if job.lists.fused else job.form
        rest = f", without {' and '.join(job.left_out)}" if job.left_out else ""
        print(f"{job.name:52} {job.lists.stages:3} stages {actions:5} actions, {error:.1e} off; {about}{rest}")
    ran = sum(not job.refused for job in jobs)
    print(f"PyTorch {torch.__version__}: {ran} lists executed in their order, with the gradients of one process;"
          f" {len(jobs) - ran} refused, as the program says")


if __name__ == "__main__":
    main(sys.argv[1])
