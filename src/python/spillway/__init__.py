"""Spillway simulates pipeline-parallel training schedules on a cluster before you rent it.

The functions are the commands of the program, in this process. Experiments and other documents are paths or dicts.
Results are the dicts that --json prints. Bad input raises InputError with every violation; a question without a
feasible answer raises Infeasible. A function releases the interpreter while it computes, so threads run in parallel.
A function that uses SimGrid waits for its turn, and one sweep or plan runs at a time.

    import spillway
    report = spillway.run("workloads/experiments/small.json", set={"/pipeline/microbatches": 8})
    report["schedules"][0]["makespan_s"]
    report.frame()
    report.timeline("mpipe").start
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Callable, Optional, Union

from .documents import Document, Path, Settings, given, settings, texts
from .errors import Infeasible, InputError, Violation
from .native import native as _native
from .results import (
    KINDS,
    Calibration,
    Check,
    Comparison,
    Derivation,
    Explanation,
    Images,
    ImportedScript,
    ImportedTrace,
    LayoutExplanation,
    Launches,
    Plans,
    Report,
    Result,
    Support,
    SweepRows,
    Timeline,
    Synthesis,
    Twin,
    Validation,
    result_of,
)

__all__ = [
    "KINDS",
    "Calibration",
    "Check",
    "Comparison",
    "Derivation",
    "Explanation",
    "Images",
    "ImportedScript",
    "ImportedTrace",
    "Infeasible",
    "InputError",
    "LayoutExplanation",
    "Launches",
    "Plans",
    "Report",
    "Result",
    "Support",
    "SweepRows",
    "Synthesis",
    "Timeline",
    "Twin",
    "Validation",
    "Violation",
    "calibrate",
    "compare",
    "derive",
    "explain",
    "explain_layout",
    "images",
    "import_script",
    "import_trace",
    "plan",
    "run",
    "schema",
    "support",
    "export",
    "sweep",
    "synthesize",
    "twin",
    "validate",
]


def __getattr__(name: str) -> str:
    if name == "__version__":
        return _native.version
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


Progress = Optional[Callable[[int, int], None]]
Texts = Union[None, str, Iterable[str]]
_NONE = ("", None)


def _experiment(
    experiment: Optional[Document], changes: Settings, order: Optional[Path], workload: Optional[Path]
) -> _native.Experiment:
    document = _NONE if experiment is None else given(experiment, "experiment")
    if experiment is None and workload is None:
        raise TypeError("an experiment or a workload")
    return _native.Experiment(document, settings(changes), os.fspath(order or ""), os.fspath(workload or ""))


def run(
    experiment: Optional[Document] = None,
    *,
    set: Settings = None,
    engine: Texts = None,
    draws: Optional[int] = None,
    seed: Optional[int] = None,
    order: Optional[Path] = None,
    workload: Optional[Path] = None,
    progress: Progress = None,
) -> Report:
    """Prices and runs every schedule of an experiment on the same draws.

    set: values by JSON pointer. engine: longest-path, max-plus, simgrid. order: a CSV file with one more schedule.
    workload: a measured trace that gives the experiment. progress(done, total): called a few times a second."""
    given_experiment = _experiment(experiment, set, order, workload)
    return result_of(Report, _native.run(given_experiment, texts(engine), draws, seed, progress))


def explain(
    experiment: Optional[Document] = None,
    *,
    set: Settings = None,
    case: Optional[str] = None,
    schedule: Optional[str] = None,
    measured: Optional[float] = None,
    order: Optional[Path] = None,
    workload: Optional[Path] = None,
) -> Explanation:
    """Explains where the time of a step goes, and what would help.

    case: a case of a table of measured steps, which `experiment` then names. measured: seconds that a step took; the
    schedule's "gap" lists the settings that would explain the difference."""
    given_experiment = _experiment(experiment, set, order, workload)
    return result_of(Explanation, _native.explain(given_experiment, case or "", schedule or "", measured))


def synthesize(
    experiment: Optional[Document] = None,
    *,
    set: Settings = None,
    effort: int = 4000,
    seconds: Optional[float] = None,
    memory: Optional[float] = None,
    seed: int = 1,
    per_draw: int = 0,
    skeletons: Texts = None,
) -> Synthesis:
    """Finds an order of passes for the experiment, with a bound that no order of them on the same ranks can beat.

    effort: number of orders to try; it alone decides the result. seconds: stop after this time. memory: bytes that a
    device may hold at any instant. per_draw: orders to try for each draw, from its own sizes. skeletons: those that the
    framework has. The result's "schedule" is an entry of an experiment's schedules."""
    given_experiment = _experiment(experiment, set, None, None)
    has = skeletons if skeletons is None or isinstance(skeletons, str) else ",".join(skeletons)
    return result_of(Synthesis, _native.synthesize(given_experiment, effort, seconds, memory, seed, per_draw, has))


def derive(
    experiment: Optional[Document] = None,
    *,
    set: Settings = None,
    schedule: Optional[str] = None,
    format: str = "json",
    out: Optional[Path] = None,
    order: Optional[Path] = None,
    workload: Optional[Path] = None,
) -> Union[Derivation, str]:
    """Returns the placement, the collectives and the order of a schedule: a Derivation, or its text in another format.

    out: a folder for the files of format chakra."""
    given_experiment = _experiment(experiment, set, order, workload)
    text = _native.derive(given_experiment, schedule or "", format, os.fspath(out or ""))
    return Derivation(json.loads(text)) if format == "json" else text


def check(
    program: Optional[Document] = None,
    *,
    set: Settings = None,
    schedule: Optional[str] = None,
    semantics: str = "rendezvous",
    buffers: Optional[int] = None,
) -> Check:
    """Tells whether a program can block for ever. program: what derive(format="program") returns, or an experiment.

    semantics: "rendezvous" or "buffered" sends. buffers: sends that a pair of ranks may hold."""
    return result_of(Check, _native.check(_experiment(program, set, None, None), schedule or "", semantics, buffers))


def images(trace: Path, *, rule: str = "qwen2-vl") -> Images:
    """Shows the effect of an image-size trace on the encoder."""
    return result_of(Images, _native.images(os.fspath(trace), rule))


def support(config: Path) -> Support:
    """Lists which parts of a model's config.json are covered, assumed or refused, and its parameters by part."""
    return result_of(Support, _native.support(os.fspath(config)))


def export(
    experiment: Optional[Document] = None,
    *,
    to: str = "",
    schedule: Optional[str] = None,
    set: Settings = None,
    out: Optional[Path] = None,
) -> Launches:
    """Writes an experiment as the launch of a training framework. to: its name, such as "megatron-lm"; without it, all
    of them, each with its launch or the reasons why there is none. out: a folder for the files of `to`."""
    given_experiment = _experiment(experiment, set, None, None)
    return result_of(Launches, _native.export(given_experiment, schedule or "", to, os.fspath(out or "")))


def import_trace(trace: Path, *, step: Texts = None, out: Optional[Path] = None) -> ImportedTrace:
    """Summarizes a measured trace, a file or a folder. step: keep only these. out: file for a compact copy as CSV."""
    return result_of(ImportedTrace, _native.import_trace(os.fspath(trace), texts(step), os.fspath(out or "")))


def import_script(
    script: Path,
    *,
    platform: Path,
    framework: Path = "",
    architecture: Path = "",
    devices: Optional[int] = None,
    set: Optional[Mapping[str, object]] = None,
    argument: Texts = None,
    file: Union[None, Path, Iterable[Path]] = None,
    images: Path = "",
    text_tokens: Optional[int] = None,
    images_per_sample: int = 1,
    measured: Optional[float] = None,
    out: Optional[Path] = None,
) -> ImportedScript:
    """Reads a launch script or its configuration as an experiment. set: variables of its shell. argument: more
    arguments of the training, such as "--vocab-size 32000". file: configurations that the script names. images: a
    table of image sizes; text_tokens and images_per_sample: of a sample. measured: a measured step in seconds. out:
    file for the experiment."""
    variables = [f"{name}={value}" for name, value in (set or {}).items()]
    paths = [os.fspath(path) for path in (script, platform, framework, architecture)]
    files = [file] if isinstance(file, (str, os.PathLike)) else list(file or [])
    of_samples = ([os.fspath(each) for each in files], os.fspath(images), text_tokens, images_per_sample)
    answer = _native.import_script(
        *paths, devices, variables, texts(argument), *of_samples, measured, os.fspath(out or "")
    )
    return result_of(ImportedScript, answer)


def calibrate(
    measurements: Union[None, Path, Iterable[Path]] = None,
    *,
    platform: Optional[Path] = None,
    framework: Optional[Path] = None,
    architecture: Optional[Path] = None,
    engine: Texts = None,
    out: Optional[Path] = None,
    source: Optional[str] = None,
    against: Union[None, Path, Iterable[Path]] = None,
    operation: Optional[str] = None,
    devices: Optional[int] = None,
    per_node: Optional[int] = None,
) -> Calibration:
    """Fits a platform to measurements, a framework to a profiled run, or a table of measured steps to its fitted cases.

    against: other measurements, whose errors are in the result; alone they score a platform unchanged. operation,
    devices, per_node: for messages, if their file does not state them. out: the fitted file."""
    given_arguments = _native.Calibration()
    given_arguments.files = _paths(measurements)
    given_arguments.against = _paths(against)
    given_arguments.engines = texts(engine)
    given_arguments.platform = os.fspath(platform or "")
    given_arguments.framework = os.fspath(framework or "")
    given_arguments.architecture = os.fspath(architecture or "")
    given_arguments.out = os.fspath(out or "")
    given_arguments.source = source or ""
    given_arguments.operation = operation or ""
    given_arguments.devices = devices or 0
    given_arguments.per_node = per_node or 0
    return result_of(Calibration, _native.calibrate(given_arguments))


def _paths(given: Union[None, Path, Iterable[Path]]) -> list[str]:
    paths = [given] if isinstance(given, (str, os.PathLike)) else given or []
    return [os.fspath(path) for path in paths]


def validate(
    measured: Union[Document, Sequence[Document]],
    *,
    engine: Texts = None,
    case: Optional[str] = None,
    experiment: Optional[Document] = None,
    platform: Optional[Path] = None,
    intervals: bool = False,
    causes: bool = False,
    explain: bool = False,
) -> Validation:
    """Compares the model with a table of measured steps, a trace, or a training log.

    A profile of PyTorch without a pipeline gives spillway/profile/1, a log spillway/step-log/1.
    measured: a list of several tables is compared by the classes that their cases state."""
    several = isinstance(measured, Sequence) and not isinstance(measured, str)
    tables = list(measured) if several else [measured]
    if not tables:
        raise ValueError("validate needs at least one table or a trace")
    held = _NONE if experiment is None else given(experiment, "experiment")
    answer = _native.validate(
        [given(one, "cases") for one in tables],
        texts(engine),
        case or "",
        held,
        os.fspath(platform or ""),
        intervals,
        causes,
        explain,
    )
    return result_of(Validation, answer)


def compare(a: Document, b: Document, *, fail_if: Texts = None) -> Comparison:
    """Compares two experiments, reports or traces. fail_if: conditions; the result says which ones hold."""
    conditions = [fail_if] if isinstance(fail_if, str) else list(fail_if or [])
    return result_of(Comparison, _native.compare(given(a, "a"), given(b, "b"), conditions))


def twin(
    job: Document,
    measured: Union[Path, Iterable[Path]],
    *,
    set: Settings = None,
    steps: Texts = None,
    ranks: Iterable[int] = (),
    schedule: Optional[str] = None,
    engine: Texts = None,
    draws: Optional[int] = None,
) -> Twin:
    """Predicts a job from measured passes of its stages, in place of the roofline and the host.

    job: an experiment or a plan job. measured: traces of the job, and CSV files with the columns
    stage,direction,tokens,patches,milliseconds. steps, ranks: read only these of the traces.
    schedule: the one whose stages the traces have. The result has "report" or "plans"."""
    files = [measured] if isinstance(measured, (str, os.PathLike)) else list(measured)
    answer = _native.twin(
        given(job, "job"), [os.fspath(file) for file in files], settings(set), texts(steps), list(ranks),
        schedule or "", texts(engine), draws,
    )  # fmt: skip
    return result_of(Twin, answer)


def plan(
    job: Document,
    *,
    top: int = 10,
    jobs: Optional[int] = None,
    out: Optional[Path] = None,
    resume: bool = False,
    framework: Optional[str] = None,
    launchable: bool = False,
    all: bool = False,
    progress: Progress = None,
) -> Plans:
    """Finds the best layouts, schedules and clusters for a job.

    out: a store; with resume, the search continues from it. Ctrl-C raises KeyboardInterrupt; the
    store keeps the evaluated layouts. framework: plan only this one of the frameworks of the job's
    clusters. launchable: leave out layouts for which no launch of their framework is written. all: search also
    the legal layouts that are left out by sense."""
    store = os.fspath(out or "")
    answer = _native.plan(
        given(job, "job"), top, jobs or 0, store, resume, framework or "", launchable, all, progress
    )
    return result_of(Plans, answer)


def explain_layout(
    job: Document, layout: Path, *, jobs: Optional[int] = None, progress: Progress = None
) -> LayoutExplanation:
    """Says why plan(job) does not choose a layout, as `plan --explain` does.

    layout: a text like "P=2 TP=4 R=2 1f1b zero1", or the path of an experiment."""
    answer = _native.explain_layout(given(job, "job"), os.fspath(layout), jobs or 0, progress)
    return result_of(LayoutExplanation, answer)


def sweep(
    sweep: Document,
    *,
    out: Optional[Path] = None,
    jobs: Optional[int] = None,
    resume: bool = False,
    shard: Optional[str] = None,
    progress: Progress = None,
) -> SweepRows:
    """Evaluates a grid of experiments. Returns the rows that `sweep export --format json` prints.

    out: the store, an SQLite file; with resume, the sweep continues from it. Without out, nothing is kept. Ctrl-C
    raises KeyboardInterrupt; the store keeps the computed points."""
    with tempfile.TemporaryDirectory() as scratch:
        store = os.fspath(out) if out is not None else os.path.join(scratch, "sweep.sqlite")
        return result_of(
            SweepRows, _native.sweep(given(sweep, "sweep"), store, jobs or 0, resume, shard or "", progress)
        )


def schema(kind: str, *, example: Optional[str] = None) -> dict:
    """Returns the JSON Schema of a file format: experiment, report, sweep, ...

    example: a name; the result is a document of this name to begin with, whose numbers are explained (platform)."""
    text = _native.schema(kind)
    if text is None:
        raise InputError([Violation("command line", "kind", "a kind that `spillway schema --help` lists", f'"{kind}"')])
    if example is None:
        return json.loads(text)
    made = _native.schema_example(text, example) if example else ""
    if not made:
        expected, found = ("the kind platform, which has examples", kind) if example else ("a name", "an empty text")
        raise InputError([Violation("command line", "example", expected, found)])
    return json.loads(made)
