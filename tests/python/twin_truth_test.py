"""bench/twin_truth.py runs: it trains jobs, and `spillway twin` predicts them. Its times are not judged here."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, SOURCE, document, needs

sys.path.insert(0, str(SOURCE / "bench"))
import twin_truth  # noqa: E402


class Judging(unittest.TestCase):
    def test_a_binomial_allows_as_many_outside_as_chance_does(self):
        self.assertEqual(twin_truth.least_inside(1), 0)  # one of ten lies outside
        self.assertEqual(twin_truth.least_inside(40), 33)
        self.assertEqual(twin_truth.least_inside(100), 85)

    def test_forty_jobs_differ(self):
        jobs = twin_truth.jobs()
        self.assertEqual(len({job.name() for job in jobs}), 40)
        self.assertEqual(len({job.seed for job in jobs}), 40)


@needs("torch")
class Quick(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_row_for_each_job_and_what_follows(self):
        kept = Path(self.folder.name) / "kept"
        trained = ["1f1b", "uneven", "transposed"] if os.environ.get("SPILLWAY_NIGHTLY") else ["transposed"]
        some = [] if len(trained) > 1 else ["--only", "transposed, frozen, 1-3 small, 3"]
        command = [sys.executable, "-B", str(SOURCE / "bench/twin_truth.py"), PROGRAM, "--quick", *some, "--keep", str(kept)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        head, *lines = done.stdout.splitlines()
        self.assertTrue(head.startswith("schedule, encoder, images, microbatches"))
        self.assertEqual([line.split(",")[0] for line in lines[: len(trained)]], trained)
        self.assertIn("in their intervals of 90 %:", done.stdout)
        self.assertIn("contention of forward:", done.stdout)
        jobs = sorted(kept.iterdir())
        self.assertEqual(len(jobs), len(trained))
        for job in jobs:
            self.check_kept(job)

    def check_kept(self, folder):
        with open(folder / "passes.csv", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
        self.assertTrue({"forward", "backward", "optimizer"} <= {row["direction"] for row in rows})
        self.assertTrue(all(float(row["milliseconds"]) > 0 for row in rows))
        stages = {row["stage"] for row in rows if row["direction"] == "forward"}
        self.assertEqual(len(stages), 12)
        frozen = not json.loads((folder / "job.json").read_text())["model"]["blocks"][0]["trainable"]
        updated = {row["stage"] for row in rows if row["direction"] == "optimizer"}
        self.assertEqual(updated, {each for each in stages if not (frozen and each.startswith("enc"))})
        read = document("run", folder / "twin.json", "--engine", "longest-path", "--draws", 1, "--json")
        self.assertGreater(read["schedules"][0]["makespan_s"], 0)
        trace = document("import", folder / "trace.csv", "--json")
        self.assertGreater(trace["events"]["optimizer"]["count"], 0)


if __name__ == "__main__":
    unittest.main()
