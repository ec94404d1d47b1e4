"""Passes measured alone, as an experiment that the program runs."""

import json
import os
import tempfile
import unittest

from derived_programs import derived
from executed import example_file
from program import NIGHTLY, document, needs
from started import NewProcess, start


@needs("torch")
class Measured(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return path

    def job(self, schedule):
        of_pool = derived(self.folder.name, schedule)
        self.config = of_pool["config"]
        return of_pool["program"]

    def arguments(self, program, experiment, out=None, repeats="1", model=None):
        model = model or example_file(self.folder.name, self.config)
        options = {"model": model, "repeats": repeats, "experiment": experiment, "out": out or self.file("measured.json")}
        return [program, *(word for option, value in options.items() for word in (f"--{option}", value))]

    def test_passes_are_an_experiment_with_given_durations(self):
        job = self.job({"schedule": "transpose,1f1b", "owner": "greedy"})
        schedules = [{"name": "first", "schedule": "1f1b", "layers_per_rank": [5, 5]},
                     {"name": "transposed", "schedule": "transpose,1f1b"}, {"name": "system", "system": "mpipe"}]  # fmt: skip
        experiment = self.file("experiment.json", json.dumps({"schedules": schedules, "baseline": "first"}))
        starts = NewProcess if NIGHTLY else start  # as users do, and without loading PyTorch again
        done = starts("spillway.measure.passes", self.arguments(self.file("program.json", json.dumps(job)), experiment)).ended()
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.file("measured.json"), encoding="utf-8") as text:
            measured = json.load(text)
        blocks = measured["model"]["blocks"]
        self.assertEqual([(block["name"], block["layers"]) for block in blocks],
                         [("enc.first", 1), ("enc.last", 1), ("llm.first", 1), ("llm.inner", 6), ("llm.last", 1)])  # fmt: skip
        self.assertEqual(measured["schedules"][1]["cut"], [2])
        self.assertGreater(measured["network"]["p2p_ms"], 0)
        for block in blocks:
            self.assertGreater(block["profile"]["forward_ms"], 0)
            self.assertAlmostEqual(sum(block["work_per_microbatch"]) / job["microbatches"], 1)
        report = document("run", self.file("measured.json"), "--engine", "longest-path", "--json")
        all_passes = sum(sum(block["profile"].values()) * block["layers"] * job["microbatches"] for block in blocks)
        for schedule in report["schedules"]:  # two ranks share the work, and none of it is lost
            self.assertGreaterEqual(schedule["makespan_s"], all_passes / 1000 / 2 * (1 - 1e-9))

    def test_bad_arguments_are_refused_before_anything_is_measured(self):
        program = self.file("program.json", json.dumps(self.job({"schedule": "1f1b"})))
        experiment = self.file("experiment.json", json.dumps({"schedules": [{"name": "a", "schedule": "1f1b"}]}))
        for said, arguments in (
            ("none.json: /: expected an experiment, found No such file", {"experiment": self.file("none.json")}),
            ("/schedules: expected the schedules of an experiment, found none (schema: \"spillway/program/1\")",
             {"experiment": program}),
            ("expected a whole number from 1 to 1000000000, found 0", {"repeats": "0"}),
            ("--out: expected a file, found ", {"out": self.folder.name}),
            ("--out: expected another file than the inputs, found ", {"out": program}),
            ("--out: expected a folder to write to, found ", {"out": self.file("program.json/measured.json")}),
            ("layer(0, blocks): expected a torch.nn.Module, found int",
             {"model": self.file("m.py", "def layer(i, b): return 1\nbatch = loss = layer")}),
        ):  # fmt: skip
            before = sorted(os.listdir(self.folder.name))
            given = self.arguments(program, **{"experiment": experiment, **arguments})
            done = start("spillway.measure.passes", given).ended()
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertLessEqual(set(os.listdir(self.folder.name)) - set(before), {"model.py"})


if __name__ == "__main__":
    unittest.main()
