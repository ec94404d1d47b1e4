"""Every command and option stands wherever a user looks for it: in --help, in a manual page, in completion for bash.

Of an installed program SPILLWAY_MAN has the pages and SPILLWAY_COMPLETION is the script; otherwise those of cmake/."""

import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["SPILLWAY_PROGRAM"]).resolve()
INSTALLED = "SPILLWAY_COMPLETION" in os.environ
SOURCE = Path(os.environ["SPILLWAY_SOURCE"]).resolve()
COMPLETION = os.environ.get("SPILLWAY_COMPLETION", str(SOURCE / "cmake/completion.bash"))
COMPLETE = '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _spillway; printf "%s\\n" "${COMPREPLY[@]}"'

# Stands for the program: it takes longer to start than all else here, and completion and the pages ask it for the same
# help a thousand times. What it answers is kept; what it refuses it refuses each time.
KEEPS = """#!/bin/sh
IFS=_
kept={folder}/$*
[ -f "$kept" ] || case $* in
  *--help) {program} "$@" >"$kept.new" && mv "$kept.new" "$kept" || exit ;;
  *) exec {program} "$@" ;;
esac
exec cat "$kept"
"""


@functools.cache
def program():
    """Of an installed program itself: completion finds what is shipped beside it."""
    if INSTALLED:
        return PROGRAM
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    path = Path(folder.name) / "spillway"
    path.write_text(KEEPS.format(folder=shlex.quote(folder.name), program=shlex.quote(str(PROGRAM))))
    path.chmod(0o755)
    return path


@functools.cache
def entries(command):
    """What the help of a command lists, by section: the first word behind two blanks."""
    told = subprocess.run([program(), *command, "--help"], check=True, capture_output=True, text=True).stdout
    listed, section = {}, ""
    for line in told.splitlines():
        if re.match(r"\S.*:$", line):
            section = line[:-1]
        elif re.match(r"  \S", line):
            listed.setdefault(section, []).append(line.split()[0])
    return listed


def options(command):
    listed = [word for words in entries(command).values() for word in words if word.startswith("-")]
    return sorted(name for word in listed for name in word.split(",") if name.startswith("--"))


def commands(command=()):
    """The command, and all of its commands below it, as tuples of words."""
    below = [commands((*command, name)) for name in entries(command).get("Subcommands", [])]
    return [tuple(command), *(each for some in below for each in some)]


def completed(*words):
    """What completion offers for the last word, in an empty folder."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "PATH": f"{program().parent}:{os.environ['PATH']}"}
        if not INSTALLED:
            environment["SPILLWAY_DATA"] = str(SOURCE)
        told = subprocess.run(
            ["bash", "-c", COMPLETE, COMPLETION, "spillway", *words],
            cwd=empty, env=environment, check=True, capture_output=True, text=True,
        )
    return told.stdout.split()


class CommandWords(unittest.TestCase):
    @unittest.skipUnless((SOURCE / "src/cli").is_dir(), "no sources")
    def test_help_lists_every_command_and_option_of_the_sources(self):
        text = "".join(file.read_text() for file in sorted((SOURCE / "src/cli").glob("*.cpp")))
        added = re.findall(r'add_(?:option|flag)(?:_function)?(?:<[^>]*>)?\(\s*"(--[^"]*)"', text)
        self.assertGreater(len(added), 80)
        self.assertEqual(set(added) - {name for command in commands() for name in options(command)}, set())
        names = re.findall(r'add_subcommand\(\s*"([^"]*)"', text)
        self.assertEqual(sorted(names), sorted(command[-1] for command in commands() if command))

    def test_every_command_has_a_manual_page_with_its_options(self):
        with tempfile.TemporaryDirectory() as made:
            folder = os.environ.get("SPILLWAY_MAN", made)
            if folder == made:
                subprocess.run([SOURCE / "cmake/man.sh", program(), made], check=True)
            pages = {page.name.removesuffix(".1"): page.read_text() for page in Path(folder).glob("spillway*.1")}
        pages.pop("spillway.runtime", None)
        self.assertEqual(sorted(pages), sorted("-".join(("spillway", *command)) for command in commands()))
        for command in commands():
            page = pages["-".join(("spillway", *command))].replace("\\-", "-")
            told = re.findall(r"^  (?:-[a-z],)?(--[a-z-]+)", page, re.MULTILINE)
            self.assertEqual(sorted(told), options(command), command)

    def test_the_runtime_has_a_manual_page_with_its_options(self):
        page = Path(os.environ.get("SPILLWAY_MAN", ""), "spillway.runtime.1")
        make = [sys.executable, "-B", SOURCE / "cmake/man_module.py", "spillway.runtime", "0"]
        text = page.read_text() if page.exists() else subprocess.run(make, check=True, capture_output=True, text=True).stdout
        told = subprocess.run([sys.executable, "-m", "spillway.runtime", "--help"], check=True, capture_output=True, text=True)
        listed = re.findall(r"^  (?:-[a-z], )?(--[a-z]+)", told.stdout, re.MULTILINE)
        self.assertGreater(len(listed), 5)
        self.assertEqual(re.findall(r"^  (?:-[a-z], )?(--[a-z]+)", text.replace("\\-", "-"), re.MULTILINE), listed)
        self.assertIn("layer(index, blocks)", text)  # the documentation

    def test_completion_offers_every_command(self):
        self.assertEqual(sorted(completed("")), sorted(command[0] for command in commands() if len(command) == 1))
        for command in commands():
            below = entries(command).get("Subcommands", [])
            self.assertEqual(set(below) - set(completed(*command, "")), set(), command)

    def test_completion_offers_the_options_of_every_command_and_no_others(self):
        for command in commands():
            self.assertEqual(sorted(completed(*command, "--")), options(command), command)
            self.assertEqual(completed(*command, "x", "--he") if command else ["--help"], ["--help"], command)

    def test_completion_offers_what_is_shipped(self):
        self.assertEqual(completed("run", "experiment-"), ["experiment-a", "experiment-b"])
        self.assertEqual(completed("run", "--json", "experiment-"), ["experiment-a", "experiment-b"])
        self.assertIn("hgx-h100", completed("calibrate", "table", "--platform", "hgx"))
        self.assertIn("qwen2-vl-7b", completed("images", "--rule", "qwen2"))
        self.assertIn("small", completed("sweep", "sm"))
        self.assertEqual(completed("sweep", "export", "sm"), [])
        self.assertIn("qwen2-vl-7b", completed("support", "qwen2"))

    def test_completion_offers_the_words_that_an_option_takes_and_nothing_else(self):
        told = subprocess.run([PROGRAM, "export", "small", "--to", "none"], capture_output=True, text=True)
        frameworks = told.stderr.split("expected ")[1].split(", found")[0].split(", ")
        self.assertGreater(len(frameworks), 7)
        self.assertEqual(sorted(completed("export", "small", "--to", "")), sorted(frameworks))
        self.assertEqual(completed("export", "--to", "torch"), ["torchtitan"])
        formats = ["text", "json", "program", "dot", "graphml", "goal", "chakra", "csv"]
        self.assertEqual(completed("derive", "small", "--format", ""), formats)
        self.assertEqual(completed("sweep", "export", "--format", ""), ["csv", "json", "html", "columns"])
        self.assertEqual(completed("run", "--engine", "max"), ["max-plus"])
        self.assertEqual(completed("calibrate", "--operation", "re"), ["reduce-scatter"])
        self.assertEqual(completed("images", "--rule", "kimi-vl"), ["kimi-vl"])

    def test_completion_offers_every_kind_of_schema(self):
        offered = completed("schema", "")
        for kind in offered:
            self.assertEqual(subprocess.run([PROGRAM, "schema", kind], capture_output=True).returncode, 0, kind)
        shipped = (file.name.split(".")[0] for file in (SOURCE / "src/json/schemas").glob("*.schema.json"))
        self.assertEqual({kind.replace("_", "-") for kind in shipped} - set(offered), set())


if __name__ == "__main__":
    unittest.main()
