"""write_lists.py PROGRAM FOLDER [RANDOM]: action lists of many schedules, for run_lists.py.

Writes FOLDER/NAME.csv by `spillway derive --format csv`, and FOLDER/jobs.json with what PyTorch has to know beside
them: microbatches, and which layers are frozen. The schedules are every skeleton on 2 and 4 ranks, alone and behind an
encoder that one rank computes, frozen and trained; the shipped experiments of up to 8 ranks; and RANDOM random jobs.
"""

import itertools
import json
import random
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SKELETONS = ["1f1b", "gpipe", "zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v", "v-half", "v-min", "wave(1)", "wave(2)",
             "dualpipe", "dualpipev", "1f1b,1f1b", "gpipe,gpipe", "1f1b,1f1b,1f1b"]
SHIPPED = ["skeletons", "small", "pipelines", "reordering", "paper-free-encoder", "systems", "zero-bubble"]
PASSES = {"forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1}
LIGHT = {key: value / 1000 for key, value in PASSES.items()}  # the rank with the most slack then encodes everything


def block(name, layers, trainable=True, passes=PASSES):
    return {"name": name, "layers": layers, "trainable": trainable, "profile": passes}


def experiment(ranks, microbatches, blocks, schedule):
    return {"schema": "spillway/experiment/1", "name": "lists", "model": {"blocks": blocks},
            "pipeline": {"ranks": ranks, "microbatches": microbatches}, "network": {"p2p_ms": 0.1},
            "schedules": [{"name": "it", **schedule}]}


def cuts(first, layers, regions):
    """Boundaries that split the layers from `first` on among so many regions."""
    return [first + layers * i // regions for i in range(1, regions)]


def pipelined(skeleton, ranks, blocks):
    layers = sum(b["layers"] for b in blocks)
    return {"schedule": skeleton, "cut": cuts(0, layers, skeleton.count(",") + 1)}


def behind_encoder(skeleton, blocks):
    encoder, backbone = blocks[0]["layers"], blocks[1]["layers"]
    return {"schedule": "transpose," + skeleton, "owner": "greedy",
            "cut": [encoder] + cuts(encoder, backbone, skeleton.count(",") + 1)}


def made_jobs():
    for ranks in (2, 4):
        backbone = 4 * ranks
        for skeleton in SKELETONS:
            blocks = [block("llm", backbone + 1)]
            yield f"{skeleton} P={ranks}", experiment(ranks, 2 * ranks, blocks, pipelined(skeleton, ranks, blocks))
            for trained in (True, False):
                blocks = [block("enc", 2, trained, LIGHT), block("llm", backbone)]
                yield (f"encoder,{skeleton} {'trained' if trained else 'frozen'} P={ranks}",
                       experiment(ranks, 2 * ranks, blocks, behind_encoder(skeleton, blocks)))
            blocks = [block("enc", 2, True, LIGHT), block("llm", backbone, False)]
            yield (f"encoder,{skeleton} backbone frozen P={ranks}",
                   experiment(ranks, 2 * ranks, blocks, behind_encoder(skeleton, blocks)))
        blocks = [block("enc", ranks, False), block("llm", backbone)]
        yield (f"1f1b,1f1b encoder's stages frozen P={ranks}",
               experiment(ranks, 2 * ranks, blocks, {"schedule": "1f1b,1f1b", "cut": [ranks]}))
        blocks = [block("llm", backbone), block("gen", 2, True, LIGHT)]
        yield (f"1f1b,transpose P={ranks}",
               experiment(ranks, 2 * ranks, blocks, {"schedule": "1f1b,transpose", "cut": [backbone]}))
    blocks = [block("enc", 2), block("llm", 3)]
    yield "one rank", experiment(1, 3, blocks, behind_encoder("1f1b", blocks))


def shipped_jobs():
    for name in SHIPPED:
        path = SOURCE / f"workloads/experiments/{name}.json"
        document = json.loads(path.read_text())
        if document["pipeline"]["ranks"] > 8:
            continue
        for schedule in document["schedules"]:
            yield f"{name}: {schedule['name']}", path, schedule["name"], document


def random_job(draw):
    ranks = draw.randint(2, 4)
    blocks = [block("enc", draw.randint(1, 4), draw.random() < 0.5, draw.choice([LIGHT, PASSES])),
              block("llm", draw.randint(4 * ranks, 6 * ranks), draw.random() < 0.8)]
    if not any(b["trainable"] for b in blocks):
        blocks[1]["trainable"] = True
    skeleton = draw.choice(SKELETONS)
    schedule = draw.choice([behind_encoder(skeleton, blocks), pipelined(skeleton, ranks, blocks)])
    if draw.random() < 0.5:
        schedule["split"] = "balanced"
    return experiment(ranks, ranks * draw.randint(2, 4), blocks, schedule)


def random_jobs(number):
    draw = random.Random(20240607)
    for i in range(number):
        job = random_job(draw)
        yield f"random {i}: {job['schedules'][0]['schedule']} P={job['pipeline']['ranks']}", job


def written_jobs(folder, number):
    """Jobs that are not shipped, as files."""
    path = folder / "experiment.json"
    for name, document in [*made_jobs(), *random_jobs(number)]:
        path.write_text(json.dumps(document))
        yield name, path, "it", document


def derived(program, path, schedule):
    """The lists and the notes, or nothing if the program refuses the job."""
    command = [Path(program).resolve(), "derive", path, "--schedule", schedule, "--format", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=SOURCE)
    return (done.stdout, done.stderr) if done.returncode == 0 else None


def layers_of(blocks, notes):
    """By layer of the lists: is it frozen? Notes name the regions that are left out; no block is in two regions."""
    left_out = {name for region in re.findall(r"leave out the work of transposed region (\S+):", notes)
                for name in region.split("+")}
    return {"left_out": sorted(left_out), "frozen": [not b.get("trainable", True) for b in blocks
                                                      if b["name"] not in left_out for _ in range(b["layers"])]}


def main(program, folder, number=100):
    folder = Path(folder)
    folder.mkdir(parents=True)
    jobs, refused = [], []
    for name, path, schedule, document in itertools.chain(shipped_jobs(), written_jobs(folder, int(number))):
        answer = derived(program, path, schedule)
        if answer is None:
            refused.append(name)
            continue
        file = f"{len(jobs)}.csv"
        (folder / file).write_text(answer[0])
        jobs.append({"name": name, "file": file, "microbatches": document["pipeline"]["microbatches"],
                     "notes": answer[1], **layers_of(document["model"]["blocks"], answer[1])})
    (folder / "jobs.json").write_text(json.dumps(jobs))
    print(f"{len(jobs)} lists; refused by the program itself: {', '.join(refused) or 'none'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
