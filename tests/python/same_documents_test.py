"""Results are what the command line prints with --json, to the last digit."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import spillway
from program import EXPERIMENTS, NIGHTLY, PROGRAM, SMALL, SOURCE, document, printed, text, without_host_times

LAWS = os.environ["SPILLWAY_LAWS"]
TABLE = SOURCE / "workloads/published/gpt-2.json"


def random_experiment(number):
    return subprocess.check_output([LAWS, str(number), "print"], text=True)


def with_late_receives(actions):
    """Receives are posted when they are waited for, and each send is waited for at once."""
    by_id = {action["id"]: action for action in actions}
    waits = {action["for"]: action for action in actions if action["op"] == "wait"}
    late = []
    for action in actions:
        waited = by_id[action["for"]] if action["op"] == "wait" else {"op": ""}
        if waited["op"] == "post_receive":
            late.append(waited)
        if action["op"] != "post_receive" and waited["op"] != "send":
            late.append(action)
        if action["op"] == "send" and action["id"] in waits:
            late.append(waits[action["id"]])
    return late


class SameDocuments(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCE)

    def file(self, content):
        path = Path(self.folder.name) / "experiment.json"
        path.write_text(content)
        return path

    def expect_same(self, result, *arguments):
        self.assertEqual(text(result), text(document(*arguments)))

    def test_random_experiments(self):
        count = 100 if NIGHTLY else 8
        outcomes = {"report": 0, "infeasible": 0}
        for number in range(1, count + 1):
            with self.subTest(experiment=number):
                content = random_experiment(number)
                path = self.file(content)
                given = path if number % 2 else json.loads(content)
                try:
                    report = without_host_times(spillway.run(given))
                except spillway.Infeasible:
                    printed("run", path, "--json", status=3)
                    outcomes["infeasible"] += 1
                    continue
                self.assertEqual(text(report), text(without_host_times(document("run", path, "--json"))))
                outcomes["report"] += 1
        self.assertGreater(outcomes["report"], 0.9 * count)

    def test_run_with_options(self):
        path = EXPERIMENTS / "image-work.json"
        options = ["--set", "/pipeline/microbatches=12", "--draws", "3", "--seed", "7"]
        expected = without_host_times(document("run", path, "--json", "--engine", "longest-path", *options))
        for changes in ({"/pipeline/microbatches": 12}, ["/pipeline/microbatches=12"]):
            report = spillway.run(path, set=changes, engine="longest-path", draws=3, seed=7)
            self.assertEqual(text(without_host_times(report)), text(expected))

    def test_run_of_a_trace_and_of_an_order(self):
        trace = SOURCE / "workloads/published/traces/straggler-ar.csv"
        report = spillway.run(workload=trace, engine=["longest-path"])
        expected = document("run", "--workload", trace, "--engine", "longest-path", "--json")
        self.assertEqual(text(without_host_times(report)), text(without_host_times(expected)))
        order = SOURCE / "workloads/orders/small-split.csv"
        report = spillway.run(SMALL, order=order)
        expected = document("run", SMALL, "--order", order, "--json")
        self.assertEqual(text(without_host_times(report)), text(without_host_times(expected)))

    def test_synthesize(self):
        found = spillway.synthesize(EXPERIMENTS / "first-look.json", effort=150, seed=2)
        options = ("--effort", "150", "--seed", "2", "--json")
        self.expect_same(found, "synthesize", EXPERIMENTS / "first-look.json", *options)

    def test_synthesize_by_draw_and_by_skeletons(self):
        path, few = EXPERIMENTS / "image-work.json", {"/pipeline/microbatches": 6, "/draws": 2}
        found = spillway.synthesize(path, set=few, effort=120, per_draw=30, skeletons=["1f1b", "gpipe"])
        options = ["--set", "/pipeline/microbatches=6", "--set", "/draws=2", "--effort", "120", "--per-draw", "30"]
        self.expect_same(found, "synthesize", path, *options, "--skeletons", "1f1b,gpipe", "--json")

    def test_explain(self):
        self.expect_same(spillway.explain(SMALL), "explain", SMALL, "--json")
        self.expect_same(
            spillway.explain(SMALL, schedule="baseline", measured=1.5),
            *("explain", SMALL, "--json", "--schedule", "baseline", "--measured", "1.5"),
        )
        self.expect_same(
            spillway.explain(json.loads(SMALL.read_text()), schedule="mpipe", set={"/network/p2p_ms": 0.5}),
            *("explain", SMALL, "--json", "--schedule", "mpipe", "--set", "/network/p2p_ms=0.5"),
        )

    def test_derive(self):
        self.expect_same(spillway.derive(SMALL), "derive", SMALL, "--format", "json")
        for name in ("text", "dot", "graphml", "csv"):
            self.assertEqual(
                spillway.derive(SMALL, schedule="baseline", format=name),
                printed("derive", SMALL, "--schedule", "baseline", "--format", name),
            )

    def test_images(self):
        trace = SOURCE / "workloads/traces/coco_val2017.csv"
        self.expect_same(spillway.images(trace), "images", trace, "--json")

    def test_check(self):
        arguments = ["derive", SMALL, "--schedule", "mpipe", "--check", "--json"]
        self.expect_same(spillway.check(SMALL, schedule="mpipe"), *arguments)
        blocking = json.loads(spillway.derive(SMALL, schedule="mpipe", format="program"))
        for rank in blocking["programs"]:
            rank["actions"] = with_late_receives(rank["actions"])
        found = spillway.check(blocking)
        self.assertFalse(found["safe"])
        self.assertEqual(found.tables, ["check", "cycle"])
        command = [PROGRAM, "derive", self.file(json.dumps(blocking)), "--check", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(text(found), text(json.loads(done.stdout)))

    def test_export(self):
        experiment = SOURCE / "workloads/experiments/ascend-910b-pp2.json"
        result = spillway.export(experiment)
        self.expect_same(result, "export", experiment, "--json")
        self.assertEqual(result.tables, ["launches"])
        one = spillway.export(experiment, to="megatron-lm")
        self.expect_same(one, "export", experiment, "--to", "megatron-lm", "--json")
        with self.assertRaises(spillway.Infeasible):
            spillway.export(experiment, to="torchtitan")
        with self.assertRaises(spillway.InputError):
            spillway.export(experiment, to="nemo")

    def test_import_script(self):
        script = SOURCE / "tests/launch/scripts/mixtral-8x7b.sh"
        result = spillway.import_script(script, platform="hgx-h100", set={"NNODES": 8})
        self.expect_same(result, "import", script, "--platform", "hgx-h100", "--set", "NNODES=8", "--json")
        self.assertEqual(result["document"]["pipeline"]["replicas"], 16)
        with self.assertRaises(spillway.InputError):
            spillway.import_script(script, platform="")
        named = SOURCE / "tests/launch/scripts/llava-13b-finetune.sh"
        options = {"devices": 8, "images": "coco_val2017", "text_tokens": 200}
        result = spillway.import_script(named, platform="hgx-h100", **options)
        given = ["--devices", "8", "--images", "coco_val2017", "--text-tokens", "200"]
        self.expect_same(result, "import", named, "--platform", "hgx-h100", *given, "--json")

    def test_import_trace(self):
        trace = SOURCE / "workloads/published/traces/straggler-st.csv"
        result = spillway.import_trace(trace, step="23")
        self.expect_same(result, "import", trace, "--step", "23", "--json")
        self.assertEqual(result.tables, ["passes", "steps", "events"])
        copy = Path(self.file("")).with_suffix(".csv")
        spillway.import_trace(trace, step=["23"], out=copy)
        self.assertEqual(spillway.import_trace(copy)["events"], result["events"])
        with self.assertRaisesRegex(spillway.InputError, "a readable file"):
            spillway.import_trace("no/such/trace")

    def test_calibrate(self):
        sweep, platform = SOURCE / "workloads/measured/h100-gemm-bf16.csv", SOURCE / "platforms/hgx-h100.json"
        result = spillway.calibrate(sweep, platform=platform, source="here")
        self.expect_same(result, "calibrate", sweep, "--platform", platform, "--source", "here", "--json")
        self.assertTrue(result["tables"] or result["fitted"])
        alone = spillway.calibrate(platform=platform, against=[sweep])
        self.expect_same(alone, "calibrate", "--platform", platform, "--against", sweep, "--json")
        self.assertEqual(alone["fitted"], [])
        table = SOURCE / "workloads/published/simumax-b200.json"
        result = spillway.calibrate(table, engine="longest-path")
        self.expect_same(result, "calibrate", table, "--engine", "longest-path", "--json")
        with self.assertRaisesRegex(spillway.InputError, "operation: expected a collective"):
            spillway.calibrate(sweep, platform=platform, operation="sing")

    def test_support(self):
        for config in (SOURCE / "workloads/models/qwen3-8b/config.json", "qwen2-vl-7b"):
            result = spillway.support(config)
            self.expect_same(result, "support", config, "--json")
            self.assertEqual(len(result["parts"]), len(result._tables["parts"](result)))

    def test_names_of_what_is_shipped(self):
        report = without_host_times(spillway.run("small"))
        self.assertEqual(text(report), text(without_host_times(document("run", SMALL, "--json"))))

    def test_validate(self):
        trace = SOURCE / "workloads/published/traces/straggler-st.csv"
        self.expect_same(spillway.validate(trace), "validate", trace, "--json")
        table = SOURCE / "workloads/published/megatron-h100.json"
        result = spillway.validate(table, engine="longest-path", intervals=True, causes=True)
        options = ("--json", "--engine", "longest-path", "--intervals", "--causes")
        self.expect_same(result, "validate", table, *options)

    def test_validate_of_a_profile_and_of_a_log(self):
        profile = SOURCE / "examples/data-parallel"
        result = spillway.validate(profile)
        self.expect_same(result, "validate", profile, "--json")
        self.assertEqual(result["schema"], "spillway/profile/1")
        self.assertEqual(len(result._tables["cases"](result)), 8)
        log = SOURCE / "examples/megatron.log"
        result = spillway.validate(log, experiment=SMALL)
        self.expect_same(result, "validate", log, "--experiment", SMALL, "--json")
        self.assertEqual(result["steady"]["warm_up_steps"], 2)
        self.assertEqual([step["step"] for step in result._tables["cases"](result)][:2], [1, 2])

    def test_validate_of_several_tables(self):
        tables = [SOURCE / f"workloads/published/{name}.json" for name in ("automodel", "megatron-h100")]
        result = spillway.validate(tables, engine="longest-path", intervals=True)
        self.expect_same(result, "validate", *tables, "--json", "--engine", "longest-path", "--intervals")
        self.assertEqual([one["class"] for one in result["classes"]], ["MoE", "short steps"])
        self.assertEqual(len(result._tables["cases"](result)), 6)
        with self.assertRaises(ValueError):
            spillway.validate([])

    def test_compare(self):
        changed = json.loads(SMALL.read_text())
        changed["network"]["p2p_ms"] = 1.5
        path = self.file(json.dumps(changed))
        result = spillway.compare(SMALL, path, fail_if="makespan_s > 1 %")
        done = json.loads(printed("compare", SMALL, path, "--json"))
        self.assertEqual(text(result["schedules"]), text(done["schedules"]))
        self.assertTrue(result["fail_if"])
        of_dicts = spillway.compare(json.loads(SMALL.read_text()), changed)
        self.assertEqual(text(of_dicts["schedules"]), text(done["schedules"]))

    def test_compare_reports(self):
        report = spillway.run(SMALL)
        result = spillway.compare(report, SMALL)
        self.assertEqual([s["makespan_s"]["difference"] for s in result["schedules"]], [0, 0])

    def test_plan(self):
        job = json.loads((SOURCE / "bench/jobs/text.json").read_text().replace("../..", str(SOURCE)))
        job["clusters"][0]["devices"] = [32]
        job["model"]["blocks"][0]["layers"] = 8
        told = []
        result = spillway.plan(job, top=3, progress=lambda done, total: told.append((done, total)))
        path = self.file(json.dumps(job))
        self.expect_same(result, "plan", path, "--json", "--quiet", "--top", "3")
        self.assertEqual(told[0][0], 0)
        self.assertEqual(sorted(told), told)
        why = spillway.explain_layout(job, "P=4 TP=2 1f1b zero1")
        self.expect_same(why, "plan", path, "--json", "--quiet", "--explain", "P=4 TP=2 1f1b zero1")
        self.assertGreater(len(why["towards_best"]), 0)
        self.assertEqual(why["way"]["target"], "plan-1")
        self.assertAlmostEqual(sum(step["gain"] for step in why["way"]["steps"]), why["way"]["above_target"])

    def test_sweep(self):
        path, store = SOURCE / "workloads/studies/small.json", Path(self.folder.name) / "small.sqlite"
        printed("sweep", path, "--out", store, "--quiet")
        rows = document("sweep", "export", store, "--format", "json")
        self.assertEqual(text(spillway.sweep(path)), text(rows))
        shards = [Path(self.folder.name) / f"{i}.sqlite" for i in (0, 1)]
        for i, shard in enumerate(shards):
            spillway.sweep(path, out=shard, shard=f"{i}/2", jobs=1)
        printed("sweep", "merge", "--out", Path(self.folder.name) / "all.sqlite", *shards)
        merged = document("sweep", "export", Path(self.folder.name) / "all.sqlite", "--format", "json")
        self.assertEqual(text(merged), text(rows))

    def test_schema(self):
        for kind in ("experiment", "report", "sweep"):
            self.assertEqual(spillway.schema(kind), document("schema", kind))
        self.assertEqual(spillway.schema("platform", example="mine"), document("schema", "platform", "--example", "mine"))

    def test_version(self):
        self.assertEqual(spillway.__version__, printed("--version").split()[-1])


if __name__ == "__main__":
    unittest.main()
