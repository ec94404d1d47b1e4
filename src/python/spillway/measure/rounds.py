"""Times cases in rounds, so that a slow minute of the machine lengthens one time of each case and not all of one."""

from __future__ import annotations

import statistics
import time
from typing import Iterable, NamedTuple

import torch

from .cases import Case, Operands
from .device import Device

FEWEST = 3  # rounds
SMALLEST = 12  # cases of a group that are timed, however long they take
ROUNDS = 6  # for which cases are chosen: a first one that warms up, and five
SAMPLE_S = 0.002  # a shorter call is timed many times in a row
MOST_IN_A_ROW = 500
LARGEST = 1 / 16  # of the device's memory, in one tensor


class Time(NamedTuple):
    """The median over rounds, and the quartiles."""

    case: Case
    low_s: float
    median_s: float
    high_s: float
    rounds: int


class Chosen(NamedTuple):
    case: Case
    in_a_row: int


def choose(device: Device, operands: Operands, cases: list[Case], allowed_s: float) -> list[Chosen]:
    """Runs cases once, from the smallest on, until a round of them would take longer than allowed_s by the wall clock.

    A case with more work is expected to take longer by no more than the ratio of the works."""
    chosen: list[Chosen] = []
    spent, before = 0.0, 0.0
    for index, case in enumerate(cases):
        more = case.work / cases[index - 1].work if index else 1.0
        if len(chosen) >= SMALLEST and spent + before * more > allowed_s:
            break
        if case.elements * 4 > LARGEST * device.memory[0]:
            break
        device.seconds(case.make(operands))  # warms up
        start = time.monotonic()
        call = case.make(operands)
        making = time.monotonic() - start
        in_a_row = max(1, min(MOST_IN_A_ROW, round(SAMPLE_S / device.seconds(call))))
        before = time.monotonic() - start
        spent += making + (before - making) * in_a_row
        chosen.append(Chosen(case, in_a_row))
    return chosen


@torch.no_grad()
def time_in_rounds(device: Device, operands: Operands, groups: Iterable[tuple[list[Case], float]], until: float) -> list[Time]:
    """groups: cases from the smallest to the largest, and the seconds that all their rounds may take. until: by
    time.monotonic(); a round begins only if it is likely to end before, but for the first three."""
    chosen = [each for cases, seconds in groups for each in choose(device, operands, cases, seconds / ROUNDS)]
    times: list[list[float]] = [[] for _ in chosen]
    taken, rounds = 0.0, 0
    while rounds < FEWEST or time.monotonic() + taken <= until:
        start = time.monotonic()
        for of_case, (case, in_a_row) in zip(times, chosen):
            of_case.append(device.seconds(case.make(operands), in_a_row))
        taken, rounds = time.monotonic() - start, rounds + 1
    return [summary(each.case, seconds) for each, seconds in zip(chosen, times)]


def summary(case: Case, seconds: list[float]) -> Time:
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return Time(case, low, median, high, len(seconds))
