"""What the runtime refuses, and how a job ends that loses a process or hangs."""

import copy
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from executed import EXAMPLE
from pipeline_programs import one_f_one_b
from program import NIGHTLY, needs
from spillway import InputError
from spillway.runtime.document import check_processes, read
from started import free_port, job, start
from tiny_model import tiny

# A model's file: the example, tiny, and with something that happens in step 1 to process number 1.
MODEL = """
import importlib.util, json, os, signal, sys, time
source = importlib.util.spec_from_file_location("small_vlm", {example!r})
small_vlm = importlib.util.module_from_spec(source)
source.loader.exec_module(small_vlm)
small_vlm.CONFIG = json.loads({config!r})
layer, loss, dtype = small_vlm.layer, small_vlm.loss, small_vlm.dtype
def batch(step, replica, microbatch, sample):
    if step == 1 and os.environ["RANK"] == "1":
        {happens}
    return small_vlm.batch(step, replica, microbatch, sample)
"""


class Refusals(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        Path(path).write_text(text)
        return path

    def program(self, document):
        return self.file("program.json", json.dumps(document))

    def model(self, config=None, happens="pass"):
        return self.file("model.py", MODEL.format(example=str(EXAMPLE), config=json.dumps(config or tiny()), happens=happens))

    def job(self, program, *options, model=None, processes=2):
        """Statuses, and what the processes say."""
        arguments = [self.program(program), "--model", model or self.model(), "--steps", 3, *options]
        ended = job("spillway.runtime.__main__", arguments, processes)
        return [each.returncode for each in ended], [each.stderr for each in ended]

    def command(self, program, *options, model=None):
        """As users start it: a new process, which starts others."""
        return [sys.executable, "-B", "-m", "spillway.runtime", self.program(program), "--model", model or self.model(), *options]


class Programs(Refusals):
    def test_a_program_that_lacks_a_replica_or_a_rank(self):
        for key in ("replicas", "ranks"):
            lacking = one_f_one_b(2, 2)
            read(self.program(lacking))
            lacking[key] += 1
            with self.assertRaises(InputError) as refused:
                read(self.program(lacking))
            self.assertIn("/programs: expected a program for each of", str(refused.exception))

    def violation(self, document):
        with self.assertRaises(InputError) as caught:
            read(self.program(document))
        return caught.exception.violations[0]

    def test_another_version(self):
        found = self.violation({**one_f_one_b(2, 2), "schema": "spillway/program/2"})
        self.assertEqual(found[1:], ("/schema", '"spillway/program/1"', '"spillway/program/2"'))

    def test_messages_without_sizes(self):
        program = one_f_one_b(2, 2)
        for of_rank in program["programs"]:
            for action in of_rank["actions"]:
                if "shape" in action:
                    action["shape"] = None
        found = self.violation(program)
        self.assertEqual(found.pointer, "/programs/0/actions/1/shape")
        self.assertEqual(found.found, "null, as in 8 messages")

    def test_other_ranks_than_started(self):
        with self.assertRaises(InputError) as caught:
            check_processes("p.json", one_f_one_b(2, 2, replicas=2), 3)
        self.assertEqual(str(caught.exception), "p.json: /programs: expected 4 processes: 2 ranks of 2 replicas, found 3 started")

    def test_unknown_actions_and_missing_keys(self):
        program = one_f_one_b(2, 2)
        program["programs"][0]["actions"][0]["op"] = "dance"
        self.assertEqual(self.violation(program).found, '"dance"')
        program = one_f_one_b(2, 2)
        del program["programs"][0]["actions"][0]["microbatch"]
        self.assertEqual(self.violation(program)[1:], ("/programs/0/actions/0/microbatch", "a value", "nothing"))

    def test_ends_of_messages_that_differ(self):
        program = one_f_one_b(2, 2)
        send = next(each for each in program["programs"][0]["actions"] if each["op"] == "send")
        for key, other in (("shape", [1, 1]), ("tag", 5)):
            changed = copy.deepcopy(program)
            next(each for each in changed["programs"][0]["actions"] if each["id"] == send["id"])[key] = other
            found = self.violation(changed)
            self.assertRegex(f"{found.expected} {found.found}", f"as the send {send['id']} has it|the next of its pair of ranks")

    def test_no_file_and_no_json(self):
        with self.assertRaises(InputError):
            read(os.path.join(self.folder.name, "none.json"))
        with self.assertRaises(InputError):
            read(self.file("broken.json", "{"))


@needs("torch")
class Jobs(Refusals):
    def test_other_ranks_than_started_ends_every_process(self):
        statuses, said = self.job(one_f_one_b(3, 2))
        self.assertEqual(statuses, [2, 2])
        self.assertIn("expected 3 processes: 3 ranks of 1 replicas, found 2 started", said[0])
        self.assertEqual(said[1], "")  # once is enough

    def test_an_output_of_another_shape_ends_every_process(self):
        statuses, said = self.job(one_f_one_b(2, 2, width=12))  # stage 0 is the tower: 1 token, 8 wide
        self.assertEqual(statuses, [2, 2])
        for words in said:
            self.assertIn("send of the output of stage 0, microbatch 0, to rank 1: expected shape [1, 12], from", words)
            self.assertIn("found shape [1, 8] and torch.float32 ([4, 8] of layer 0, [1, 8] of layer 1)", words)

    def test_a_model_without_a_function(self):
        statuses, said = self.job(one_f_one_b(1, 1, layers_of_rank=[4]), model=self.file("m.py", "loss = 1"), processes=1)
        self.assertEqual(statuses, [2])
        self.assertIn("m.py: layer: expected a function of this name, found none", said[0])

    def test_a_killed_process_ends_the_others(self):
        start = time.monotonic()
        statuses, said = self.job(one_f_one_b(3, 3, layers_of_rank=[2, 1, 1]), processes=3,
                                  model=self.model(happens="os.kill(os.getpid(), signal.SIGKILL)"))  # fmt: skip
        self.assertEqual(statuses, [1, -signal.SIGKILL, 1])
        self.assertLess(time.monotonic() - start, 45)  # --seconds is 60
        self.assertIn("rank 0 of replica 0: ", said[0])
        self.assertRegex(said[0], r"Connection (closed|reset) by peer|keeps the job's store is lost")
        self.assertIn("rank 2 of replica 0: ", said[2])

    def test_a_hang_is_named(self):
        model = self.model(happens="time.sleep(1000)")
        statuses, said = self.job(one_f_one_b(2, 2), "--seconds", 2, model=model)
        self.assertEqual(statuses, [1, 1])
        self.assertRegex("".join(said), r"rank \d of replica 0: more than 2 s in action \d+, ")
        self.assertIn("wait for action", said[0])
        self.assertIn("post_receive of the gradient of stage 0, microbatch 0, from rank 1", said[0])
        self.assertIn("compute forward, stage 1, microbatch 0", said[1])

    def test_a_fault_of_the_model_is_told_to_all(self):
        statuses, said = self.job(one_f_one_b(2, 2), model=self.model(happens='raise ValueError("no data")'))
        self.assertEqual(statuses, [2, 2])
        self.assertTrue(all("ValueError: no data" in words for words in said))

    def test_it_starts_its_processes_by_itself_and_passes_their_status_on(self):
        done = subprocess.run(self.command(one_f_one_b(2, 2), "--steps", "2"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^step 0: loss [23]\.\d+, [\d.]+ s\nstep 1: loss [23]\.\d+, [\d.]+ s\n$")
        self.passes_a_status_on()

    def passes_a_status_on(self):
        """By night, that of a model without a function, every day that of a PyTorch which ends at once."""
        one, model = one_f_one_b(1, 1, layers_of_rank=[4]), self.file("m.py", "loss = 1")
        self.file("torch.py", "raise SystemExit(7)")
        failed = subprocess.run(self.command(one, model=model), capture_output=True, text=True, env=self.with_modules())
        self.assertEqual(failed.returncode, 7, failed.stderr)
        if NIGHTLY:
            failed = subprocess.run(self.command(one, model=model), capture_output=True, text=True)
            self.assertEqual(failed.returncode, 2, failed.stderr)
            self.assertIn("m.py: layer: expected a function of this name, found none", failed.stderr)

    def with_modules(self):
        """An environment in which modules of the test's folder come first."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join([self.folder.name, os.environ["PYTHONPATH"]])}

    def test_bad_arguments_are_refused_before_anything_runs(self):
        program, model = self.program(one_f_one_b(2, 2)), self.model()
        for said, options in (
            ("--steps: expected a whole number from 1 to 1000000000, found 0", ["--steps", "0"]),
            ("--steps: expected a whole number from 1 to 1000000000, found -1", ["--steps=-1"]),
            ("--seconds: expected a number above 0, at most 1000000000, found nan", ["--seconds", "nan"]),
            (f"spillway.runtime: --out: expected a folder to write to, found {program}: File exists", ["--out", program]),
            ("--out: expected a folder to write to", ["--out", f"{program}/out"]),
        ):
            done = start("spillway.runtime.__main__", [program, "--model", model, *options]).ended()
            self.refused(done, said)
        one, exits = self.program(one_f_one_b(1, 1, layers_of_rank=[4])), self.file("m.py", "raise SystemExit(0)")
        (done,) = job("spillway.runtime.__main__", [one, "--model", exits], 1)
        self.refused(done, "m.py: /: expected a Python file, found SystemExit: 0")

    def refused(self, done, said):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(said, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_bad_input_is_refused_without_loading_pytorch(self):
        self.file("torch.py", "raise ImportError('loaded')")
        command = self.command({**one_f_one_b(2, 2), "schema": "spillway/program/2"})
        done = subprocess.run(command, capture_output=True, text=True, env=self.with_modules())
        self.refused(done, '/schema: expected "spillway/program/1", found "spillway/program/2"')

    def torchrun(self, by_file=False):
        # Without -r and -t, torchrun of PyTorch 1.13 fails on Python 3.11 in its own code.
        program = one_f_one_b(2, 2) if NIGHTLY else one_f_one_b(1, 2, layers_of_rank=[4])
        processes = str(len(program["programs"]))
        command = [sys.executable, "-B", "-m", "torch.distributed.run", "--nproc_per_node", processes, "-r", "1", "-t", "1"]
        of_job = ["-m", "spillway.runtime", self.program(program), "--model", self.model()]
        environment = {**os.environ, **({"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} if by_file else {})}
        for attempt in range(3):  # a port that is free here, or to torchrun, another test may take before its process does
            meet = ["--rdzv_backend", "c10d", "--rdzv_conf", "store_type=file"]
            meet += ["--rdzv_endpoint", os.path.join(self.folder.name, f"meet{attempt}")]
            options = meet if by_file else ["--master_port", str(free_port())]
            done = subprocess.run([*command, *options, *of_job], capture_output=True, text=True, env=environment)
            if "Address already in use" not in done.stderr:
                break
        return done

    def test_torchrun_starts_it(self):
        """By night two processes both ways, every day one the way that this PyTorch can go: without libuv, processes meet
        by a file. PyTorch takes seconds to load, in torchrun and in each."""
        done = self.torchrun()
        without = "use_libuv was requested but PyTorch was build without libuv support" in done.stderr
        if not without:
            self.started(done)
        if without or NIGHTLY:
            self.started(self.torchrun(by_file=True))

    def started(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step 0: loss 2.", done.stdout)


class WithoutTheCompiledModule(unittest.TestCase):
    def test_the_package_is_imported(self):
        sources = Path(os.environ["SPILLWAY_SOURCE"]) / "src/python"
        code = "import spillway, spillway.runtime; from spillway import InputError; spillway.schema('report')"
        done = subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "PYTHONPATH": str(sources)},
                              capture_output=True, text=True)  # fmt: skip
        self.assertIn("No module named 'spillway._native'", done.stderr)
        self.assertIn("in schema", done.stderr)  # the first call that needs it


if __name__ == "__main__":
    unittest.main()
