"""Passes measured alone, as an experiment that the program runs."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from derived_programs import derived
from executed import example_file
from program import document, needs


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

    def measure(self, program, experiment):
        model = example_file(self.folder.name, self.config)
        command = [sys.executable, "-B", "-m", "spillway.runtime.measure", program, "--model", model, "--repeats", "1"]
        command += ["--experiment", experiment, "--out", self.file("measured.json")]
        return subprocess.run(command, capture_output=True, text=True)

    def test_passes_are_an_experiment_with_given_durations(self):
        job = self.job({"schedule": "transpose,1f1b", "owner": "greedy"})
        schedules = [{"name": "first", "schedule": "1f1b", "layers_per_rank": [5, 5]},
                     {"name": "transposed", "schedule": "transpose,1f1b"}]  # fmt: skip
        experiment = self.file("experiment.json", json.dumps({"schedules": schedules, "baseline": "first"}))
        done = self.measure(self.file("program.json", json.dumps(job)), experiment)
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

    def test_a_missing_experiment_is_named(self):
        job = self.job({"schedule": "1f1b"})
        done = self.measure(self.file("program.json", json.dumps(job)), self.file("none.json"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.json", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
