"""Exceptions for the command line's exit statuses 2 and 3. A fault of the program is a RuntimeError."""

from __future__ import annotations

from typing import NamedTuple


class Violation(NamedTuple):
    """An error in an input: its place, what was expected and what was found."""

    file: str
    pointer: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.file}: {self.pointer or '/'}: expected {self.expected}, found {self.found}"


class InputError(ValueError):
    """Bad input, with every violation found."""

    def __init__(self, violations: list[Violation]) -> None:
        self.violations = [_by_keyword(each) for each in violations]
        super().__init__("\n".join(map(str, self.violations)))

    def __reduce__(self) -> tuple:
        return type(self), (self.violations,)


class Infeasible(Exception):
    """The question has no feasible answer: nothing fits in memory, or a fit cannot reach its target."""


def _by_keyword(violation: Violation) -> Violation:
    """Renames a command-line option to the argument here: --engine to engine."""
    if violation.file != "command line":
        return violation
    return violation._replace(file="arguments", pointer=violation.pointer.lstrip("-").replace("-", "_"))
