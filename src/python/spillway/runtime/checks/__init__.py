"""Checks a program before any process starts: what spillway/program/1 demands, and what a training step rests on.

In this order, each only if the one before found nothing: the form (schema.py), lists and layers (lists.py), what actions
name (actions.py), both ends of messages and operations of groups (exchanges.py), and a run without values (order.py).
`spillway derive --check` refuses a part of what is refused here. Test: tests/python/runtime_check_test.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

from .actions import names
from .exchanges import ends, groups
from .lists import copies, layers, places
from .order import run
from .schema import Fault, Schema, shown

HERE = Path(__file__).resolve().parent
FILES = (HERE.with_name("program.schema.json"), HERE.parents[3] / "json/schemas/program.schema.json")  # installed, or not


def faults(program: object) -> list[Fault]:
    """All that is wrong with the document."""
    for part in (form, places, layers, names, copies, ends, groups, run):
        found = list(part(program))
        if found:
            return found
    return []


def form(program: object) -> Iterator[Fault]:
    """A document of another kind or version is refused by that alone."""
    schema = Schema(json.loads(next(each for each in FILES if each.exists()).read_text(encoding="utf-8")))
    kind = schema.document["properties"]["schema"]["const"]
    stated = program.get("schema") if isinstance(program, dict) else program
    if stated != kind:
        yield "/schema", f'"{kind}"', shown(stated)
    else:
        yield from schema.faults(program)
