#!/usr/bin/env python3
"""Plans ten jobs of workloads/jobs, each on two clusters, and explains the layout of a public recipe on each cluster.

usage: bench/ten_jobs.py SPILLWAY [JOB ...] [--keep FOLDER]                       (4 minutes on two quiet cores)

It prints the two tables of docs/plans.md: what plan recommends, and what became of the recipes; of all jobs together
also how many of the rows that plan prints have a launch. A recipe is explained
under its own framework, beside the best of that framework on that cluster. --keep keeps the documents of plan and of
--explain in a folder, and takes those that it has instead of running again."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[1]


class Recipe(NamedTuple):
    """A public layout. measured: seconds of a step, published for this layout, batch and number of devices."""

    job: str
    cluster: str  # as in --explain
    framework: str
    layout: str
    source: str
    measured: Optional[float] = None

    def schedule(self) -> str:
        return next((word for word in self.layout.split() if word.startswith("1f1b")), "1f1b")


def chunks(count: int) -> str:
    return ",".join(["1f1b"] * count)


MLPERF = "MLPerf Training v5.1, "
RECIPES = [
    Recipe("llama-3-8b-mlperf", "h200", "nemo", "CP=2 R=32 zero1", MLPERF + "HPE", 0.35317),
    Recipe("llama-3-8b-mlperf", "b200", "nemo", "CP=2 R=32 zero1", MLPERF + "University of Florida", 0.1895),
    Recipe(
        "llama-3-70b", "h100", "megatron-bridge",
        f"P=8 TP=4 R=2 {chunks(5)} zero1", "Megatron-Bridge, FP8", 10.12,
    ),
    Recipe(
        "llama-3-70b", "h200", "megatron-bridge",
        f"P=4 TP=4 CP=2 R=2 {chunks(5)} zero1", "Megatron-Bridge, BF16",
    ),
    Recipe(
        "llama-3-405b", "h100", "nemo",
        f"P=8 TP=8 CP=2 R=4 {chunks(8)} zero1", "MLPerf v5.0, NVIDIA", 55.134,
    ),
    Recipe(
        "llama-3-405b", "h200", "nemo",
        f"P=8 TP=4 CP=2 R=8 {chunks(8)} zero1", "MLPerf v5.0, Nebius", 50.011,
    ),
    Recipe("mixtral-8x7b", "h100", "nemo", f"P=4 EP=8 R=16 {chunks(8)} zero1", "NeMo-Framework-Launcher"),
    Recipe(
        "mixtral-8x7b", "a100", "megatron-overlapped",
        "P=4 EP=8 R=16 zero1", "Megatron-LM, examples/mixtral",
    ),
    Recipe("qwen3-30b-a3b", "h100", "megatron-bridge", "EP=16 R=16 zero1", "Megatron-Bridge", 24.7138),
    Recipe("qwen3-30b-a3b", "atlas", "mindspeed", "P=2 EP=8 R=8 recompute=full zero1", "MindSpeed-LLM"),
    Recipe(
        "deepseek-v3", "h100", "megatron-bridge",
        f"P=8 TP=2 EP=64 R=64 {chunks(4)} zero1", "Megatron-Bridge", 25.2645,
    ),
    Recipe("deepseek-v3", "gb200", "megatron-bridge", f"P=4 EP=64 R=64 {chunks(4)} zero1", "Megatron-Bridge"),
    Recipe("qwen2.5-vl-7b", "h100", "hf-deepspeed", "R=8 mb=4 recompute=full zero3", "Qwen3-VL, sft_7b.sh"),
    Recipe("qwen2.5-vl-7b", "atlas", "mindspeed-mm", "P=2 R=4 zero1", "MindSpeed-MM", 10.2019),
    Recipe(
        "qwen2.5-vl-32b", "h100", "hf-deepspeed",
        "R=16 mb=2 recompute=full zero3", "Qwen3-VL, sft_32b.sh",
    ),
    Recipe("qwen2.5-vl-32b", "atlas", "mindspeed-mm", "P=8 TP=2 R=1 zero1", "MindSpeed-MM", 13.1184),
    Recipe(
        "qwen2-vl-72b-coco", "h100", "megatron-swift-vl",
        "P=4 TP=8 R=2 mb=2 zero1", "Megatron-Bridge, Qwen2.5-VL",
    ),
    Recipe(
        "qwen2-vl-72b-coco", "cloudmatrix", "mindspeed-mm",
        "P=16 R=4 recompute=full zero1", "MindSpeed-MM", 25.8603,
    ),
    Recipe(
        "internvl3-38b", "h100", "hf-deepspeed",
        "R=16 mb=2 recompute=full zero3", "InternVL, internvl3_38b",
    ),
    Recipe(
        "internvl3-38b", "h200", "hf-deepspeed",
        "R=16 mb=2 recompute=full zero3", "InternVL, internvl3_38b",
    ),
]
JOBS = list(dict.fromkeys(recipe.job for recipe in RECIPES))


class Programs:
    """Runs the program, or takes what an earlier run kept."""

    def __init__(self, spillway: str, folder: Optional[Path]):
        self.spillway, self.folder = spillway, folder

    def document(self, name: str, *arguments: str) -> dict:
        kept = self.folder / f"{name}.json" if self.folder else None
        if kept and kept.exists():
            return json.loads(kept.read_text(encoding="utf-8"))
        start = time.monotonic()
        command = [self.spillway, "plan", *arguments, "--json", "--quiet"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            return {"error": done.stderr.strip()}
        document = {**json.loads(done.stdout), "seconds": time.monotonic() - start}
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(document), encoding="utf-8")
        return document


def job_file(job: str) -> str:
    return str(ROOT / "workloads/jobs" / f"{job}.json")


def job_on(recipe: Recipe, folder: Path, layout: Optional[dict] = None) -> str:
    """The job on the recipe's cluster alone, so that its best is the best there; with a layout, only that one."""
    job = json.loads(Path(job_file(recipe.job)).read_text(encoding="utf-8"))
    job["clusters"] = [each for each in job["clusters"] if recipe.cluster in each["platform"]]
    if layout:
        lists = ["ranks", "tensor", "context", "expert", "microbatch_sequences", "recompute", "data"]
        job["search"] = {key: [layout[key]] for key in lists}
        job["search"]["schedules"] = [recipe.schedule()]
        job["limits"] = {"memory_headroom": 0}
    text = json.dumps(job).replace('"../../', f'"{ROOT}/').replace('"../', f'"{ROOT}/workloads/')
    file = folder / f"{recipe.job}.json"
    file.write_text(text, encoding="utf-8")
    return str(file)


def schedule_text(schedule: str) -> str:
    parts = schedule.split(",")
    same = len(parts) > 1 and len(set(parts)) == 1
    return f"{parts[0]} x{len(parts)}" if same else schedule


def layout_text(layout: dict) -> str:
    sizes = {"P": "ranks", "TP": "tensor", "CP": "context", "EP": "expert", "R": "replicas"}
    shown = [name + str(layout[key]) for name, key in sizes.items() if layout[key] > 1]
    batch = f"{layout['microbatches']}x{layout['microbatch_sequences']}"
    schedule = [] if layout["ranks"] == 1 else [schedule_text(layout["schedule"])]
    again = [] if layout["recompute"] == "none" else [layout["recompute"]]
    return " ".join([*shown, batch, *schedule, *again, layout["data"]])


def launches(plans: list) -> str:
    """Of all rows that plan prints for these jobs: those with a launch, and the reasons of the others."""
    rows = [plan for document in plans for plan in document.get("plans", [])]
    reasons = Counter(re.sub(r"^[^:]*: ", "", plan["launch_reason"]) for plan in rows if not plan["launch"])
    launched = len(rows) - reasons.total()
    counted = [f"- {count}: {reason}" for reason, count in reasons.most_common()]
    return "\n".join([f"`plan` prints {len(rows)} rows for these jobs. Of these, {launched} have a launch.", *counted])


def recommended_row(job: str, plans: dict) -> str:
    if "error" in plans:
        return f"| {job} | error: {plans['error']} |"
    rows = []
    leads = {best["plan"]: best for cluster in plans["clusters"] for best in cluster["by_devices"]}
    for number in sorted(number for number in leads if number):
        plan = plans["plans"][number - 1]
        launch = plan["launch"]["framework"] if plan["launch"] else "no"
        rows.append(
            f"| {job if plan['rank'] == 1 else ''} | {plan['rank']} | {plan['devices']} {plan['cluster']} | "
            f"{plan['framework']} | {layout_text(plan)} | {plan['step_s']:.4g} | "
            f"{leads[number]['least_step_s']:.4g} | {plan['peak_memory_bytes'] / 1e9:.1f} | {launch} |"
        )
    return "\n".join(rows)


def step_words(step: dict) -> str:
    changes = [
        f"{each['key']} {schedule_text(each['to'])} instead of {schedule_text(each['from'])}"
        for each in step["changes"]
    ]
    return f"{' with '.join(changes)} {-100 * step['gain']:+.1f} %"


def causes(explained: dict) -> str:
    """What makes up the difference to plan 1, one change on top of another; those of half a percent or more."""
    way = explained["way"]
    if not way:
        return "it is plan 1, and the best"
    target = "plan 1" if way["target"] == "plan-1" else "the best"
    if way["above_target"] is None:
        return f"no step of it is known, beside {target}"
    listed = [step_words(step) for step in way["steps"] if abs(step["gain"]) >= 0.005]
    return f"{100 * way['above_target']:+.1f} % over {target}" + (": " + "; ".join(listed) if listed else "")


def launch_of(plans: dict) -> str:
    """Whether the one layout of these plans can be launched; they are an error if it does not fit in all memory."""
    if "error" in plans:
        return "?"
    plan = plans["plans"][0]
    return plan["launch"]["framework"] if plan["launch"] else f"no: {plan['launch_reason']}"


def recipe_row(recipe: Recipe, explained: dict, alone: dict) -> str:
    head = f"| {recipe.job} | {recipe.cluster} | {recipe.framework} | {recipe.source} | "
    if "error" in explained:
        return head + f"error: {explained['error']} |"
    figures = explained["figures"]
    step = figures["step_s"]
    above = figures["above_best"]
    margin = explained["margin"]
    tie = "" if above is None else "yes" if margin is not None and above <= margin else "no"
    measured = ""
    if recipe.measured and step:
        measured = f"{recipe.measured:.4g} ({100 * (step / recipe.measured - 1):+.1f} %)"
    return head + " | ".join(
        [
            layout_text(explained["layout"]),
            "yes" if not figures["rules"] else "no: " + "; ".join(figures["rules"]),
            "yes" if figures["fits"] else f"no: {figures['peak_memory_bytes'] / 1e9:.1f} GB",
            launch_of(alone),
            explained["fate"],
            f"{step:.4g}" if step else "",
            measured,
            f"{100 * above:+.1f} %" if above is not None else "",
            tie,
            causes(explained) + " |",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spillway")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(JOBS))
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    unknown = [job for job in arguments.jobs if job not in JOBS]
    if unknown:
        parser.error(f"expected jobs among {', '.join(JOBS)}, found {', '.join(unknown)}")
    programs = Programs(arguments.spillway, arguments.keep)
    jobs = arguments.jobs or JOBS
    print("| job | plan | cluster | framework | layout | step s | least step s | GB | launch |")
    print("|---|---|---|---|---|---|---|---|---|")
    documents = []
    for job in jobs:
        documents.append(programs.document(job, job_file(job)))
        print(recommended_row(job, documents[-1]), flush=True)
    print()
    if jobs == JOBS:
        print(launches(documents) + "\n")
    print("| job | cluster | framework | source | layout | legal | fits | launch | fate | step s | measured s | "
          "above best | in its tie | causes, one change on top of another |")
    print("|" + "---|" * 14)
    for recipe in RECIPES:
        if recipe.job not in jobs:
            continue
        name = f"{recipe.job}-{recipe.cluster}"
        with tempfile.TemporaryDirectory() as folder:
            file = job_on(recipe, Path(folder))
            options = ["--framework", recipe.framework]
            explained = programs.document(name, file, *options, "--explain", recipe.layout)
            only = [job_on(recipe, Path(folder), explained["layout"]), *options] if "layout" in explained else []
            alone = programs.document(name + "-alone", *only) if only else {}
            print(recipe_row(recipe, explained, alone), flush=True)


if __name__ == "__main__":
    sys.exit(main())
