"""Builds by CMake, and puts what it installs into the wheel: the package, the program, what is shipped, manual pages.

CMake builds in build/, as `make build` does, so nothing is compiled twice. For another Python than /usr/bin/python3 it
builds in build-python/. SPILLWAY_BUILD names a folder in which all is built already."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MADE_FOR = "/usr/bin/python3"  # what a build takes unless it is told otherwise (src/python/CMakeLists.txt)
PACKAGES = "lib/python3/dist-packages"  # below the prefix, as in cmake/install.cmake


def build_folder() -> Path:
    if "SPILLWAY_BUILD" in os.environ:
        return Path(os.environ["SPILLWAY_BUILD"]).resolve()
    same = os.path.realpath(sys.executable) == os.path.realpath(MADE_FOR)
    return Path("build" if same else "build-python").resolve()


BUILD = build_folder()
WHEEL = BUILD / "wheel"  # what setuptools writes would lie among the sources otherwise


def build() -> None:
    if "SPILLWAY_BUILD" in os.environ:
        return
    python = [] if BUILD.name == "build" else [f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "--preset", "release", "-B", BUILD, *python], check=True)
    if subprocess.run(["ninja", "-C", BUILD, "-t", "query", "spillway_python"], capture_output=True).returncode:
        sys.exit("setup.py: the module needs pybind11 and Python's headers (Debian: pybind11-dev, python3-dev)")
    subprocess.run(["ninja", "-C", BUILD, "spillway", "spillway_python"], check=True)


class Installed(build_ext):
    """The package from where CMake installs it, and its other files as data of the wheel, below the prefix."""

    def run(self) -> None:
        build()
        stage = WHEEL / "stage"
        shutil.rmtree(stage, ignore_errors=True)
        for component in ("program", "python"):
            subprocess.run(
                ["cmake", "--install", BUILD, "--prefix", stage, "--component", component, "--strip"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        shutil.rmtree(self.build_lib, ignore_errors=True)  # files of an earlier build
        self.copy_tree(str(stage / PACKAGES), self.build_lib)
        parts = ("bin", "lib/spillway", "share")
        beside = [file for part in parts for file in (stage / part).rglob("*") if file.is_file()]
        folders = sorted({file.parent for file in beside})
        self.distribution.data_files = [
            (str(folder.relative_to(stage)), sorted(str(file) for file in beside if file.parent == folder))
            for folder in folders
        ]

    def get_outputs(self) -> list:
        return []


WHEEL.mkdir(parents=True, exist_ok=True)
setup(
    packages=[],
    ext_modules=[Extension("spillway._native", sources=[])],  # the wheel is of one Python and one machine
    cmdclass={"build_ext": Installed},
    options={"build": {"build_base": str(WHEEL / "made")}, "egg_info": {"egg_base": str(WHEEL)}},
)
