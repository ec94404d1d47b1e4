"""Programs that Spillway derives for examples/small_vlm.py with tiny sizes."""

import importlib.util
import json
import os

import spillway
from program import SOURCE, document
from tiny_model import tiny

# tests/support/skeletons.h
SKELETONS = ("1f1b", "gpipe", "zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v", "v-half", "v-min", "wave(1)", "wave(2)",
             "dualpipe", "dualpipev")  # fmt: skip
SYSTEMS = ("megatron", "megatron-balanced", "mpipe", "encode-in-bubbles", "mpipe-released")

OWNERS = ("round-robin", "blocked", "greedy", "min-max")
ORDERS = ("as-sampled", "heaviest-first", "lightest-first")


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


def derived(folder, schedule, config=None, steps=1, **of_experiment):
    """The job of a pool. An AssertionError has the program's words if it refuses the schedule."""
    config = config or tiny(depth=2, layers=8)
    path = os.path.join(folder, f"experiment-{len(os.listdir(folder))}.json")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(experiment(folder, schedule, config, **of_experiment), text)
    return {"program": program_of(path), "config": config, "steps": steps}


def program_of(path):
    """By the compiled module, where there is one: a process of the program takes ten times as long to start as to derive."""
    if importlib.util.find_spec("spillway._native") is None:
        return document("derive", path, "--format", "program")
    try:
        return json.loads(spillway.derive(path, format="program"))
    except (spillway.InputError, spillway.Infeasible) as refused:
        raise AssertionError(str(refused)) from None


def random_job(folder, draw):
    """Whatever may be executed by up to four processes: what the program refuses is drawn again, a few times."""
    refused = 0
    while True:
        try:
            return _random_job(folder, draw)
        except AssertionError:
            refused += 1
            if refused > 20:
                raise


def _random_job(folder, draw):
    skeleton = draw.choice(SKELETONS)
    schedule = draw.choice([
        {"schedule": skeleton}, {"schedule": f"transpose,{skeleton}", "owner": draw.choice(OWNERS)},
        {"schedule": draw.choice(["1f1b,1f1b", "gpipe,gpipe"])},
        {"system": draw.choice(SYSTEMS), "body": draw.choice(["1f1b", skeleton])},
        {"system": "mpipe-released", "owner_backward": draw.random() < 0.5, "ownership": draw.choice(["full", "min"])},
        {"system": "encode-first", "owner": draw.choice(OWNERS), "body": skeleton},
        {"system": "mpipe", "owner": draw.choice(OWNERS), "order": draw.choice(ORDERS), "owner_from": "draw"},
    ])  # fmt: skip
    ranks = draw.randint(1, 4)
    config = tiny(depth=draw.randint(1, 2), layers=draw.randint(ranks, 2 * ranks))
    return derived(
        folder, schedule, config, ranks=ranks, microbatches=draw.choice([1, 2, 3, 4]), replicas=draw.randint(1, 4 // ranks),
        trained=draw.choice([(True, True), (True, True), (False, True), (True, False)]), seed=draw.randint(1, 10**6),
        network={"p2p": draw.choice(["overlapped", "blocking"])}, steps=draw.choice([1, 1, 1, 1, 2]),
    )  # fmt: skip
