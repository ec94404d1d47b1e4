"""Turns documents into arguments of the compiled part. They are paths, or dicts, which become JSON text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Tuple, Union

from .errors import InputError, Violation

Path = Union[str, "os.PathLike[str]"]
Document = Union[Path, Mapping[str, Any]]
Given = Tuple[str, Optional[str]]
Settings = Union[None, Mapping[str, Any], Iterable[str]]


def given(document: Document, name: str) -> Given:
    """Returns a path, or a dict's text with `name`. Paths inside a dict are relative to the current folder."""
    if isinstance(document, Mapping):
        return name, text_of(document, name)
    return os.fspath(document), None


def text_of(value: Any, name: str) -> str:
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError([Violation(name, "", "what JSON can hold", str(error))]) from None


def settings(changes: Settings) -> list[str]:
    """Returns texts /pointer=value, from a dict of values by pointer or from such texts."""
    if changes is None:
        return []
    if isinstance(changes, Mapping):
        return [f"{pointer}={text_of(value, 'set')}" for pointer, value in changes.items()]
    if isinstance(changes, str):
        return [changes]
    return list(changes)


def texts(one_or_many: Union[None, str, Iterable[str]]) -> list[str]:
    if one_or_many is None:
        return []
    return one_or_many.split(",") if isinstance(one_or_many, str) else list(one_or_many)


def _plain(value: Any) -> Any:
    """Converts paths, and numbers and arrays of numpy, to JSON values."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__}")
