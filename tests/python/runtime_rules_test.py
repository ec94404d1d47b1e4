"""The smallest program for each thing that the runtime can get wrong, against one process. tests/mutants plants these
faults."""

import tempfile
import unittest

from derived_programs import derived
from executed import Pool, farthest, of_one_process
from pipeline_programs import one_f_one_b
from program import needs
from tiny_model import tiny

CLOSE = 1e-5  # relative, FP32
CONFIG = tiny(depth=2, layers=2)


def of_hand(**of_program):
    return {"program": one_f_one_b(layers_of_rank=[2, 2], ranks=2, **of_program), "config": CONFIG, "steps": 2}


@needs("torch")
class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.jobs = {
                "copies add up their gradients": of_hand(microbatches=2, replicas=2),
                "weights have a half of their own": of_hand(microbatches=3, split=True),
                "a recomputation is of its own microbatch": of_hand(microbatches=3, recompute=True),
                "each backward takes its own gradient": derived(folder, {"schedule": "gpipe"}, CONFIG),
                "receives are posted before blocking sends": derived(
                    folder, {"schedule": "1f1b"}, CONFIG, network={"p2p": "blocking"}
                ),
            }
        cls.found = dict(zip(cls.jobs, Pool(list(cls.jobs.values()), hang=30).found()))

    def test_hold(self):
        for rule, job in self.jobs.items():
            with self.subTest(rule):
                worst_loss, worst = farthest(self.found[rule], of_one_process(job))
                self.assertLess(worst_loss, CLOSE)
                self.assertLess(worst, CLOSE)


if __name__ == "__main__":
    unittest.main()
