"""The runtime executes the programs of found orders: losses and gradients are those of one process."""

import json
import os
import random
import tempfile
import unittest

from derived_programs import experiment
from executed import Pool, farthest, of_one_process
from program import NIGHTLY, document, needs
from tiny_model import tiny

CLOSE = 1e-5  # relative, FP32


def random_found(folder, draw):
    """The job of a pool; None if a named schedule without a program is the result."""
    ranks = draw.randint(2, 4)
    config = tiny(depth=draw.randint(1, 2), layers=draw.randint(ranks, 3 * ranks))
    path = os.path.join(folder, f"found-{len(os.listdir(folder))}.json")
    written = experiment(folder, {"schedule": "1f1b"}, config, ranks=ranks, microbatches=draw.randint(2, 6),
                         replicas=draw.randint(1, 4 // ranks), seed=draw.randint(1, 10**6),
                         trained=draw.choice([(True, True), (False, True)]))  # fmt: skip
    with open(path, "w", encoding="utf-8") as text:
        json.dump(written, text)
    skeletons = draw.choice(["1f1b", "1f1b,zb-h1", "1f1b,zb-v"])  # with all of them, little is left to find in small jobs
    found = document("synthesize", path, "--effort", "300", "--skeletons", skeletons, "--json")
    return found["program"] and {"program": found["program"], "config": config, "steps": 1, "named": found["is_named"]}


@needs("torch")
class Found(unittest.TestCase):
    def test_found_programs_train_as_one_process_does(self):
        draw = random.Random(5)
        with tempfile.TemporaryDirectory() as folder:
            jobs = [job for job in (random_found(folder, draw) for _ in range(100 if NIGHTLY else 10)) if job]
        self.assertGreaterEqual(sum(not job["named"] for job in jobs), len(jobs) // 4)
        pool = Pool(jobs)
        expected = [of_one_process(job) for job in jobs]
        for number, (job, found) in enumerate(zip(jobs, pool.found())):
            with self.subTest(job=number, named=job["named"]):
                worst_loss, worst = farthest(found, expected[number])
                self.assertLess(worst_loss, CLOSE)
                self.assertLess(worst, CLOSE)


if __name__ == "__main__":
    unittest.main()
