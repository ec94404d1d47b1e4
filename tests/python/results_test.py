"""Results as tables, arrays, pictures."""

import base64
import copy
import gzip
import html
import json
import pickle
import re
import unittest

import spillway
from program import EXPERIMENTS, SMALL, SOURCE, needs


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = spillway.run(SMALL)

    def test_is_a_dict(self):
        self.assertIsInstance(self.report, dict)
        self.assertEqual(json.loads(json.dumps(self.report)), self.report)
        for again in (copy.deepcopy(self.report), pickle.loads(pickle.dumps(self.report))):
            self.assertEqual(again, self.report)
            self.assertIsInstance(again, spillway.Report)
            with self.assertRaisesRegex(ValueError, "no timelines"):
                again.timeline()

    @staticmethod
    def unpacked(picture):
        """What a picture shows: the page's data is gzipped in it."""
        data = re.search(r'id="data"[^>]*>([^<]*)<', html.unescape(picture))
        return gzip.decompress(base64.b64decode(data[1])).decode() if data else picture

    def test_a_picture_in_a_notebook(self):
        picture = self.report._repr_html_()
        self.assertTrue(picture.startswith("<iframe" if self.report.page() else "<table"), picture[:80])
        self.assertIn("mpipe", self.unpacked(picture))
        self.assertNotIn("<script", picture)  # the page is quoted, whatever names say
        self.assertIn("<table", copy.copy(self.report)._repr_html_())

    def test_names_in_pictures_are_text(self):
        document = json.loads(SMALL.read_text())
        document["schedules"][0]["name"] = '"><script>alert(1)</script>'
        report = spillway.run(document, engine="longest-path")
        for result in (report, copy.copy(report)):
            self.assertNotIn("<script>alert", result._repr_html_())

    @needs("numpy")
    def test_timelines_are_arrays_over_the_runs_memory(self):
        import numpy

        timeline = self.report.timeline("mpipe")
        self.assertEqual(timeline.start.dtype, numpy.float64)
        self.assertFalse(timeline.start.flags.owndata or timeline.start.flags.writeable)
        one, other = timeline.end, self.report.timeline("mpipe").end
        self.assertTrue(numpy.shares_memory(one, other))
        schedule = self.report["schedules"][0]
        self.assertEqual(timeline.end.max(), schedule["makespan_s"])
        for rank in schedule["ranks"]:
            computing = (timeline.rank == rank["rank"]) & (timeline.kind <= spillway.KINDS.index("ForwardBackward"))
            busy = (timeline.end - timeline.start)[computing, 0].sum()
            self.assertAlmostEqual(busy, rank["busy_s"], places=12)
            self.assertEqual(timeline.start[computing].min(), rank["first_start_s"])
        self.assertEqual(len(timeline.names()), len(timeline.rank))
        with self.assertRaises(KeyError):
            self.report.timeline("nobody")

    @needs("numpy")
    def test_arrays_outlive_the_report(self):
        report = spillway.run(SMALL)
        end = report.timeline().end
        makespan = report["schedules"][0]["makespan_s"]
        del report
        self.assertEqual(end.max(), makespan)

    @needs("pandas")
    def test_frames(self):
        frame = self.report.frame()
        self.assertEqual(list(frame["name"]), ["mpipe", "baseline"])
        self.assertEqual(list(frame["makespan_s"]), [s["makespan_s"] for s in self.report["schedules"]])
        self.assertEqual(len(self.report.frame("ranks")), 8)
        with self.assertRaises(KeyError):
            self.report.frame("rows")
        events = self.report.timeline("mpipe").frame()
        self.assertEqual(len(events), self.report["schedules"][0]["simulation"]["events"])
        self.assertEqual(events["kind"][0], "Forward")

    @needs("pandas")
    def test_every_result_has_a_frame(self):
        drawn = spillway.run(EXPERIMENTS / "image-work.json", engine="longest-path", draws=2)
        self.assertIn("makespan_s.mean", drawn.frame().columns)
        trace = SOURCE / "workloads/published/traces/straggler-st.csv"
        derivation = spillway.derive(SMALL)
        results = (
            drawn,
            spillway.explain(SMALL),
            derivation,
            spillway.images(SOURCE / "workloads/traces/image_256.csv"),
            spillway.validate(trace),
            spillway.compare(SMALL, SMALL),
            spillway.sweep(SOURCE / "workloads/studies/small.json"),
        )
        for result in results:
            self.assertGreater(len(result.frame()), 0, type(result))
            self.assertTrue(result._repr_html_().startswith("<"), type(result))
        self.assertEqual(len(derivation.frame("edges")), len(derivation["order"]["edges"]))

    @needs("numpy")
    def test_numbers_of_numpy_are_numbers(self):
        import numpy

        report = spillway.run(SMALL, set={"/network/p2p_ms": numpy.float64(0.601), "/pipeline/ranks": numpy.int64(4)})
        self.assertEqual(report["schedules"][0]["makespan_s"], self.report["schedules"][0]["makespan_s"])


if __name__ == "__main__":
    unittest.main()
