"""Puts the page together, one file that opens from disk: bundle.py PROGRAM CORE.js PAGE.html.

Script and style are bundled by esbuild with D3, as report.html's are; CORE.js is Emscripten's, and
beside it lies the module, CORE.wasm, which goes in gzipped; the spreads of images are the percentiles that `PROGRAM images` prints of the shipped traces."""

import base64
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
TRACES = WEB.parents[1] / "workloads" / "traces"
SHOWN = {"photographs (COCO)": "coco_val2017", "figures and diagrams (MathVista)": "mathvista_testmini",
         "sent to a service (ServeGen)": "servegen_image_tokens"}


def bundled(part):
    modules = os.environ.get("D3_MODULES", "/usr/share/nodejs")
    return subprocess.run(["esbuild", WEB / "page" / part, "--bundle", "--minify", "--charset=utf8", "--log-level=warning"],
                          env={**os.environ, "NODE_PATH": modules}, check=True, capture_output=True, text=True).stdout


def spread(program, trace):
    patches = json.loads(subprocess.check_output([program, "images", TRACES / f"{trace}.csv", "--json"]))["patches"]
    return [[share, patches[key]] for share, key in ((0.01, "p1"), (0.1, "p10"), (0.5, "p50"), (0.9, "p90"),
                                                     (0.99, "p99"), (1, "max"))]


def main(program, core, page):
    spreads = [{"name": "all alike", "percentiles": [[0, 1], [1, 1]]}]
    spreads += [{"name": name, "percentiles": spread(program, trace)} for name, trace in SHOWN.items()]
    parts = {"@style@": bundled("page.css"), "@script@": bundled("main.js"), "@core@": Path(core).read_text(),
             "@wasm@": base64.b64encode(gzip.compress(Path(core).with_suffix(".wasm").read_bytes(), mtime=0)).decode(),
             "@data@": json.dumps(spreads).replace("<", "\\u003c")}
    text = (WEB / "page" / "page.html").read_text()
    for place, part in parts.items():
        if "</script" in part:
            sys.exit(f"docs/web/bundle.py: {place} would end its element")
        text = text.replace(place, part)
    Path(page).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
