"""Reads JSON documents, and programs that have been checked."""

from __future__ import annotations

import json
from typing import Any

from ..errors import InputError, Violation
from .checks import faults

MOST = 100  # violations that are listed


def load(file: str, what: str) -> Any:
    """Returns a JSON document."""
    try:
        with open(file, encoding="utf-8-sig") as text:
            return json.load(text, object_pairs_hook=once)
    except OSError as error:
        raise InputError([Violation(file, "", what, error.strerror or str(error))]) from None
    except (ValueError, RecursionError) as error:
        raise InputError([Violation(file, "", "a JSON document", str(error))]) from None


def once(pairs: list[tuple[str, Any]]) -> dict:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError("more than once in one object: " + ", ".join(key for key in members if keys.count(key) > 1))
    return members


def read(file: str) -> dict:
    """Returns the document. Raises InputError with every violation, unless a training step can rest on it."""
    program = load(file, "a program")
    found = [Violation(file, *each) for each in faults(program)]
    if len(found) > MOST:
        found[MOST:] = [Violation(file, "", "no more violations than these", f"{len(found) - MOST} more")]
    if found:
        raise InputError(found)
    return program


def check_processes(file: str, program: dict, started: int) -> None:
    if len(program["programs"]) != started:
        needed = f"{len(program['programs'])} processes: {program['ranks']} ranks of {program['replicas']} replicas"
        raise InputError([Violation(file, "/programs", needed, f"{started} started")])
