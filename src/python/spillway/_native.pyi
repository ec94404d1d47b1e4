"""The compiled part has the commands as functions of texts (src/python/*.cpp)."""

from collections.abc import Callable
from typing import Optional

version: str
has_page: bool

_Given = tuple[str, Optional[str]]
_Progress = Optional[Callable[[int, int], None]]

class View: ...  # a buffer for numpy.asarray

class FirstDraw:
    @property
    def start(self) -> View: ...
    @property
    def end(self) -> View: ...
    @property
    def kind(self) -> View: ...
    @property
    def rank(self) -> View: ...
    @property
    def stage(self) -> View: ...
    @property
    def microbatch(self) -> View: ...
    def names(self) -> list[str]: ...

class Answer:
    @property
    def document(self) -> str: ...
    def page(self) -> str: ...
    def first_draw(self, schedule: str) -> FirstDraw: ...

class Experiment:
    def __init__(self, given: _Given, sets: list[str], order: str, workload: str) -> None: ...

def run(
    experiment: Experiment, engines: list[str], draws: Optional[int], seed: Optional[int], progress: _Progress
) -> Answer: ...
def explain(experiment: Experiment, case: str, schedule: str, measured: Optional[float]) -> Answer: ...
def synthesize(
    experiment: Experiment,
    effort: int,
    seconds: Optional[float],
    memory: Optional[float],
    seed: int,
    per_draw: int,
    skeletons: Optional[str],
) -> Answer: ...
def derive(experiment: Experiment, schedule: str, format: str, out: str) -> str: ...
def check(experiment: Experiment, schedule: str, semantics: str, buffers: Optional[int]) -> Answer: ...
def images(trace: str, rule: str) -> Answer: ...
def support(config: str) -> Answer: ...
def export(experiment: Experiment, schedule: str, framework: str, out: str) -> Answer: ...
def import_trace(trace: str, steps: list[str], out: str) -> Answer: ...
def import_script(
    script: str,
    platform: str,
    framework: str,
    architecture: str,
    devices: Optional[int],
    sets: list[str],
    arguments: list[str],
    files: list[str],
    images: str,
    text_tokens: Optional[int],
    images_per_sample: int,
    measured_s: Optional[float],
    out: str,
) -> Answer: ...

class Calibration:
    files: list[str]
    engines: list[str]
    platform: str
    framework: str
    architecture: str
    out: str
    source: str
    operation: str
    devices: int
    per_node: int
    against: list[str]

def calibrate(arguments: Calibration) -> Answer: ...
def validate(
    measured: list[_Given],
    engines: list[str],
    case: str,
    experiment: _Given,
    platform: str,
    intervals: bool,
    causes: bool,
    explain: bool,
) -> Answer: ...
def compare(a: _Given, b: _Given, fail_if: list[str]) -> Answer: ...
def sweep(sweep: _Given, out: str, jobs: int, resume: bool, shard: str, progress: _Progress) -> Answer: ...
def plan(
    job: _Given,
    top: int,
    jobs: int,
    out: str,
    resume: bool,
    framework: str,
    launchable: bool,
    all: bool,
    progress: _Progress,
) -> Answer: ...
def twin(
    job: _Given,
    measured: list[str],
    sets: list[str],
    steps: list[str],
    ranks: list[int],
    schedule: str,
    engines: list[str],
    draws: Optional[int],
) -> Answer: ...
def explain_layout(job: _Given, layout: str, jobs: int, progress: _Progress) -> Answer: ...
def schema(kind: str) -> Optional[str]: ...
def schema_example(schema: str, name: str) -> str: ...
