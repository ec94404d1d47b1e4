"""Holds a document against a JSON Schema (draft 7), as far as spillway/program/1 uses one.

An object that may have several forms says by its "op" and "pass" which it has, so faults are those of that form."""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional

Fault = tuple[str, str, str]  # JSON pointer, expected, found

TYPES = {
    "object": (dict, "an object"), "array": (list, "a list"), "string": (str, "a text"), "null": (type(None), "null"),
    "boolean": (bool, "true or false"), "integer": (int, "a whole number"), "number": ((int, float), "a number"),
}  # fmt: skip
LARGEST = {"integer": 2**32 - 1, "number": 1e30}
TAGS = ("op", "pass")


class Schema:
    def __init__(self, document: dict) -> None:
        self.document = document
        self.chosen: dict = {}  # forms by their tags: choosing one takes longer than all else

    def faults(self, value: Any, rule: Optional[dict] = None, at: str = "") -> Iterator[Fault]:
        rule = self.document if rule is None else rule
        if "$ref" in rule:
            rule = self.document["definitions"][rule["$ref"].rpartition("/")[2]]
        if "oneOf" in rule:
            yield from self.of_one(value, rule["oneOf"], at)
        elif expected := unless(value, rule):
            yield at, expected, shown(value)
        elif isinstance(value, dict):
            yield from self.members(value, rule, at)
        elif isinstance(value, list):
            for index, each in enumerate(value):
                yield from self.faults(each, rule["items"], f"{at}/{index}")

    def members(self, value: dict, rule: dict, at: str) -> Iterator[Fault]:
        for key in rule["required"]:
            if key not in value:
                yield f"{at}/{key}", "a value", "nothing"
        for key, each in value.items():
            if key in rule["properties"]:
                yield from self.faults(each, rule["properties"][key], f"{at}/{key}")
            else:
                yield f"{at}/{key}", "a key of " + ", ".join(rule["properties"]), shown(key)

    def of_one(self, value: Any, forms: list[dict], at: str) -> Iterator[Fault]:
        typed = [form for form in forms if is_a(value, form["type"])]
        if not typed:
            yield at, " or ".join(dict.fromkeys(TYPES[form["type"]][1] for form in forms)), shown(value)
        elif not isinstance(value, dict):
            yield from self.faults(value, typed[0], at)
        else:
            tags = tuple(shown(value[tag]) if tag in value else "nothing" for tag in TAGS)
            if tags not in self.chosen:
                self.chosen[tags] = chosen(value, typed)
            form, wrong = self.chosen[tags]
            yield from [(f"{at}/{wrong[0]}", *wrong[1:])] if wrong else self.faults(value, form, at)


def chosen(value: dict, forms: list[dict]) -> tuple[dict, Optional[Fault]]:
    """The form that the tags name, or a fault of one of them."""
    for tag in TAGS:
        words = {word: None for form in forms for word in form["properties"].get(tag, {}).get("enum", [])}
        fit = [form for form in forms if value.get(tag) in form["properties"].get(tag, {}).get("enum", [value.get(tag)])]
        if not fit:
            return {}, (tag, one_of(list(words)), shown(value[tag]) if tag in value else "nothing")
        forms = fit
    return forms[0], None


def is_a(value: Any, kind: str) -> bool:
    return isinstance(value, TYPES[kind][0]) and (kind == "boolean" or not isinstance(value, bool))


def unless(value: Any, rule: dict) -> Optional[str]:
    """None if the value is as the rule says, leaving its members aside; else what the rule expects."""
    words = [rule["const"]] if "const" in rule else rule.get("enum")
    if words is not None:
        return None if value in words else one_of(words)
    kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    kind = next((each for each in kinds if is_a(value, each)), None)
    expected = " or ".join(TYPES[each][1] for each in kinds)
    if kind in LARGEST and not rule.get("minimum", 0) <= value <= LARGEST[kind]:
        return f"{expected} from {rule.get('minimum', 0)} to {LARGEST[kind]}"
    if kind == "array" and not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
        return f"a list of {rule['minItems']}" if "maxItems" in rule else f"a list of at least {rule['minItems']}"
    if kind == "string" and len(value) < rule.get("minLength", 0):
        return "a text that is not empty"
    return None if kind else expected


def one_of(words: list) -> str:
    return ("one of " if len(words) > 1 else "") + ", ".join(map(json.dumps, words))


def shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."
