"""bench/synthesis.py runs a few random jobs. What holds for all jobs holds for these."""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import NIGHTLY, PROGRAM, SOURCE

# By night six jobs of up to 384 passes a direction. Every day three small ones with all that a job can have: images
# that are drawn and sizes that are alike, with and without a limit of memory, frozen and trained encoders.
JOBS, SEED = (6, 3) if NIGHTLY else (3, 132)


class SynthesisStudy(unittest.TestCase):
    def test_found_orders_of_random_jobs_are_never_slower_than_named_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            rows, picture = Path(folder) / "rows.csv", Path(folder) / "gains.svg"
            command = [sys.executable, "-B", str(SOURCE / "bench/synthesis.py"), PROGRAM, "--jobs", str(JOBS), "--seed",
                       str(SEED), "--effort", "300", "--per-draw", "60", "--processes", "1", "--csv", str(rows), "--svg",
                       str(picture)]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("noise: 0 of", done.stdout)
            with rows.open() as file:
                read = list(csv.DictReader(file))
            self.assertEqual(len(read), JOBS)
            self.assertIn("faster than the best named", picture.read_text())


if __name__ == "__main__":
    unittest.main()
