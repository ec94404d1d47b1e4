"""Chakra's execution traces, read back by protoc: played by what they say, they take what the longest path does.

SPILLWAY_CHAKRA names Chakra's own et_def.proto, where there is one; else execution_trace.proto beside this."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import spillway
from program import SMALL, printed

SCHEMA = Path(os.environ.get("SPILLWAY_CHAKRA", Path(__file__).parent / "execution_trace.proto"))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def messages(data):
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        yield data[at : at + length]
        at += length


def delimited(message):
    length, encoded = len(message), b""
    while length >= 0x80:
        encoded, length = encoded + bytes([length & 0x7F | 0x80]), length >> 7
    return b"\n" + encoded + bytes([length]) + message


def nodes_of(path, folder):
    """Metadata and nodes, decoded by the schema: each a dict of its fields, attributes among them."""
    metadata, *nodes = messages(path.read_bytes())
    trace = Path(folder) / "trace.proto"
    trace.write_text(
        f'syntax = "proto3"; import "{SCHEMA.name}";\n'
        "message Trace { repeated ChakraProtoMsg.Node node = 1; repeated ChakraProtoMsg.GlobalMetadata metadata = 2; }"
    )
    text = subprocess.run(
        ["protoc", "-I", SCHEMA.parent, "-I", folder, "--decode=Trace", trace.name],
        input=b"".join(map(delimited, nodes)) + b"\x12" + delimited(metadata)[1:],
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert 'string_val: "1.0.2-chakra.0.0.4"' in text
    return [fields(block) for block in re.findall(r"^node \{\n(.*?)^\}", text, re.M | re.S)]


def fields(block):
    node = {"id": 0, "type": "INVALID_NODE", "data_deps": [], "duration_micros": 0}
    for key, value in re.findall(r"^  (\w+): (.*)$", block, re.M):
        if key == "data_deps":
            node[key].append(int(value))
        else:
            node[key] = value.strip('"') if not value.isdigit() else int(value)
    for name, value in re.findall(r'attr \{\n\s+name: "(\w+)"\n\s+\w+_val: (.*)\n', block):
        node[name] = value.strip('"') if not value.isdigit() else int(value)
    return node


def played(ranks):
    """When the last node ends, in ns, were every message sent at once: a receive ends with its send, a reduction
    when its last member has it."""
    sends = {
        (rank, n["comm_dst"], n["comm_tag"]): (rank, n)
        for rank, nodes in ranks.items()
        for n in nodes
        if n["type"] == "COMM_SEND_NODE"
    }
    groups = {}
    for rank, nodes in ranks.items():
        for n in nodes:
            if n["type"] == "COMM_COLL_NODE":
                groups.setdefault(n["pg_name"], []).append((rank, n))
    by_id = {rank: {n["id"]: n for n in nodes} for rank, nodes in ranks.items()}
    ends = {}

    def ready(rank, node):
        return max((end(rank, by_id[rank][before]) for before in node["data_deps"]), default=0)

    def end(rank, node):
        key = (rank, node["id"])
        if key not in ends:
            if node["type"] == "COMM_RECV_NODE":
                sender, send = sends[(node["comm_src"], rank, node["comm_tag"])]
                assert send["comm_size"] == node["comm_size"]
                ends[key] = end(sender, send)
            elif node["type"] == "COMM_COLL_NODE":
                begin = max(ready(other, each) for other, each in groups[node["pg_name"]])
                ends[key] = begin + node["duration_ns"]
            else:
                ends[key] = ready(rank, node) + node["duration_ns"]
        return ends[key]

    return max(end(rank, node) for rank, nodes in ranks.items() for node in nodes)


class ReadBack(unittest.TestCase):
    """What derive writes is read by import as the trace of the same run is."""

    def test_as_the_trace_of_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            printed("run", SMALL, "--engine", "longest-path", "--out", folder)
            for schedule in ("baseline", "mpipe"):
                out = Path(folder) / f"{schedule}-et"
                spillway.derive(SMALL, schedule=schedule, format="chakra", out=out)
                played = spillway.import_trace(out)
                (ran,) = Path(folder).glob(f"{schedule}.trace.json*")
                expected = spillway.import_trace(ran)
                self.assertEqual(played["format"], "chakra")
                for key in ("replicas", "ranks", "stages", "microbatches"):
                    self.assertEqual(played[key], expected[key], key)
                self.assertEqual(played["events"].keys(), expected["events"].keys())
                for kind, of in expected["events"].items():
                    self.assertEqual(played["events"][kind]["count"], of["count"], kind)
                    self.assertAlmostEqual(played["events"][kind]["total_s"], of["total_s"], delta=1e-6)
                self.assertAlmostEqual(played["span_s"], expected["span_s"], delta=1e-6)
                self.assertEqual(
                    spillway.validate(out)["schedule"], spillway.validate(ran)["schedule"]
                )


@unittest.skipIf(shutil.which("protoc") is None, "not installed: protoc")
class Chakra(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def derived(self, schedule, changes):
        out = Path(self.folder) / "traces"
        shutil.rmtree(out, ignore_errors=True)
        words = spillway.derive(SMALL, schedule=schedule, set=changes, format="chakra", out=out)
        files = sorted(out.glob("*.et"), key=lambda path: int(path.stem))
        self.assertEqual(words, f"wrote {len(files)} execution traces under {out}\n")
        return {int(path.stem): nodes_of(path, self.folder) for path in files}

    def test_takes_the_longest_path(self):
        for schedule in ("mpipe", "baseline"):
            for changes in (
                {},
                {"/network/p2p": "blocking"},
                {"/pipeline/replicas": 2, "/model/blocks/0/trainable": True},
            ):
                ranks = self.derived(schedule, changes)
                self.assertEqual(len(ranks), 4 * changes.get("/pipeline/replicas", 1))
                report = spillway.run(SMALL, set=changes, engine="longest-path")
                (makespan,) = (s["makespan_s"] for s in report["schedules"] if s["name"] == schedule)
                self.assertAlmostEqual(played(ranks) * 1e-9, makespan, places=8)

    def test_nodes_wait_for_what_stands_before_them(self):
        for nodes in self.derived("mpipe", {}).values():
            seen = set()
            for node in nodes:
                self.assertNotIn(node["id"], seen)
                self.assertLessEqual(set(node["data_deps"]), seen)
                seen.add(node["id"])
                if node["type"] != "COMM_RECV_NODE":
                    self.assertAlmostEqual(node["duration_micros"], node["duration_ns"] / 1000, delta=0.5)

    def test_a_large_one_takes_seconds(self):
        changes = {
            "/pipeline": {"ranks": 64, "microbatches": 512},
            "/model/blocks/0/work_per_microbatch": [1.0] * 512,
            "/model/blocks/1/layers": 128,
            "/schedules": [{"name": "x", "schedule": "transpose,1f1b", "cut": [4]}],
            "/baseline": "x",
        }
        begun = time.monotonic()
        spillway.derive(SMALL, set=changes, format="chakra", out=Path(self.folder) / "large")
        goal = spillway.derive(SMALL, set=changes, format="goal")
        self.assertLess(time.monotonic() - begun, 60)
        self.assertEqual(goal.count("\nrank "), 64)
        self.assertEqual(len(list((Path(self.folder) / "large").iterdir())), 64)

    def test_a_folder_is_needed(self):
        with self.assertRaises(spillway.InputError) as caught:
            spillway.derive(SMALL, format="chakra")
        self.assertEqual(
            str(caught.exception),
            "arguments: out: expected a folder, and only with --format chakra, found none",
        )
        words = printed("derive", SMALL, "--format", "goal", "--out", self.folder, status=2)
        self.assertIn("--out: expected a folder, and only with --format chakra", words)


if __name__ == "__main__":
    unittest.main()
