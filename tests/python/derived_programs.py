"""Programs that Spillway derives for examples/small_vlm.py with tiny sizes."""

import json
import os

from program import SOURCE, document
from tiny_model import tiny

# tests/support/skeletons.h
SKELETONS = ("1f1b", "gpipe", "zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v", "v-half", "v-min", "wave(1)", "wave(2)",
             "dualpipe", "dualpipev")  # fmt: skip
SYSTEMS = ("megatron", "megatron-balanced", "mpipe", "encode-first", "encode-in-bubbles", "mpipe-released")


def experiment(folder, schedule, config, ranks=2, microbatches=4, replicas=1, trained=(True, True), seed=1, **more):
    """schedule: an entry of `schedules` without its name. more: keys of the experiment, or "recompute" of the tower."""
    architecture = os.path.join(folder, f"config-{len(os.listdir(folder))}.json")
    with open(architecture, "w", encoding="utf-8") as text:
        json.dump(config, text)
    tower = {"name": "enc", "role": "encoder", "trainable": trained[0], "architecture": architecture}
    text_model = {"name": "llm", "role": "backbone", "trainable": trained[1], "architecture": architecture}
    return {
        "schema": "spillway/experiment/1", "name": "tiny",
        "pipeline": {"ranks": ranks, "microbatches": microbatches, "replicas": replicas},
        "platform": str(SOURCE / "platforms/ideal.json"), "model": {"blocks": [tower, text_model]},
        "workload": {"trace": str(SOURCE / "workloads/traces/mathvista_testmini.csv"), "rule": {"max_pixels": 12544},
                     "images_per_sample": {"values": [0, 1, 2], "shares": [1, 2, 1]}, "text_tokens": 5,
                     "packing": "unpacked"},
        "seed": seed, "schedules": [{"name": "it", **schedule}], **more,
    }  # fmt: skip


def derived(folder, schedule, config=None, **of_experiment):
    """The job of a pool. Refused with an AssertionError that has the program's words."""
    config = config or tiny(depth=3, layers=9)
    path = os.path.join(folder, f"experiment-{len(os.listdir(folder))}.json")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(experiment(folder, schedule, config, **of_experiment), text)
    return {"program": document("derive", path, "--format", "program"), "config": config, "steps": 2}
