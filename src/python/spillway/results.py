"""Results: the dict that --json prints, with tables, a picture in a notebook and, for a run, timelines."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Callable, Optional


if TYPE_CHECKING:
    import numpy
    import pandas

    from . import _native

# Makes the rows of a table from a result. The first table of a result is its default.
Rows = Callable[[dict], list]
_HEIGHT = 640  # of a page in a notebook, in pixels

KINDS = (
    "Forward",
    "Backward",
    "BackwardInput",
    "BackwardWeight",
    "ForwardBackward",
    "Collective",
    "DpReduce",
    "Broadcast",
    "Loss",
    "StepBarrier",
)


class Timeline:
    """The times of all events in the first draw, as read-only arrays over the program's own memory.

    `start` and `end`, seconds from the start of the step, have a row for each event and a column for each
    data-parallel replica that was simulated; `kind` is an index into KINDS; rank, stage and microbatch count from
    0. `names()` are the events as the paper writes them."""

    def __init__(self, draw: _native.FirstDraw) -> None:
        self._draw = draw

    def _array(self, view: _native.View) -> numpy.ndarray:
        import numpy

        return numpy.asarray(view)

    start = property(lambda self: self._array(self._draw.start))
    end = property(lambda self: self._array(self._draw.end))
    kind = property(lambda self: self._array(self._draw.kind))
    rank = property(lambda self: self._array(self._draw.rank))
    stage = property(lambda self: self._array(self._draw.stage))
    microbatch = property(lambda self: self._array(self._draw.microbatch))

    def names(self) -> list[str]:
        return self._draw.names()

    def frame(self, replica: int = 0) -> pandas.DataFrame:
        """A row for each event of a replica."""
        import pandas

        return pandas.DataFrame(
            {
                "event": self.names(),
                "kind": pandas.Categorical.from_codes(self.kind, KINDS),
                "rank": self.rank,
                "microbatch": self.microbatch,
                "start_s": self.start[:, replica],
                "end_s": self.end[:, replica],
            }
        )


class Result(dict):
    """The dict of --json."""

    _tables: dict[str, Rows] = {}

    def __init__(self, document: dict, answer: Optional[_native.Answer] = None) -> None:
        super().__init__(document)
        self._answer = answer

    def __reduce__(self) -> tuple:
        """Copies and pickles contain only the document."""
        return type(self), (dict(self),)

    def frame(self, table: Optional[str] = None) -> pandas.DataFrame:
        """Returns one of the `tables` as a DataFrame. Objects inside rows become columns a.b."""
        import pandas

        name = table or next(iter(self._tables), None)
        if name not in self._tables:
            raise KeyError(f"{table}: not one of the tables {', '.join(self._tables)}")
        return pandas.json_normalize(self._tables[name](self))

    @property
    def tables(self) -> list[str]:
        return list(self._tables)

    def page(self) -> str:
        """Returns report.html as one text, or "" for a copy, or if the program was built without pages."""
        return self._answer.page() if self._answer else ""

    def _repr_html_(self) -> str:
        page = self.page()
        if page:
            return (
                f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="{_HEIGHT}" '
                'style="border:0" sandbox="allow-scripts"></iframe>'
            )
        return _table_html(next(iter(self._tables.values()))(self)) if self._tables else _table_html([self])


class Report(Result):
    """The result of run()."""

    _tables = {
        "schedules": lambda d: [_without(s, "ranks", "simulation") for s in d["schedules"]],
        "ranks": lambda d: [{"schedule": s["name"], **rank} for s in d["schedules"] for rank in s["ranks"]],
    }

    def timeline(self, schedule: Optional[str] = None) -> Timeline:
        """Returns the timeline of the schedule with this name, or of the first one."""
        if not self._answer:
            raise ValueError("a copied or loaded report has no timelines: run() gives one that has")
        return Timeline(self._answer.first_draw(schedule or self["schedules"][0]["name"]))


class Explanation(Result):
    _tables = {
        "would_help": lambda d: [{"schedule": s["name"], **c} for s in d["schedules"] for c in s["would_help"]],
        "ranks": lambda d: [{"schedule": s["name"], **rank} for s in d["schedules"] for rank in s["ranks"]],
        "critical_path": lambda d: [{"schedule": s["name"], **s["critical_path"]} for s in d["schedules"]],
    }


class Derivation(Result):
    _tables = {
        "nodes": lambda d: [
            {"rank": int(rank), "place": place, "event": event}
            for rank, events in d["order"]["nodes"].items()
            for place, event in enumerate(events)
        ],
        "edges": lambda d: d["order"]["edges"],
    }


class Check(Result):
    _tables = {
        "check": lambda d: [_without(d, "cycle")],
        "cycle": lambda d: [{"action": action} for action in d["cycle"] or []],
    }


class Images(Result):
    _tables = {"patches": lambda d: [dict(d)]}


class Support(Result):
    _tables = {"parts": lambda d: [_without(part, "keys", "refused") for part in d["parts"]]}


class Launches(Result):
    _tables = {
        "launches": lambda d: [
            {
                "name": one["name"],
                "arguments": (one["launch"] or {}).get("arguments"),
                "reasons": "; ".join(one["reasons"]),
            }
            for one in d["launches"]
        ]
    }


class ImportedTrace(Result):
    _tables = {
        "passes": lambda d: d["passes"],
        "steps": lambda d: d["steps"],
        "events": lambda d: [{"kind": kind, **of} for kind, of in d["events"].items()],
    }


class ImportedScript(Result):
    """`document` is the experiment, or the table of a measured step: a dict that run() or validate() takes."""

    _tables = {
        "not_understood": lambda d: d["not_understood"],
        "read": lambda d: d["read"],
        "idle": lambda d: d["idle"],
    }


class Calibration(Result):
    """`document` is the fitted platform or framework file: a dict that run() takes unchanged."""

    _tables = {
        "fitted": lambda d: d["fitted"],
        "curves": lambda d: d.get("curves", []),
        "held_back": lambda d: d.get("held_back", []),
        "undetermined": lambda d: d.get("undetermined", []),
    }


class Plans(Result):
    _tables = {"plans": lambda d: [_without(plan, "experiment") for plan in d["plans"]]}


class LayoutExplanation(Result):
    _tables = {
        "towards_best": lambda d: [_tried(one) for one in d["towards_best"]],
        "way": lambda d: [_way_step(one) for one in d["way"]["steps"]] if d["way"] else [],
        "accounts": lambda d: [{"plan": plan, **one} for plan, one in d["accounts"].items() if one],
        "would_fit": lambda d: [_tried(one) for one in d["would_fit"]],
        "memory": lambda d: d["memory"],
    }


class Twin(Result):
    _tables = {
        "measured": lambda d: [_without(one, "tokens", "patches") for one in d["measured"]],
        "layers": lambda d: [_without(one, "range", "pairs_range") for one in d["layers"]],
        "evidence": lambda d: d["evidence"],
    }


class Synthesis(Result):
    _tables = {"left_out": lambda d: d["left_out"]}


class SweepRows(Result):
    _tables = {"rows": lambda d: d["rows"]}


class Comparison(Result):
    _tables = {
        "schedules": lambda d: d["schedules"],
        "configuration": lambda d: d["configuration"],
    }


class Validation(Result):
    _tables = {
        "cases": lambda d: _measured(d),
        "classes": lambda d: d.get("classes", []),
    }


def result_of(kind: type, answer: _native.Answer) -> Any:
    return kind(json.loads(answer.document), answer)


def _measured(document: dict) -> list:
    """The measured steps of a validation: cases of tables or a trace, steps of a log, ranks of a profile."""
    if document["schema"].startswith("spillway/step-log/"):
        return document["steps"]
    if document["schema"].startswith("spillway/profile/"):
        return [_without(rank, "steps", "collectives", "layers", "inferences") for rank in document["ranks"]]
    return document["cases"] if "cases" in document else [c for table in document["tables"] for c in table["cases"]]


def _tried(change: dict) -> dict:
    return {**_without(change, "layout", "figures"), **change["figures"]}


def _way_step(step: dict) -> dict:
    changes = " with ".join(f"{one['key']} {one['to']} instead of {one['from']}" for one in step["changes"])
    return {"changes": changes, "gain": step["gain"], **step["figures"]}


def _without(record: dict, *keys: str) -> dict:
    return {key: value for key, value in record.items() if key not in keys}


def _table_html(rows: list) -> str:
    """Shows the scalars of the rows as an HTML table, without a page or pandas."""
    columns = [key for key in (rows[0] if rows else {}) if not isinstance(rows[0][key], (dict, list))]
    head = "".join(f"<th>{html.escape(str(column))}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(row.get(column, '')))}</td>" for column in columns) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
