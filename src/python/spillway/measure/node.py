"""Measures a node, and writes what was measured."""

from __future__ import annotations

import importlib.util
import os
import time
from typing import NamedTuple, Optional

import torch.distributed as dist

from ..errors import InputError
from ..runtime.arguments import BACKENDS, check_folder
from . import cases, files, messages
from .device import DTYPES, Device, refuse
from .rounds import time_in_rounds

# Shares of the seconds. The rest is for starting processes, and for what takes longer than expected.
SHARES = {"products": 0.45, "attention": 0.25, "elementwise": 0.06, "launch": 0.02}
MESSAGES = 0.12
LONGEST = 86400.0


class Measured(NamedTuple):
    """What was measured, the files of it, and what `calibrate` fitted: None where the compiled module is missing."""

    node: files.Node
    folder: str
    fit: Optional[dict]

    @property
    def platform(self) -> str:
        return os.path.join(self.folder, "platform.json")


def check(device: str, seconds: float, threads: int, dtype: Optional[str], attention: Optional[str]) -> None:
    choices = {"--device": (device, BACKENDS), "--dtype": (dtype, DTYPES), "--attention": (attention, ("fused", "plain"))}
    for option, (value, words) in choices.items():
        if value is not None and value not in words:
            raise refuse(option, ", ".join(words), value)
    if not 1 <= seconds <= LONGEST:
        raise refuse("--seconds", f"a number from 1 to {LONGEST:.0f}", f"{seconds:g}")
    cores = len(os.sched_getaffinity(0))
    if not 1 <= threads <= cores:
        raise refuse("--threads", f"a number from 1 to {cores}, the cores here", str(threads))
    if attention == "fused" and not cases.HAS_FUSED_ATTENTION:
        raise refuse("--attention", "plain, since this PyTorch has no scaled_dot_product_attention", attention)


def measure(
    device: str = "cpu",
    *,
    seconds: float = 180,
    out: str = "measured",
    threads: int = 1,
    dtype: Optional[str] = None,
    attention: Optional[str] = None,
) -> Optional[Measured]:
    """Returns what was measured, and writes it to the folder `out`. Raises InputError.

    threads: of a CPU; so many cores are one device. dtype: float32 on a CPU, else bfloat16. attention: fused
    (scaled_dot_product_attention) or plain (product, softmax, product); fused where PyTorch has it. In a job of
    torchrun every process calls this, and all but the first get None."""
    check(device, seconds, threads, dtype, attention)
    start = time.monotonic()
    of_job = messages.of_torchrun()
    if of_job is None or of_job.place == 0:
        check_out(out)
    it = Device(device, dtype or "", threads)
    if of_job:
        messages.join(of_job, it, seconds)
    if of_job and of_job.place > 0:
        messages.exchange(of_job, it, MESSAGES * seconds)
        dist.destroy_process_group()
        return None
    fused = cases.HAS_FUSED_ATTENTION and attention != "plain"
    groups = {"products": cases.products(), "attention": cases.attention(fused), "elementwise": cases.elementwise(),
              "launch": cases.single()}  # fmt: skip
    budgets = [(cases.by_work(group), SHARES[name] * seconds) for name, group in groups.items()]
    times = time_in_rounds(it, cases.Operands(it), budgets, start + sum(SHARES.values()) * seconds)
    if of_job:
        job, sent = of_job, messages.exchange(of_job, it, MESSAGES * seconds)
        without = "" if sent else "the job has one process"
        dist.destroy_process_group()
    else:
        job, sent, without = messages.measured_alone(it, MESSAGES * seconds)
    how = "scaled_dot_product_attention" if fused else "as product, softmax, product"
    return written(files.Node(it, job, times, sent, without, f"attention {how}"), out)


def written(node: files.Node, out: str) -> Measured:
    texts, base = files.tables(node), files.base(node)
    plain = files.json_text(files.with_tables(base, node))
    files.write(out, {**texts, "base.json": files.json_text(base), "platform.json": plain})
    compiled = importlib.util.find_spec("spillway._native") is not None
    return Measured(node, out, calibrated(node, texts, out) if compiled else None)


def calibrated(node: files.Node, texts: dict[str, str], out: str) -> dict:
    """Fits base.json to the tables."""
    from .. import calibrate

    read = [os.path.join(out, name) for name in ("products.csv", "attention.csv", "messages.csv") if name in texts]
    target = os.path.join(out, "platform.json")
    return calibrate(read, platform=os.path.join(out, "base.json"), source=node.source, out=target)


def check_out(out: str) -> None:
    try:
        check_folder("--out", out, "spillway.measure")
    except InputError as error:
        raise InputError([each._replace(file="spillway.measure") for each in error.violations]) from None
