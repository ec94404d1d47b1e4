"""What --out gets: tables that `spillway calibrate` reads, and the platform that follows from them."""

from __future__ import annotations

import datetime
import json
import os
from typing import Any, Iterable, NamedTuple

import torch

from .cases import ELEMENT_BYTES
from .device import Device
from .messages import Job, Message
from .rounds import Time

NAMES = ["products.csv", "attention.csv", "messages.csv", "elementwise.csv", "quartiles.csv", "base.json", "platform.json"]


class Node(NamedTuple):
    """All that was measured. attention: how it was computed."""

    device: Device
    job: Job
    times: list[Time]
    messages: list[Message]
    without_messages: str
    attention: str

    def of(self, group: str) -> list[Time]:
        return [each for each in self.times if each.case.group == group]

    def single_us(self, form: str) -> float:
        return next(1e6 * each.median_s for each in self.of("launch") if each.case.form == form)

    @property
    def source(self) -> str:
        clock = ", processor time" if self.device.runs_its_own_clock else ""
        today = datetime.date.today().isoformat()
        return f"spillway.measure, {self.device.name}, PyTorch {torch.__version__}, {self.device.dtype_name}{clock}, {today}"


def rows_of(times: list[Time]) -> dict[tuple[int, ...], float]:
    """Microseconds of each row: the mean of its forms."""
    of_row: dict[tuple[int, ...], list[float]] = {}
    for each in times:
        of_row.setdefault(each.case.row, []).append(1e6 * each.median_s)
    return {row: sum(us) / len(us) for row, us in sorted(of_row.items())}


def table(header: str, remarks: Iterable[str], rows: Iterable[tuple]) -> str:
    lines = [f"# {each}" for each in remarks] + [header]
    lines += [",".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def tables(node: Node) -> dict[str, str]:
    """Texts by file."""
    by_row = {group: [(*row, us) for row, us in rows_of(node.of(group)).items()] for group in ("products", "attention")}
    texts = {
        "products.csv": table("m,n,k,time_us", [node.source], by_row["products"]),
        "attention.csv": table(
            "causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us",
            [f"{node.source}; {node.attention}"], by_row["attention"],
        ),
        "elementwise.csv": table(
            "operation,elements,tensors,time_us", [node.source],
            [(each.case.form, *each.case.row, 1e6 * each.median_s) for each in node.of("elementwise")],
        ),
        "quartiles.csv": table(
            "group,row,form,low_us,median_us,high_us,rounds", [node.source], [quartiles(each) for each in node.times]
        ),
    }  # fmt: skip
    if node.messages:
        texts["messages.csv"] = table(
            "operation,devices,neighbours,size_bytes,time_us",
            [f"source: {node.source}", f"a byte is half an element, of {node.device.dtype_name}"],
            [(each.operation, each.devices, each.neighbours, each.size, 1e6 * each.median_s) for each in node.messages],
        )
    return texts


def quartiles(time: Time) -> tuple:
    row = " ".join(map(str, time.case.row))
    return (time.case.group, row, time.case.form, *(1e6 * s for s in (time.low_s, time.median_s, time.high_s)), time.rounds)


class Affine(NamedTuple):
    """time = latency + bytes / rate."""

    latency_s: float
    rate: float


def affine(works: list[float], seconds: list[float]) -> Affine:
    """Least squares of relative errors. Neither is below 0: the latency is 0 where it would be."""
    a, b = [1 / s for s in seconds], [w / s for w, s in zip(works, seconds)]
    aa, ab, bb = (sum(x * y for x, y in zip(*of)) for of in ((a, a), (a, b), (b, b)))
    sums = sum(a), sum(b)
    whole = aa * bb - ab * ab
    latency = (sums[0] * bb - sums[1] * ab) / whole if whole > 0 else 0.0
    per_byte = (sums[1] - latency * ab) / bb
    return Affine(latency, 1 / per_byte) if latency > 0 and per_byte > 0 else Affine(0.0, bb / sums[1])


def figure(value: float, kind: str, source: str) -> dict[str, Any]:
    return {"value": float(f"{value:.5g}"), "kind": kind, "source": source}


def accelerator(node: Node) -> dict[str, Any]:
    moved = node.of("elementwise")
    fit = affine([each.case.work for each in moved], [each.median_s for each in moved])
    fastest = max(max(each.case.work / each.median_s for each in moved), fit.rate)
    computed = [each for group in ("products", "attention") for each in node.of(group)]
    peak = max(each.case.work / each.median_s for each in computed)
    memory, who = node.device.memory
    launch_us = node.single_us("launch")
    return {
        "name": node.device.name,
        "bf16_tflops": figure(peak / 1e12, "measured", f"{node.source}: the fastest product or attention, not a peak"),
        "memory_gb": figure(memory / 1e9, "measured", who),
        "memory_bandwidth_gbps": figure(
            fastest / 1e9, "measured", f"{node.source}: the fastest elementwise operation, {ELEMENT_BYTES} bytes an element"
        ),
        "efficiency": {"memory": figure(fit.rate / fastest, "fitted", f"{node.source}: {len(moved)} elementwise operations")},
        "memory_latency_us": figure(
            max(1e6 * fit.latency_s, launch_us), "fitted", f"{node.source}: elementwise operations, and at least a launch"
        ),
        "host_overhead_us": figure(launch_us, "measured", f"{node.source}: empty kernels in a row"),
    }


class Tier(NamedTuple):
    """neighbours: devices of a message between two in one node."""

    name: str
    devices: int
    neighbours: int


def tiers_of(job: Job) -> list[Tier]:
    """A tier has two devices or more, so a device by itself has a second one that is assumed."""
    node, cluster = Tier("node", job.in_node, 2), Tier("cluster", job.processes, 1)
    if job.processes == 1:
        return [Tier("node", 2, 2)]
    return [tier for tier, exists in ((node, job.in_node > 1), (cluster, job.nodes > 1)) if exists]


def link(node: Node, neighbours: int, otherwise_gbps: float) -> tuple[dict, dict]:
    """Latency and bandwidth of two devices. otherwise_gbps: the bandwidth if no message was timed."""
    sent = [each for each in node.messages if each[:3] == ("send-recv", 2, neighbours)]
    if not sent:
        return figure(10, "assumed", node.without_messages), figure(otherwise_gbps, "assumed", node.without_messages)
    fit = affine([float(each.size) for each in sent], [each.median_s for each in sent])
    latency_s = fit.latency_s or min(each.median_s for each in sent)
    source = f"{node.source}: {len(sent)} sizes of messages"
    return figure(1e6 * latency_s, "fitted", source), figure(fit.rate / 1e9, "fitted", source)


def base(node: Node) -> dict[str, Any]:
    """The platform as it was measured, before anything is fitted."""
    device = accelerator(node)
    tiers, ports = [], []
    for tier in tiers_of(node.job):
        latency, bandwidth = link(node, tier.neighbours, device["memory_bandwidth_gbps"]["value"])
        port = f"port of the {tier.name}"
        ports.append({"name": port, "bandwidth_gbps": bandwidth})
        link_of = {"latency_us": latency, "bandwidth_gbps": bandwidth}
        tiers.append({"name": tier.name, "devices": tier.devices, "port": port, **link_of})
    counted = f"{ELEMENT_BYTES} bytes count for an element, which has {torch.finfo(node.device.dtype).bits // 8} here"
    return {
        "schema": "spillway/platform/1",
        "name": f"{node.device.name}, measured",
        "note": f"{node.source}. Operators ran in {node.device.dtype_name}: {counted}. {node.attention}. The host meets an "
        f"idle device in {node.single_us('synchronisation'):.3g} us. Devices of a tier are those that were measured.",
        "accelerator": device,
        "ports": ports,
        "tiers": tiers,
    }


def with_tables(platform: dict, node: Node) -> dict:
    """As `calibrate` writes them, too."""
    sources = {"products.csv": node.source, "attention.csv": f"{node.source}; {node.attention}"}
    named = [{"file": file, "kind": "measured", "source": source} for file, source in sources.items()]
    return {**platform, "accelerator": {**platform["accelerator"], "operators": named}}


def write(folder: str, texts: dict[str, str]) -> None:
    """Each file is whole or as it was. Tables of an earlier run that this one has not are removed."""
    for name in NAMES:
        path = os.path.join(folder, name)
        if name in texts:
            with open(f"{path}.new", "w", encoding="utf-8") as text:
                text.write(texts[name])
            os.replace(f"{path}.new", path)
        elif os.path.exists(path):
            os.remove(path)


def json_text(document: dict) -> str:
    return json.dumps(document, indent=2) + "\n"
