"""The command lines of runtime and of measure share this: the backends, and what is refused before anything runs."""

from __future__ import annotations

import argparse
import os
import tempfile

from ..errors import InputError, Violation


BACKENDS = {"cpu": "gloo", "cuda": "nccl", "npu": "hccl"}  # by device


def at_least_one(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000000000, found {text}")
    return int(text)


def positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number <= 10**9:
        raise argparse.ArgumentTypeError(f"expected a number above 0, at most 1000000000, found {text}")
    return number


def refuse(option: str, expected: str, found: str, program: str = "spillway.runtime") -> InputError:
    return InputError([Violation(program, option, expected, found)])


def check_folder(option: str, folder: str, program: str = "spillway.runtime") -> None:
    """Makes the folder, and tries to write there."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise refuse(option, "a folder to write to", f"{folder}: {error.strerror}", program) from None
