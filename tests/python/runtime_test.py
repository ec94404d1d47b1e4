"""The runtime: a program executed by several processes gives the losses and gradients of one process."""

import random
import tempfile
import unittest

from derived_programs import SKELETONS, SYSTEMS, derived, random_job
from executed import Pool, farthest, of_one_process
from pipeline_programs import random_one_f_one_b
from program import NIGHTLY, needs
from tiny_model import tiny

CLOSE = 1e-5  # relative, FP32
PLAIN = [{"schedule": skeleton} for skeleton in SKELETONS]
TRANSPOSED = [{"schedule": f"transpose,{skeleton}"} for skeleton in SKELETONS]
OF_SYSTEMS = [
    *({"system": system} for system in SYSTEMS),
    {"system": "encode-first", "owner": "greedy"},  # without it, images leave their microbatch
    {"system": "mpipe-released", "owner_backward": True},
    {"system": "mpipe-released", "ownership": "min"},
]


def jobs_of(schedules, folder, **of_experiment):
    layers = lambda each: 8 if "wave(2)" in str(each) else 6 if of_experiment.get("ranks") else 4  # noqa: E731
    return [derived(folder, each, tiny(depth=2, layers=layers(each)), **of_experiment) for each in schedules]


def hand_made(draw):
    """Made without Spillway, and without what only its programs have."""
    program = random_one_f_one_b(draw)
    tower, text_model = ((each["end_layer"] - each["first_layer"]) for each in program["blocks"])
    return {"program": program, "config": tiny(depth=tower, layers=text_model), "steps": 2}


def all_jobs(folder):
    """By the tests that hold them. Every day, one half of the schedules is trained with two replicas, and all have a
    frozen tower: that half with one replica, the other with two. A quarter is trained for ten steps. By night all are
    trained in every way, and random programs are forty times as many."""
    every, frozen = PLAIN + OF_SYSTEMS + TRANSPOSED, (False, True)
    trains_nothing = [each for each in every if "owner_backward" in each]  # refused
    of_frozen = [each for each in every if each not in trains_nothing]
    of_four = [each for each in PLAIN if each["schedule"] != "wave(2)"]  # which needs 16 layers
    of_two, of_ten = every[:: 1 if NIGHTLY else 2], (PLAIN + OF_SYSTEMS)[:: 1 if NIGHTLY else 4]
    halves = (of_frozen, of_frozen) if NIGHTLY else (of_frozen[::2], of_frozen[1::2])
    draw = random.Random(11)
    return {
        "hand made": [hand_made(draw) for _ in range(100 if NIGHTLY else 6)],
        "frozen": jobs_of(halves[0], folder, trained=frozen),
        "two replicas": jobs_of(of_two, folder, replicas=2),
        "frozen, two replicas": jobs_of(halves[1], folder, replicas=2, trained=frozen),
        "four ranks": jobs_of(of_four, folder, ranks=4, microbatches=8),
        "ten steps": [derived(folder, each, tiny(depth=2, layers=6), steps=10) for each in of_ten],
        "random": [random_job(folder, draw) for _ in range(1000 if NIGHTLY else 25)],
    }


@needs("torch")
class Executed(unittest.TestCase):
    """All are executed by one start of four processes, since it takes longer than most of the programs."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.jobs = all_jobs(folder)
        together = [job for jobs in cls.jobs.values() for job in jobs]
        pool, expected = Pool(together), {}
        for job in together:
            # Jobs of the same model and data are held against one computation.
            key = repr((job["config"], job["steps"], [job["program"][part] for part in ("blocks", "samples")]))
            job["one"] = expected[key] = expected.get(key) or of_one_process(job)
        for job, found in zip(together, pool.found()):
            job["found"] = found

    def hold(self, name):
        for number, job in enumerate(self.jobs[name]):
            with self.subTest(job=number, schedule=job["program"]["schedule"]):
                worst_loss, worst = farthest(job["found"], job["one"])
                self.assertLess(worst_loss, CLOSE)
                self.assertLess(worst, CLOSE)

    def test_programs_that_are_made_by_hand(self):
        self.hold("hand made")

    def test_every_schedule_with_a_frozen_tower(self):
        self.hold("frozen")

    def test_every_schedule_with_two_replicas(self):
        self.hold("two replicas")

    def test_every_schedule_with_a_frozen_tower_and_two_replicas(self):
        self.hold("frozen, two replicas")

    def test_every_skeleton_on_four_ranks(self):
        self.hold("four ranks")

    def test_random_programs(self):
        self.hold("random")

    def test_losses_of_ten_steps_are_the_same_for_all_schedules(self):
        self.hold("ten steps")
        losses = [job["found"][0] for job in self.jobs["ten steps"]]
        self.assertLess(losses[0][-1], losses[0][0])  # it learns
        for step, of_all in enumerate(zip(*losses)):
            self.assertLess(max(of_all) - min(of_all), CLOSE * min(of_all), f"step {step}")


if __name__ == "__main__":
    unittest.main()
