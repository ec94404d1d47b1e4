"""What goes wrong: the violations of the command line as values."""

import copy
import json
import pickle
import unittest

import spillway
from program import EXPERIMENTS, SMALL, printed


class Errors(unittest.TestCase):
    def refused(self, *arguments, **options):
        with self.assertRaises(spillway.InputError) as caught:
            options.pop("function", spillway.run)(*arguments, **options)
        return caught.exception

    def test_every_violation_with_its_place(self):
        document = json.loads(SMALL.read_text())
        document["pipeline"]["ranks"] = 0
        document["netwrok"] = {}
        error = self.refused(document)
        self.assertEqual(
            [(v.file, v.pointer) for v in error.violations],
            [("experiment", "/netwrok"), ("experiment", "/pipeline/ranks")],
        )
        self.assertEqual(
            str(error.violations[0]),
            'experiment: /netwrok: expected a known key, such as "network", found "netwrok"',
        )
        self.assertEqual(str(error), "\n".join(map(str, error.violations)))

    def test_the_words_of_the_command_line(self):
        words = printed("run", SMALL, "--set", "/pipeline/ranks=no", status=2)
        self.assertEqual(str(self.refused(SMALL, set={"/pipeline/ranks": "no"})) + "\n", words)
        missing = str(SMALL) + ".none"
        self.assertEqual(str(self.refused(missing)) + "\n", printed("run", missing, status=2))

    def test_arguments_have_their_python_names(self):
        (violation,) = self.refused(SMALL, engine="abacus").violations
        self.assertEqual((violation.file, violation.pointer), ("arguments", "engine"))
        (violation,) = self.refused(SMALL, function=spillway.derive, format="runes").violations
        self.assertEqual((violation.pointer, violation.found), ("format", '"runes"'))
        (violation,) = self.refused("tarot", function=spillway.schema).violations
        self.assertEqual(violation.pointer, "kind")

    def test_what_json_cannot_hold(self):
        for value in (float("nan"), float("inf"), object(), {1, 2}):
            (violation,) = self.refused({"schema": value}).violations
            self.assertEqual((violation.file, violation.expected), ("experiment", "what JSON can hold"))

    def test_a_case_of_another_table_and_a_sweep_of_nothing(self):
        self.refused({"schema": "spillway/cases/1"}, function=spillway.validate)
        self.refused({"schema": "spillway/sweep/1"}, function=spillway.sweep)
        self.refused({"schema": "spillway/plan/1"}, function=spillway.plan)
        self.refused(SMALL, {"schema": "spillway/report/2"}, function=spillway.compare)

    def test_infeasible(self):
        path = EXPERIMENTS / "qwen2-vl-72b.json"
        with self.assertRaises(spillway.Infeasible) as caught:
            spillway.run(path, set={"/memory/limit_gb": 1}, engine="longest-path", draws=1)
        limit = ("--set", "/memory/limit_gb=1", "--engine", "longest-path", "--draws", "1")
        self.assertEqual(str(caught.exception) + "\n", printed("run", path, *limit, status=3))

    def test_errors_travel(self):
        error = self.refused({"schema": 1})
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.violations), (str(error), error.violations))
        copy.copy(error)

    def test_an_experiment_is_needed(self):
        with self.assertRaises(TypeError):
            spillway.run()


if __name__ == "__main__":
    unittest.main()
