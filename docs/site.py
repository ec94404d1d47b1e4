"""Puts the pages of docs/ together for mkdocs: site.py PROGRAM FOLDER.

Copies pages, pictures and colours into FOLDER; brings along, under files/, what pages link to elsewhere in the
repository; puts the tables of every file format's keys, read from `PROGRAM schema`, into formats.md; and brings along
the page that simulates in the browser, where `make web` has built it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
REPOSITORY = DOCS.parent
PLAYGROUND = REPOSITORY / "build-web" / "playground.html"
COLOURS = REPOSITORY / "src" / "words" / "colours.css"
PLACE = "<!-- link to the page: put in by docs/site.py where that was built -->"
TABLES = "<!-- tables of every key: put in by docs/site.py -->"


def with_links_brought_along(text, folder):
    """The page's text, its links out of docs/ leading to copies under files/."""

    def brought(link):
        target = Path(link[1])
        copy = folder / "files" / target
        if (REPOSITORY / target).is_dir() or target.suffix == ".md":
            sys.exit(f"docs/site.py: a page links to {target}, which is no page of docs/ and no file to show")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / target, copy)
        return f"](files/{target})"

    return re.sub(r"\]\(\.\./([^)#]+)\)", brought, text)


def resolved(schema, root):
    """The schema with what it refers to laid under it."""
    for part in [*schema.get("allOf", []), schema]:
        if "$ref" in part:
            target = root
            for name in part["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            schema = {**resolved(target, root), **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema


def kind_of(schema):
    """A number, a list of texts, one of these words."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        options = [kind_of(each) for each in schema.get("oneOf", schema.get("anyOf", []))]
        return " or ".join(dict.fromkeys(option for option in options if option))
    return " or ".join(kinds)


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def references(schema):
    return [part["$ref"] for part in [schema, *schema.get("allOf", [])] if "$ref" in part]


def rows(schema, root, pointer, shown):
    """A row for each key of an object, then those below it."""
    required = schema.get("required", [])
    for key, given in schema.get("properties", {}).items():
        value = resolved(given, root)
        here = f"{pointer}/{key}"
        words = cell(value.get("description", ""))
        yield f"| `{here}`{' *' if key in required else ''} | {cell(kind_of(value))} | {words} |"
        yield from below(given, root, here, shown)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from below(schema["additionalProperties"], root, f"{pointer}/NAME", shown)


def inner(schema):
    """What a value holds: items of a list, any of several forms."""
    if isinstance(schema.get("items"), dict):
        yield "/0", schema["items"]
    for form in schema.get("oneOf", []) + schema.get("anyOf", []):
        yield "", form


def below(given, root, pointer, shown):
    """The rows of a value's keys; of what is defined once and used twice, where they stand."""
    value = resolved(given, root)
    names = references(given)
    for name in names:
        if name in shown and shown[name] != pointer:
            if any("properties" in each for each in [value, *(form for _, form in inner(value))]):
                yield f"| `{pointer}/...` | | as `{shown[name]}/...` |"
            return
    shown.update((name, pointer) for name in names)
    yield from rows(value, root, pointer, shown)
    for step, form in inner(value):
        yield from below(form, root, pointer + step, shown)


def tables(program):
    text = subprocess.run([program, "schema", "--help"], check=True, capture_output=True, text=True).stdout
    words = " ".join(re.search(r"REQUIRED\s+(.*?)\n\n", text, re.S)[1].split())
    for kind in sorted(words.replace(" or ", ", ").split(", ")):
        schema = json.loads(subprocess.check_output([program, "schema", kind]))
        yield f"\n## {kind}\n\n{schema['description']} Named `{schema['title']}`; \\* marks what has to be there.\n"
        yield "| key | value | meaning |\n|---|---|---|"
        yield from dict.fromkeys(below(schema, schema, "", {}))


def playground(folder):
    """What stands for the link to the page."""
    if not PLAYGROUND.exists():
        return "This site was built without Emscripten, and so without the page."
    shutil.copy(PLAYGROUND, folder)
    return f"[Open the page]({PLAYGROUND.name})"


def colours_by_scheme():
    """The page's colours, dark ones where the site's switch says so, and not the system."""
    light, dark = COLOURS.read_text().split("@media screen and (prefers-color-scheme: dark) {")
    names = dark[dark.index("{") : dark.index("}") + 1]
    return f'{light}[data-md-color-scheme="slate"] {names}\n'


def main(program, folder):
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS / "pictures", folder / "pictures", ignore=shutil.ignore_patterns("*.json"))
    for beside in [DOCS / "site.css", DOCS / "site.js", *DOCS.glob("*.ipynb")]:
        shutil.copy(beside, folder)
    (folder / "colours.css").write_text(colours_by_scheme())
    for page in sorted(DOCS.glob("*.md")):
        text = with_links_brought_along(page.read_text(), folder)
        if PLACE in text:
            text = text.replace(PLACE, playground(folder))
        (folder / page.name).write_text(text.replace(TABLES, "\n".join(tables(program)) if TABLES in text else ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
