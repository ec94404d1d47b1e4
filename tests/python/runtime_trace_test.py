"""What the runtime measures: `spillway validate` reads it as it is."""

import json
import os
import random
import tempfile
import unittest

from derived_programs import derived
from executed import example_file, small_vlm
from pipeline_programs import one_f_one_b
from program import EXPERIMENTS, NIGHTLY, SOURCE, document, needs
from started import job
from tiny_model import tiny


@needs("torch")
class Traces(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def trained(self, program, model, *options):
        """Returns the folder with the trace."""
        file, out = os.path.join(self.folder.name, "program.json"), os.path.join(self.folder.name, "out")
        with open(file, "w", encoding="utf-8") as text:
            json.dump(program, text)
        arguments = [file, "--model", model, "--out", out, *options]
        for done in job("spillway.runtime.__main__", arguments, len(program["programs"])):
            self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_of_a_run_are_read_without_flags(self):
        program = one_f_one_b(2, 3, encoder=4, layers_of_rank=[6, 6], width=128, tokens=20, patches=16)
        out = self.trained(program, str(SOURCE / "examples/small_vlm.py"), "--steps", 2)
        self.assertEqual(sorted(os.listdir(out)), ["kineto", "trace.csv"])
        for trace in ("trace.csv", "kineto"):
            read = document("validate", os.path.join(out, trace), "--json")
            self.assertEqual([read[key] for key in ("schedule", "ranks", "microbatches")], ["1f1b", 2, 3])
            self.assertEqual([case["step"] for case in read["cases"]], [0, 1])
            self.assertGreater(read["sends"], 0)
            self.assertLess(read["summary"]["replayed"]["max_abs_error"], 0.25)  # tests run beside others

    def test_begin_when_all_processes_are_ready(self):
        model = example_file(self.folder.name, tiny())
        with open(model, "a", encoding="utf-8") as text:
            text.write("import os, time\nof_example = layer\ndef layer(index, blocks):\n")
            text.write("    time.sleep(1 if os.environ['RANK'] == '1' else 0)\n    return of_example(index, blocks)\n")
        out = self.trained(one_f_one_b(2, 2), model)
        (case,) = document("validate", os.path.join(out, "trace.csv"), "--json")["cases"]
        self.assertLess(case["measured_s"], 1.5)

    def test_of_folds_and_transposed_regions_are_recognised(self):
        folds, others = ("dualpipev", "transpose,dualpipe"), ("zb-v", "transpose,1f1b")
        for schedule in folds + (others if NIGHTLY else ()):
            of_schedule = derived(self.folder.name, {"schedule": schedule}, microbatches=4)
            out = self.trained(of_schedule["program"], example_file(self.folder.name, of_schedule["config"]))
            for trace in ("trace.csv", "kineto"):
                self.assertEqual(document("validate", os.path.join(out, trace), "--json")["schedule"], schedule)

    def played(self, schedule, **times):
        """A program, its events as the runtime makes them, and the records of these."""
        from spillway.runtime.trace import events_of
        from virtual_play import VirtualPlay

        program = derived(self.folder.name, schedule, microbatches=8)["program"]
        for of_rank in program["programs"]:  # passes of 20 to 60 ms
            for action in of_rank["actions"]:
                if action["op"] == "compute" and "seconds" in action:
                    action["seconds"] = {"backward": 0.04, "fused": 0.06}.get(action["pass"], 0.02)
        records = VirtualPlay(program, random.Random(3), **times).records
        return program, events_of(program, records), records

    def test_replay_though_there_are_losses_and_python_between_actions(self):
        from spillway.runtime.trace import processors, write_csv

        path = os.path.join(self.folder.name, "trace.csv")
        for schedule in ({"schedule": "1f1b"}, {"schedule": "zb-h1"}, {"schedule": "dualpipe"}, {"schedule": "dualpipev"},
                         {"schedule": "transpose,1f1b"}, {"schedule": "transpose,dualpipe"}):  # fmt: skip
            program, events, records = self.played(schedule, loss=0.004, gap=0.0002)
            write_csv(path, program, events, processors(records))
            with open(path, encoding="utf-8") as trace:
                self.assertIn(f"# schedule {program['schedule']}\n", trace.readlines()[:3])
            validated = document("validate", path, "--json")
            self.assertEqual(validated["schedule"], schedule["schedule"])
            self.assertLess(validated["summary"]["replayed"]["max_abs_error"], 0.005, schedule)

    def test_have_a_row_for_every_pass_and_both_ends_of_every_message(self):
        for schedule in ({"schedule": "dualpipev"}, {"system": "mpipe-released"}, {"schedule": "zb-h1"}):
            program, events, _ = self.played(schedule)
            words = [event.action for event in events]
            actions = [action for of_rank in program["programs"] for action in of_rank["actions"]]
            for op, end in (("send", "SEND_"), ("post_receive", "RECV_")):
                sides = [word for word in words if end in word]
                self.assertEqual(len(sides), sum(action["op"] == op for action in actions))
                self.assertEqual(len(set(sides)), len(sides))
            for word, names in (("F", ("forward", "fused")), ("B", ("backward", "fused")), ("I", ("input_gradient",))):
                passes = [each for each in words if each.strip("0123456789") == word]
                self.assertEqual(len(passes), sum(action.get("pass") in names for action in actions if action["op"] == "compute"))

    def test_halves_of_a_fused_pass_are_at_the_same_time(self):
        """Replayed one after the other, the output of the first would leave before the second is over."""
        program, events, _ = self.played({"schedule": "dualpipev"}, loss=0.004, gap=0.0002)
        fused = sum(action.get("pass") == "fused" for of_rank in program["programs"] for action in of_rank["actions"])
        passes = [event for event in events if event.action.strip("0123456789") in ("F", "B")]
        places = [(event.rank, event.start, event.end) for event in passes]
        self.assertEqual(len(places) - len(set(places)), fused)
        self.assertGreater(fused, 0)
        sends = [event for event in events if "SEND" in event.action]
        self.assertFalse([1 for a in sends for b in passes if a.rank == b.rank and b.start < a.start < b.end])

    def test_say_how_much_of_their_time_passes_had_a_processor(self):
        from spillway.runtime.trace import processors, write_csv

        program, events, records = self.played({"schedule": "1f1b"}, loss=0.004)
        for record in records:
            if record[2] == "backward":
                record[5] = 0.25 * record[5]  # two thirds of the time of passes
        path = os.path.join(self.folder.name, "trace.csv")
        write_csv(path, program, events, processors(records))
        notes = document("validate", path, "--json")["notes"]
        self.assertRegex(" ".join(notes), r"passes with a processor for (49|50|51)\.\d % of their time")

    def test_a_pass_has_all_of_its_ranks_time_and_a_blocking_send_ends_with_its_wait(self):
        from spillway.runtime.trace import events_of

        program = one_f_one_b(2, 1, recompute=True)
        of_one = {(a["op"], a.get("pass")): a["id"] for a in program["programs"][1]["actions"]}
        of_zero = {(a["op"], a.get("pass")): a["id"] for a in program["programs"][0]["actions"]}
        waits = {a["for"]: a["id"] for rank in program["programs"] for a in rank["actions"] if a["op"] == "wait"}
        sent, received = of_zero["send", "forward"], of_one["post_receive", "forward"]
        records = [
            [0, sent, "send", 1000, 1100, 0], [0, waits[sent], "wait", 9000, 9100, 0],
            [0, received, "post_receive", 0, 10, 0], [0, waits[received], "wait", 500, 2000, 0],
            [0, of_one["compute", "forward"], "forward", 2100, 2500, 0], [0, of_one["loss", None], "loss", 2600, 2800, 0],
            [0, of_one["compute", "recompute"], "recompute", 3000, 3500, 0],
            [0, of_one["compute", "backward"], "backward", 3500, 4000, 0],
            [0, of_one["send", "backward"], "send", 4100, 4200, 0],
        ]  # fmt: skip
        waits_of_sends = [[0, waits[of_one["send", "backward"]], "wait", 4300, 4400, 0],
                          [0, waits[of_zero["post_receive", "backward"]], "wait", 4150, 4400, 0]]  # fmt: skip
        records += waits_of_sends
        times = {event.action: (event.start, event.end) for event in events_of(program, records)}
        self.assertEqual(times["1F0"], (2000, 2800))  # from the end of its wait to that of its loss
        self.assertEqual(times["1B0"], (2800, 4100))  # with its recomputation, to its message
        self.assertEqual(times["0SEND_F0"], (1000, 2000))  # its receiver had waited for it
        self.assertEqual(times["1RECV_F0"], (500, 2000))
        blocking = {event.action: event.end for event in events_of({**program, "point_to_point": "blocking"}, records)}
        self.assertEqual(blocking["0SEND_F0"], 9100)


@needs("torch")
class TheExample(unittest.TestCase):
    """workloads/experiments/small-vlm.json is the model that examples/small_vlm.py is."""

    def test_has_the_parameters_that_the_architecture_has(self):
        path = SOURCE / "workloads/models/small-vlm/config.json"
        tower, text_model = (part["parameters"] for part in document("support", path, "--json")["parts"])
        example = small_vlm(json.loads(path.read_text()))
        program = document("derive", EXPERIMENTS / "small-vlm.json", "--schedule", "first-stage", "--format", "program")
        counts = {}
        for block in program["blocks"]:
            layers = [example.layer(i, program["blocks"]) for i in range(block["first_layer"], block["end_layer"])]
            counts[block["name"]] = sum(each.numel() for layer in layers for each in layer.parameters())
        self.assertEqual(counts, {"enc": tower, "llm": text_model})

    def test_has_the_patches_and_tokens_that_the_program_states(self):
        example = small_vlm(tiny())
        sample = {"tokens": 20, "media": [{"patches": 24}, {"patches": 8}]}
        batch = example.batch(0, 0, 0, sample)
        self.assertEqual([len(each) for each in batch["positions"]], [24, 8])
        self.assertEqual((len(batch["patches"]), len(batch["text"])), (32, 20 - 8))
        rows_and_columns = [tuple(each.tolist()) for each in batch["positions"][0]]
        self.assertEqual(rows_and_columns[:5], [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2)])  # 2 x 2 lie together
        self.assertEqual(len(set(rows_and_columns)), 24)


if __name__ == "__main__":
    unittest.main()
