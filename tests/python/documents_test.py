"""What docs/python.md and the notebook tell people to type works, and the stubs say what there is."""

import ast
import inspect
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import spillway
from program import SOURCE, needs


class Documents(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCE)

    @needs("numpy", "pandas")
    def test_the_page(self):
        blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs/python.md").read_text(), re.S)
        self.assertGreaterEqual(len(blocks), 5)
        names = {}
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), names)

    @needs("nbclient", "ipykernel", "numpy", "pandas")
    def test_the_notebook(self):
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(SOURCE / "docs/tutorial-python.ipynb", as_version=4)
        with tempfile.TemporaryDirectory() as home:
            os.environ.update(HOME=home, IPYTHONDIR=home, JUPYTER_CONFIG_DIR=home)
            NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(SOURCE)}}).execute()
        pictures = [
            output["data"]["text/html"]
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            if "text/html" in output.get("data", {})
        ]
        self.assertGreaterEqual(len(pictures), 4)
        self.assertTrue(pictures[0].startswith(("<iframe", "<table")))

    def test_the_notebook_is_kept_without_outputs(self):
        notebook = json.loads((SOURCE / "docs/tutorial-python.ipynb").read_text())
        self.assertFalse(any(cell.get("outputs") for cell in notebook["cells"]))


class Types(unittest.TestCase):
    def test_the_stubs_name_what_is_compiled(self):
        from spillway import _native

        stub = (SOURCE / "src/python/spillway/_native.pyi").read_text()
        stated = set(re.findall(r"^(?:def |class )?(\w+)(?:\(|:)", stub, re.M))
        there = {name for name in dir(_native) if not name.startswith("__")}
        self.assertEqual(there, stated)
        for name in ("FirstDraw", "Answer"):
            methods = re.findall(rf"^class {name}.*?(?=^\S|\Z)", stub, re.M | re.S)[0]
            there = {each for each in dir(getattr(_native, name)) if not each.startswith("_")}
            self.assertEqual(there, set(re.findall(r"def (\w+)", methods)))

    def test_the_stubs_have_the_signatures_of_what_is_compiled(self):
        from spillway import _native

        stub = ast.parse((SOURCE / "src/python/spillway/_native.pyi").read_text())
        # pybind11 writes types out in docstrings; a callback may be None without a word of it.
        words = {"List[": "list[", "Tuple[": "tuple[", "_Given": "tuple[str, Optional[str]]",
                 "_Progress": "Callable[[int, int], None]", "spillway._native.": ""}  # fmt: skip

        def types(function):
            named = [ast.unparse(each.annotation) for each in function.args.args if each.arg != "self"]
            text = ", ".join([*named, ast.unparse(function.returns)])
            for word, meaning in words.items():
                text = text.replace(word, meaning)
            return text

        def docstring(of):
            return ast.parse(f"def {of.__doc__.splitlines()[0]}: ...").body[0]

        stated = [(getattr(_native, each.name), each) for each in stub.body if isinstance(each, ast.FunctionDef)]
        for of_class in (each for each in stub.body if isinstance(each, ast.ClassDef)):
            stated += [(getattr(getattr(_native, of_class.name), each.name), each) for each in of_class.body
                       if isinstance(each, ast.FunctionDef) and not each.decorator_list]  # fmt: skip
        self.assertGreaterEqual(len(stated), 20)
        for compiled, function in stated:
            self.assertEqual(types(function), types(docstring(compiled)), function.name)

    def test_docstrings_name_arguments_that_there_are(self):
        """"name: ...", "one, other: ..." and "name(...): ..." at the beginning of a sentence."""
        stated = r"(?:(?<=\. )|(?<=\n)|(?<=; )|^)([a-z_]+(?:(?:,| and) [a-z_]+)*)(?:\([^)]*\))?: "
        met = set()
        for name in spillway.__all__:
            each = getattr(spillway, name)
            if inspect.isfunction(each):
                text = re.sub(r"\n +", lambda match: "\n" if match.group().startswith("\n\n") else " ", each.__doc__)
                told = {word for words in re.findall(stated, text) for word in re.split(r", | and ", words)}
                self.assertLessEqual(told, set(inspect.signature(each).parameters), name)
                met |= told
        self.assertGreaterEqual(len(met), 15)

    def test_every_function_has_types_and_words(self):
        self.assertTrue((Path(spillway.__file__).parent / "py.typed").exists())
        for name in spillway.__all__:
            each = getattr(spillway, name)
            if inspect.isfunction(each):
                signature = inspect.signature(each)
                annotations = [p.annotation for p in signature.parameters.values()] + [signature.return_annotation]
                self.assertNotIn(inspect.Signature.empty, annotations, name)
                self.assertTrue(each.__doc__, name)

    @needs("mypy")
    def test_the_types_hold(self):
        import subprocess
        import sys

        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--ignore-missing-imports", str(SOURCE / "src/python/spillway")],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
