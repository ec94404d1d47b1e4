"""The compiled module, imported when it is first used: spillway.runtime works without it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _native as native
else:

    class _Native:
        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module("spillway._native"), name)

    native = _Native()
