"""The runtime: a program executed by several processes gives the losses and gradients of one process."""

import random
import unittest

from executed import Pool, farthest, of_one_process
from pipeline_programs import one_f_one_b
from program import NIGHTLY, needs
from tiny_model import tiny

CLOSE = 1e-5  # relative, FP32


class Executed(unittest.TestCase):
    def hold(self, jobs):
        pool = Pool(jobs)
        expected = [of_one_process(job) for job in jobs]
        for number, (found, of_one) in enumerate(zip(pool.found(), expected)):
            with self.subTest(job=number, schedule=jobs[number]["program"]["schedule"]):
                worst_loss, worst = farthest(found, of_one)
                self.assertLess(worst_loss, CLOSE)
                self.assertLess(worst, CLOSE)


@needs("torch")
class PlainPipelines(Executed):
    def test_random_ones_made_by_hand(self):
        draw = random.Random(7)
        self.hold([self.job(draw) for _ in range(1000 if NIGHTLY else 40)])

    def job(self, draw):
        ranks = draw.randint(1, 4)
        layers_of_rank = [draw.randint(1, 2) for _ in range(ranks)]
        layers_of_rank[-1] += 1
        encoder = draw.randint(1, sum(layers_of_rank) - 1)
        program = one_f_one_b(
            ranks, draw.randint(1, 5), replicas=draw.randint(1, 4 // ranks), split=draw.random() < 0.4,
            recompute=draw.random() < 0.3, encoder=encoder, layers_of_rank=layers_of_rank,
            trainable=draw.choice([(True, True), (False, True), (True, False)]), tokens=draw.randint(5, 9),
            patches=draw.choice([0, 4, 16]),
        )  # fmt: skip
        depth = sum(layers_of_rank) - encoder
        return {"program": program, "config": tiny(depth=encoder, layers=depth), "steps": 2}


if __name__ == "__main__":
    unittest.main()
