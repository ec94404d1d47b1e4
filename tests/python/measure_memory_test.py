"""Memory snapshots as rows of kept bytes."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest


def frames(*names):
    return [{"filename": f"{name}.py", "line": 10 + i, "name": name} for i, name in enumerate(names)]


class Story:
    """Events as an allocator records them."""

    def __init__(self):
        self.events, self.next = [], 4096

    def alloc(self, size, *names):
        self.next += 1 << 20
        self.events.append({"action": "alloc", "addr": self.next, "size": size, "stream": 0, "frames": frames(*names)})
        return self.next

    def free(self, address, size, *names):
        for action in ("free_requested", "free_completed"):
            self.events.append({"action": action, "addr": address, "size": size, "stream": 0, "frames": frames(*names)})

    def forward(self, kept, *inside):
        """An input, scratch that does not live on, and what is kept; each from another place."""
        function = inside or ("forward_step", "train")
        first = self.alloc(512, "embedding", *function)
        scratch = self.alloc(8192, "matmul", *function)
        self.alloc(kept - 512, "norm", *function)
        self.free(scratch, 8192)
        return first

    def backward(self):
        self.free(self.alloc(1024, "run_backward", "backward_step", "train"), 1024, "run_backward", "train")

    def snapshot(self, **more):
        return {"segments": [], "device_traces": [self.events, []], **more}


class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "kept.csv")

    def run_on(self, snapshot, *more):
        file = os.path.join(self.folder.name, "snapshot.pickle")
        with open(file, "wb") as out:
            out.write(snapshot if isinstance(snapshot, bytes) else pickle.dumps(snapshot))
        command = [sys.executable, "-B", "-m", "spillway.measure.memory", file, "--stage", "llm:0-4", "--tokens", "2x2048"]
        return subprocess.run([*command, "--out", self.out, *more], capture_output=True, text=True)

    def rows(self, snapshot, *more):
        done = self.run_on(snapshot, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.out, encoding="utf-8") as text:
            return text.read().splitlines()

    def refusal(self, snapshot, *more):
        done = self.run_on(snapshot, *more)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertFalse(os.path.exists(self.out))
        return done.stderr

    def test_each_forward_is_a_row(self):
        story = Story()
        story.forward(10_000)  # two of warm-up follow each other
        story.forward(20_000)
        story.backward()
        story.forward(30_000)
        story.backward()
        self.assertEqual(
            self.rows(story.snapshot()),
            ["stage,direction,tokens,patches,milliseconds,bytes"]
            + [f"llm:0-4,forward,2x2048,,,{kept}" for kept in (10_000, 20_000, 30_000)],
        )

    def test_a_forward_that_the_snapshot_cuts_is_left_out(self):
        story = Story()
        story.forward(10_000)
        story.backward()
        story.forward(20_000)
        self.assertEqual(len(self.rows(story.snapshot())), 2)

    def test_the_function_of_a_forward_has_any_name(self):
        story = Story()
        story.forward(10_000, "run_model", "train")
        story.backward()
        self.assertIn("found none in", self.refusal(story.snapshot()))
        self.assertEqual(len(self.rows(story.snapshot(), "--forward", "run_model")), 2)

    def test_a_pickle_of_other_types_is_refused_and_runs_nothing(self):
        class Evil:
            def __reduce__(self):
                return os.system, (f"touch {self.out}",)

        Evil.out = self.out
        self.assertIn("lists, dictionaries, text and numbers alone", self.refusal({"device_traces": Evil()}))

    def test_bad_snapshots_are_refused(self):
        self.assertIn("found none", self.refusal({"segments": []}))
        self.assertIn("a pickle of torch.cuda.memory._dump_snapshot", self.refusal(b"\x80\x04no pickle"))
        self.assertIn("a device from 0 to 1", self.refusal(Story().snapshot(), "--device", "7"))
        self.assertIn("events with action", self.refusal({"device_traces": [[{"addr": 1}]]}))


if __name__ == "__main__":
    unittest.main()
