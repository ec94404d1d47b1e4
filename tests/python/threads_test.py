"""Runs beside each other, and runs that are ended early."""

import json
import os
import signal
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import spillway
from program import EXPERIMENTS, NIGHTLY, SMALL, SOURCE, document, printed, text, without_host_times

DRAWN = EXPERIMENTS / "image-work.json"


def points(count):
    """A sweep of small.json: so many points, each of two schedules."""
    return {
        "schema": "spillway/sweep/1",
        "name": "many",
        "experiment": str(SMALL),
        "axes": [
            {"pointer": "/network/p2p_ms", "range": {"from": 0, "to": 5, "count": 10}},
            {"pointer": "/model/blocks/0/profile/forward_ms", "range": {"from": 1, "to": 9, "count": count // 10}},
        ],
    }


class Threads(unittest.TestCase):
    def test_two_runs_are_under_way_at_once(self):
        both = threading.Barrier(2, timeout=60)
        met = []

        def meet(done, total):
            if not met:
                both.wait()
                met.append(done)

        def one(engine):
            return spillway.run(DRAWN, engine=engine, draws=8, progress=meet)

        with ThreadPoolExecutor(2) as pool:
            reports = list(pool.map(one, ["longest-path", "max-plus"]))
        self.assertTrue(met)
        self.assertEqual(*[[s["name"] for s in report["schedules"]] for report in reports])

    def test_the_interpreter_runs_on(self):
        worker = threading.Thread(target=lambda: spillway.run(DRAWN, engine="longest-path", draws=1000))
        longest, last, begun = 0.0, time.monotonic(), time.monotonic()
        worker.start()
        while worker.is_alive():
            now = time.monotonic()
            longest, last = max(longest, now - last), now
            time.sleep(0.001)
        took = time.monotonic() - begun
        self.assertGreater(took, 0.2, "too short to see anything")
        self.assertLess(longest, took / 2)

    def test_replays_take_turns_and_change_nothing(self):
        expected = text(without_host_times(document("run", SMALL, "--json")))
        with ThreadPoolExecutor(4) as pool:
            reports = list(pool.map(lambda _: spillway.run(SMALL), range(16)))
        for report in reports:
            self.assertEqual(text(without_host_times(report)), expected)

    def test_a_replayed_sweep_beside_replayed_runs(self):
        sweep = {**points(40), "simgrid": {"sample": 5}}
        alone = spillway.sweep(sweep)
        with ThreadPoolExecutor(3) as pool:
            runs = [pool.submit(spillway.run, SMALL) for _ in range(8)]
            beside = pool.submit(spillway.sweep, sweep)
            self.assertEqual(text(beside.result()), text(alone))
            for run in runs:
                run.result()


class Interrupted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = Path(self.folder.name) / "many.sqlite"

    def test_a_sweep_of_thousands_keeps_its_store(self):
        count = 10_000 if NIGHTLY else 2_000
        sweep = points(count)
        handler = signal.getsignal(signal.SIGINT)

        def interrupt(done, total):
            self.assertEqual(total, count)
            if done > 0:
                os.kill(os.getpid(), signal.SIGINT)
                raise_once.append(done)

        raise_once = []
        with self.assertRaisesRegex(KeyboardInterrupt, rf"of {count} points are stored in .*; continue with resume=True"):
            spillway.sweep(sweep, out=self.store, progress=interrupt)
        self.assertIs(signal.getsignal(signal.SIGINT), handler)
        told = []
        rows = spillway.sweep(
            sweep, out=self.store, resume=True, progress=lambda done, total: told.append((done, total))
        )
        self.assertGreaterEqual(told[0][0], raise_once[0])  # kept
        self.assertEqual(told[-1], (count, count))
        self.assertEqual(len(rows["rows"]), 2 * count)
        path = Path(self.folder.name) / "many.json"
        path.write_text(json.dumps(sweep))
        whole = Path(self.folder.name) / "whole.sqlite"
        printed("sweep", path, "--out", whole, "--quiet")
        self.assertEqual(text(rows), text(document("sweep", "export", whole, "--format", "json")))

    def test_a_run_ends_at_ctrl_c(self):
        def interrupt(done, total):
            os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            spillway.run(DRAWN, engine="longest-path", draws=20_000, progress=interrupt)

    def test_what_a_callback_raises_comes_out(self):
        def refuse(done, total):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            spillway.run(DRAWN, draws=2, progress=refuse)
        with self.assertRaisesRegex(LookupError, "enough"):
            spillway.sweep(SOURCE / "workloads/studies/small.json", out=self.store, progress=refuse)
        spillway.sweep(SOURCE / "workloads/studies/small.json", out=self.store, resume=True)


if __name__ == "__main__":
    unittest.main()
