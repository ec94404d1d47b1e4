"""The device that is measured, and the clock that times it."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import time
from typing import Any, Callable

import torch

from ..runtime import arguments

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
refuse = functools.partial(arguments.refuse, program="spillway.measure")


class Device:
    """One device of this node. A CPU's device is as many cores as it has threads.

    A CPU of one thread is timed by the processor time of this process, which other programs do not lengthen by taking
    the core. Everything else is timed by the wall clock, from an idle device to an idle device."""

    def __init__(self, kind: str, dtype: str, threads: int) -> None:
        self.kind, self.threads = kind, threads
        self.dtype_name = dtype or ("float32" if kind == "cpu" else "bfloat16")
        self.dtype = DTYPES[self.dtype_name]
        self.module = self.found()
        self.torch = torch.device(kind) if kind == "cpu" else torch.device(kind, int(os.environ.get("LOCAL_RANK", 0)))
        self.waited_s = self.timed_s = 0.0  # by the wall clock
        if kind == "cpu":
            torch.set_num_threads(threads)
        else:
            self.module.set_device(self.torch)
        try:
            one = torch.ones(8, 8, dtype=self.dtype, device=self.torch)
            (one @ one).sum().item()
        except RuntimeError as error:
            raise refuse("--dtype", f"a type that {kind} multiplies", f"{self.dtype_name}: {error}") from None

    def found(self) -> Any:
        """PyTorch's module of the device; None for the CPU."""
        if self.kind == "cpu":
            return None
        if self.kind == "npu" and importlib.util.find_spec("torch_npu"):
            importlib.import_module("torch_npu")
        module = getattr(torch, self.kind, None)
        if module is None or not module.is_available():
            hint = "torch_npu is not installed" if self.kind == "npu" and module is None else "it finds none"
            raise refuse("--device", "a device that PyTorch finds here", f"{self.kind} (PyTorch {torch.__version__}: {hint})")
        return module

    @property
    def name(self) -> str:
        if self.module:
            return str(self.module.get_device_name(self.torch))
        cores = "one core" if self.threads == 1 else f"{self.threads} cores"
        return f"{cores} of {processor()}"

    @property
    def in_node(self) -> int:
        """The number of such devices here."""
        if self.module:
            return int(self.module.device_count())
        return max(1, len(os.sched_getaffinity(0)) // self.threads)

    @property
    def memory(self) -> tuple[float, str]:
        """In bytes, and who says so."""
        if self.module:
            return float(self.module.mem_get_info()[1]), f"torch.{self.kind}.mem_get_info: in all"
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return pages / self.in_node, f"the machine's memory, shared by {self.in_node} such devices"

    @property
    def runs_its_own_clock(self) -> bool:
        return self.kind == "cpu" and self.threads == 1

    def synchronize(self) -> None:
        if self.module:
            self.module.synchronize()

    def seconds(self, does: Callable[[], Any], times: int = 1) -> float:
        """Of one call of `times` in a row."""
        self.synchronize()
        processor_s, wall_s = time.process_time(), time.perf_counter()
        for _ in range(times):
            does()
        self.synchronize()
        processor_s, wall_s = time.process_time() - processor_s, time.perf_counter() - wall_s
        self.timed_s += wall_s
        self.waited_s += wall_s - processor_s
        return max(processor_s if self.runs_its_own_clock else wall_s, 1e-9) / times

    @property
    def taken_by_others(self) -> float:
        """Share of the timed seconds in which other programs had the core; 0 where that is not known."""
        return max(0.0, self.waited_s / self.timed_s) if self.runs_its_own_clock and self.timed_s else 0.0


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as text:
            names = [line.split(":", 1)[1].strip() for line in text if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names and names[0] else "this machine's processor"
