"""bench/found_programs.py and bench/effort.py run small. Found programs end and cannot block."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, SOURCE


def run(script: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", str(SOURCE / "bench" / script), PROGRAM, *arguments],
                          capture_output=True, text=True)


class FoundPrograms(unittest.TestCase):
    def test_found_programs_end_when_they_are_played(self):
        done = run("found_programs.py", "--jobs", "3", "--ranks", "3", "--microbatches", "8", "--steps", "1", "--scale",
                   "0.2", "--effort", "150")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"([1-3]) of 3 jobs fit and ended, .*; \1 cannot block")

    def test_the_effort_of_a_search_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder) / "effort.svg"
            done = run("effort.py", "--ranks", "3", "--microbatches", "6", "--draws", "4", "--short", "400", "--long",
                       "800", "--svg", str(picture))
            self.assertIn("of the gain of the long one", done.stdout, done.stderr)
            self.assertIn("orders tried", picture.read_text())


if __name__ == "__main__":
    unittest.main()
