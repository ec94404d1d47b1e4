"""The runtime: a program executed by several processes gives the losses and gradients of one process."""

import random
import tempfile
import unittest

from derived_programs import SKELETONS, SYSTEMS, derived, random_job
from executed import Pool, farthest, of_one_process
from pipeline_programs import one_f_one_b
from program import NIGHTLY, needs
from tiny_model import tiny

CLOSE = 1e-5  # relative, FP32


class Executed(unittest.TestCase):
    def hold(self, jobs):
        """Jobs of the same model and data are held against one computation. Returns the losses."""
        pool, expected, losses = Pool(jobs), {}, []
        for job in jobs:
            key = repr((job["config"], job["steps"], [job["program"][part] for part in ("blocks", "samples")]))
            job["one"] = expected[key] = expected.get(key) or of_one_process(job)
        for number, (job, found) in enumerate(zip(jobs, pool.found())):
            program = job["program"]
            with self.subTest(job=number, schedule=program["schedule"], ranks=program["ranks"]):
                worst_loss, worst = farthest(found, job["one"])
                self.assertLess(worst_loss, CLOSE)
                self.assertLess(worst, CLOSE)
                losses.append(found[0])
        return losses


@needs("torch")
class HandMadePrograms(Executed):
    """They are made without Spillway, and without what only its programs have."""

    def test_random_ones(self):
        draw = random.Random(7)
        self.hold([self.job(draw) for _ in range(200 if NIGHTLY else 20)])

    def job(self, draw):
        ranks = draw.randint(1, 4)
        layers_of_rank = [draw.randint(1, 2) for _ in range(ranks)]
        layers_of_rank[-1] += 1
        encoder = draw.randint(1, sum(layers_of_rank) - 1)
        program = one_f_one_b(
            ranks, draw.randint(1, 4), replicas=draw.randint(1, 4 // ranks), split=draw.random() < 0.4,
            recompute=draw.random() < 0.3, encoder=encoder, layers_of_rank=layers_of_rank,
            trainable=draw.choice([(True, True), (False, True), (True, False)]), tokens=draw.randint(5, 9),
            patches=draw.choice([0, 4, 16]),
        )  # fmt: skip
        depth = sum(layers_of_rank) - encoder
        return {"program": program, "config": tiny(depth=encoder, layers=depth), "steps": 2}


PLAIN = [{"schedule": skeleton} for skeleton in SKELETONS]
OF_SYSTEMS = [
    *({"system": system} for system in SYSTEMS),
    {"system": "encode-first", "owner": "greedy"},  # without it, images leave their microbatch
    {"system": "mpipe-released", "owner_backward": True},
    {"system": "mpipe-released", "ownership": "min"},
]
TRANSPOSED = [{"schedule": f"transpose,{skeleton}"} for skeleton in SKELETONS]
ALL = PLAIN + OF_SYSTEMS + TRANSPOSED


@needs("torch")
class EverySchedule(Executed):
    def test_gives_the_gradients_of_one_process(self):
        of_four = [each for each in ALL if "wave(2)" not in each.get("schedule", "")]  # which needs more layers
        frozen = [each for each in ALL if "owner_backward" not in each]
        with tempfile.TemporaryDirectory() as folder:
            self.hold(
                [derived(folder, each, trained=(False, True)) for each in frozen]
                + [derived(folder, each, replicas=2) for each in ALL]
                + [derived(folder, each, replicas=2, trained=(False, True), steps=2) for each in frozen]
                + [derived(folder, each, ranks=4, microbatches=8) for each in of_four]
            )

    def test_has_the_same_losses_in_ten_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            losses = self.hold([derived(folder, each, steps=10) for each in PLAIN + OF_SYSTEMS + TRANSPOSED[:1]])
        self.assertLess(losses[0][-1], losses[0][0])  # it learns
        for step, of_all in enumerate(zip(*losses)):
            self.assertLess(max(of_all) - min(of_all), CLOSE * min(of_all), f"step {step}")


@needs("torch")
class RandomPrograms(Executed):
    def test_give_the_gradients_of_one_process(self):
        draw = random.Random(11)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(5 if NIGHTLY else 1):
                self.hold([random_job(folder, draw) for _ in range(200)])


if __name__ == "__main__":
    unittest.main()
