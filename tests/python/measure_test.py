"""spillway.measure: what is timed, in which order, and that the program takes what it writes."""

import csv
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from program import EXPERIMENTS, NIGHTLY, document, needs
from spillway import InputError
from started import NewProcess, job, start

if importlib.util.find_spec("torch"):
    import torch
    from spillway.measure import cases, files, messages, node, rounds
    from spillway.measure.device import Device

VLM = EXPERIMENTS / "small-vlm.json"
RATE, LATENCY_S, BYTES_A_SECOND = 5e9, 1e-5, 2e10  # of an imagined device


class TwoNodes:
    """Two processes that take each other for another node. By night they are new ones. Every day they are forks, which
    need not load PyTorch, and are started before any test: PyTorch 2 refuses autograd in a fork of a process in which
    autograd ran."""


def setUpModule():
    if not importlib.util.find_spec("torch"):
        return
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    module, starts = ("spillway.measure", NewProcess) if NIGHTLY else ("spillway.measure.__main__", start)
    arguments = ["--out", f"{folder.name}/out", "--seconds", 1]
    TwoNodes.folder = folder.name
    TwoNodes.ended = job(module, arguments, 2, starts, LOCAL_RANK="0", LOCAL_WORLD_SIZE="1")


def forked(does, arguments, processes):
    """As torch.multiprocessing.spawn, without new processes that load PyTorch."""
    does, arguments = pickle.loads(pickle.dumps((does, arguments)))  # which spawn does
    messages.processes.start_processes(does, arguments, processes, start_method="fork")


class Imagined:
    """A device whose operators take what their work says, and which notes what is asked of it."""

    kind, dtype_name, name, threads, in_node = "cpu", "float32", "an imagined core", 1, 4
    memory, runs_its_own_clock, taken_by_others = (8e9, "a test"), False, 0.0

    def __init__(self):
        self.timed = []
        self.dtype = torch.float32

    def seconds(self, call, times=1):
        self.timed.append(call)
        return call / RATE


def imagined_case(work):
    return cases.Case("products", (work, 1, 1), "", work, 1, lambda operands: work)


def imagined_node(job, sent, without=""):
    """Products and attention at one rate, elementwise operations by an affine law."""

    def time_of(case):
        affine = LATENCY_S + case.work / BYTES_A_SECOND
        seconds = {"elementwise": affine, "launch": 3e-6}.get(case.group, case.work / RATE)
        return rounds.Time(case, seconds, seconds, seconds, 5)

    groups = (cases.products(), cases.attention(False), cases.elementwise(), cases.single())
    times = [time_of(case) for group in groups for case in cases.by_work(group)[:60]]
    return files.Node(Imagined(), job, times, sent, without, "attention as product, softmax, product")


def sent_between(neighbours, latency_s, rate):
    return [messages.Message("send-recv", 2, neighbours, size, *[latency_s + size / rate] * 3, 9) for size in messages.SIZES]


@needs("torch")
class Cases(unittest.TestCase):
    def setUp(self):
        self.operands = cases.Operands(Device("cpu", "", 1))

    def test_the_forms_of_a_product_are_its_forward_and_both_gradients(self):
        m, n, k = 6, 3, 4
        x, w, dy = self.operands.of(0, m, k), self.operands.of(1, n, k), self.operands.of(2, m, n)
        x, w = (each.clone().requires_grad_() for each in (x, w))
        y = torch.nn.functional.linear(x, w)
        wanted = [y, *torch.autograd.grad(y, (x, w), dy)]
        of_product = list(cases.product(m, n, k))
        self.assertEqual([case.row for case in of_product], [(6, 3, 4), (6, 4, 3), (3, 4, 6)])
        for case, want in zip(of_product, wanted):
            made = case.make(self.operands)()
            self.assertEqual(tuple(made.shape), case.row[:2])
            torch.testing.assert_close(made, want.detach())

    def test_rows_of_tokens_and_of_widths_never_meet(self):
        forward, weight = (
            {case.row for case in cases.products() if case.form.startswith(form)} for form in ("forward", "weight")
        )
        self.assertFalse(forward & weight)

    def test_plain_attention_is_that_of_pytorch(self):
        for causal in (False, True):
            forward, backward = cases.attention_of(8, 2, 4, causal, False)
            rows = [(int(causal), is_backward, 1, 8, 2, 2, 4, 4) for is_backward in (0, 1)]
            self.assertEqual([forward.row, backward.row], rows)
            self.assertEqual(backward.work, 2.5 * forward.work)
            q, k, v = (self.operands.of(i, 1, 2, 8, 4) for i in range(3))
            position = torch.arange(8)
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / 2
            seen = position[:, None] >= position if causal else torch.ones(8, 8, dtype=torch.bool)
            weights = torch.where(seen, scores.exp(), torch.zeros(()))
            wanted = (weights / weights.sum(-1, keepdim=True)) @ v
            torch.testing.assert_close(forward.make(self.operands)(), wanted)
            self.assertEqual([each.shape for each in backward.make(self.operands)()], [q.shape] * 3)
            if cases.HAS_FUSED_ATTENTION:
                fused = next(cases.attention_of(8, 2, 4, causal, True))
                torch.testing.assert_close(fused.make(self.operands)(), wanted)


@needs("torch")
class Rounds(unittest.TestCase):
    def test_as_many_cases_are_chosen_as_a_round_has_time_for(self):
        clock = [0.0]
        device = Imagined()
        device.seconds = lambda call, times=1: clock.__setitem__(0, clock[0] + call / RATE * times) or call / RATE
        cost = [10**8 * (index + 1) for index in range(40)]  # 0.02 s, 0.04 s, ...
        with mock.patch("spillway.measure.rounds.time.monotonic", lambda: clock[0]):
            chosen = rounds.choose(device, None, [imagined_case(work) for work in cost], 2.0)
        self.assertEqual(len(chosen), 13)  # 1.82 s; one more would be 2.1 s
        self.assertEqual([each.in_a_row for each in chosen], [1] * 13)

    def test_the_smallest_cases_are_timed_however_long_they_take(self):
        chosen = rounds.choose(Imagined(), None, [imagined_case(10**8)] * 40, 0.0)
        self.assertEqual(len(chosen), rounds.SMALLEST)

    def test_every_round_times_every_case_once(self):
        device = Imagined()
        works = [10**8, 2 * 10**8, 3 * 10**8]
        times = rounds.time_in_rounds(device, None, [([imagined_case(work) for work in works], 60.0)], 0.0)
        self.assertEqual(device.timed[2 * len(works) :], works * 3)  # each is chosen after a warm-up and a look
        self.assertEqual([(each.median_s, each.rounds) for each in times], [(work / RATE, 3) for work in works])

    def test_a_time_is_the_median_with_its_quartiles(self):
        of_five = rounds.summary(imagined_case(1), [5.0, 1.0, 2.0, 100.0, 3.0])
        self.assertEqual(of_five[1:], (2.0, 3.0, 5.0, 5))


@needs("torch")
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def platform(self, job, sent, without=""):
        node.written(imagined_node(job, sent, without), self.folder)
        return json.loads(Path(self.folder, "platform.json").read_text())

    def test_the_platform_is_the_imagined_device(self):
        job = messages.Job(0, 8, 4)
        platform = self.platform(job, sent_between(2, 1e-5, 4e9) + sent_between(1, 5e-5, 1e9))
        device = platform["accelerator"]
        rate = device["memory_bandwidth_gbps"]["value"] * device["efficiency"]["memory"]["value"]
        self.assertAlmostEqual(rate, BYTES_A_SECOND / 1e9, delta=1e-3)
        self.assertAlmostEqual(device["memory_latency_us"]["value"], 1e6 * LATENCY_S, delta=1e-3)
        self.assertAlmostEqual(device["bf16_tflops"]["value"], RATE / 1e12)
        self.assertEqual(device["host_overhead_us"]["value"], 3)
        self.assertEqual([each["file"] for each in device["operators"]], ["products.csv", "attention.csv"])
        self.assertEqual([(each["name"], each["devices"]) for each in platform["tiers"]], [("node", 4), ("cluster", 8)])
        for tier, latency_us, rate in zip(platform["tiers"], (10, 50), (4, 1)):
            self.assertAlmostEqual(tier["latency_us"]["value"], latency_us, delta=0.1)
            self.assertAlmostEqual(tier["bandwidth_gbps"]["value"], rate, delta=0.01)
            self.assertEqual(tier["bandwidth_gbps"]["kind"], "fitted")

    def test_a_device_by_itself_has_an_assumed_link_and_no_messages(self):
        Path(self.folder, "messages.csv").write_text("of an earlier run")
        platform = self.platform(messages.Job(0, 1, 1), [], "one device has no other to send to")
        self.assertEqual(platform["tiers"][0]["bandwidth_gbps"]["kind"], "assumed")
        self.assertFalse(Path(self.folder, "messages.csv").exists())
        document("run", VLM, "--set", f"/platform={self.folder}/platform.json", "--engine", "longest-path", "--json")

    def test_without_the_compiled_module_the_platform_names_its_tables(self):
        with mock.patch("importlib.util.find_spec", return_value=None):
            platform = self.platform(messages.Job(0, 4, 4), sent_between(2, 1e-5, 4e9))
        self.assertEqual([each["file"] for each in platform["accelerator"]["operators"]], ["products.csv", "attention.csv"])
        file = f"{self.folder}/platform.json"
        report = document("run", VLM, "--set", f"/platform={file}", "--engine", "longest-path", "--json")
        self.assertGreater(report["schedules"][0]["makespan_s"], 0)


@needs("torch")
class Measured(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def rows(self, name):
        lines = Path(TwoNodes.folder, "out", name).read_text().splitlines()
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))

    def test_two_nodes_of_a_core_each_become_a_platform_that_runs(self):
        first, second = TwoNodes.ended
        self.assertEqual([first.returncode, second.returncode], [0, 0], first.stderr + second.stderr)
        self.assertEqual(second.stdout, "")
        self.assertIn("attention " + ("scaled" if cases.HAS_FUSED_ATTENTION else "as product, softmax"), first.stdout)
        groups = {(each["operation"], each["devices"], each["neighbours"]) for each in self.rows("messages.csv")}
        self.assertEqual(groups, {("send-recv", "2", "1"), ("all-reduce", "2", "1")})
        self.assertGreaterEqual(len(self.rows("products.csv")), 3)
        self.assertEqual({each["backward"] for each in self.rows("attention.csv")}, {"0", "1"})
        for each in self.rows("quartiles.csv"):
            self.assertTrue(0 < float(each["low_us"]) <= float(each["median_us"]) <= float(each["high_us"]), each)
        file = f"{TwoNodes.folder}/out/platform.json"
        report = document("run", VLM, "--set", f"/platform={file}", "--engine", "longest-path", "--json")
        self.assertGreater(report["schedules"][0]["makespan_s"], 0)
        document("calibrate", f"{TwoNodes.folder}/out/products.csv", "--platform", f"{TwoNodes.folder}/out/base.json", "--json")

    def test_processes_of_this_node_send_to_each_other(self):
        device = Device("cpu", "", 1)
        spawn, sizes = (messages.processes.spawn, messages.SIZES) if NIGHTLY else (forked, messages.SIZES[:6])
        with mock.patch.object(messages, "alone", return_value=messages.Job(0, 2, 2)):
            with mock.patch.object(messages.processes, "spawn", spawn), mock.patch.object(messages, "SIZES", sizes):
                job, sent, without = messages.measured_alone(device, 0.1)
        self.assertEqual((job.processes, without), (2, ""))
        self.assertEqual([each.size for each in sent if each.operation == "send-recv"], sizes)
        self.assertTrue(all(each.devices == each.neighbours == 2 for each in sent))

    def test_bad_arguments_are_refused_before_anything_is_measured(self):
        Path(self.folder, "file").write_text("")
        for option, value, said in (
            ("device", "gpu", "spillway.measure: --device: expected cpu, cuda, npu, found gpu"),
            ("device", "npu", "--device: expected a device that PyTorch finds here, found npu (PyTorch"),
            ("seconds", 0.5, "--seconds: expected a number from 1 to 86400, found 0.5"),
            ("threads", 100000, "--threads: expected a number from 1 to"),
            ("dtype", "int8", "--dtype: expected float32, bfloat16, float16, found int8"),
            ("out", f"{self.folder}/file", "spillway.measure: --out: expected a folder to write to"),
            ("attention", "flash", "--attention: expected fused, plain, found flash"),
        ):
            with self.assertRaises(InputError) as refused:
                node.measure(**{"out": f"{self.folder}/none", "seconds": 1, option: value})
            self.assertIn(said, str(refused.exception))
        done = start("spillway.measure.__main__", ["--out", f"{self.folder}/out", "--device", "npu"]).ended()
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"^spillway.measure: --device: expected .*, found npu .*\n$")
        self.assertEqual([each for each in Path(self.folder).rglob("*") if each.is_file()], [Path(self.folder, "file")])

    def test_without_pytorch_it_says_so(self):
        Path(self.folder, "torch.py").write_text("raise ImportError('none')")
        path = os.pathsep.join([str(self.folder), *sys.path])
        command = [sys.executable, "-B", "-m", "spillway.measure"]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "spillway.measure: expected PyTorch (Debian: python3-torch), found none\n")


if __name__ == "__main__":
    unittest.main()
