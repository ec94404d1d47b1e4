"""Puts the page together, one file that opens from disk: bundle.py PROGRAM CORE.js PAGE.html.

Script and style are bundled by esbuild with D3, as report.html's are. CORE.js is Emscripten's. Gzipped go in: the
module, CORE.wasm, which lies beside it; the shipped files that experiments name; and report.html without its data.
The spreads of images are the percentiles that `PROGRAM images` prints of the shipped traces."""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
ROOT = WEB.parents[1]
TRACES = ROOT / "workloads" / "traces"
REPORT = ROOT / "src" / "report" / "page" / "web"
NAMED = ["platforms", "workloads/models", "workloads/traces", "workloads/orders", "workloads/measured"]
SHOWN = {"photographs (COCO)": "coco_val2017", "figures and diagrams (MathVista)": "mathvista_testmini",
         "sent to a service (ServeGen)": "servegen_image_tokens"}


def bundled(part):
    modules = os.environ.get("D3_MODULES", "/usr/share/nodejs")
    return subprocess.run(["esbuild", part, "--bundle", "--minify", "--charset=utf8", "--log-level=warning"],
                          env={**os.environ, "NODE_PATH": modules}, check=True, capture_output=True, text=True).stdout


def packed(content):
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def shipped():
    files = [file for folder in NAMED for file in sorted((ROOT / folder).rglob("*")) if file.suffix in (".json", ".csv")]
    return json.dumps({str(file.relative_to(ROOT)): file.read_text() for file in files}).encode()


def report():
    page = (REPORT / "page.html").read_text()
    return page.replace("@script@", bundled(REPORT / "main.js")).replace("@style@", bundled(REPORT / "page.css")).encode()


def spread(program, trace):
    patches = json.loads(subprocess.check_output([program, "images", TRACES / f"{trace}.csv", "--json"]))["patches"]
    return [[share, patches[key]] for share, key in ((0.01, "p1"), (0.1, "p10"), (0.5, "p50"), (0.9, "p90"),
                                                     (0.99, "p99"), (1, "max"))]


def main(program, core, page):
    spreads = [{"name": "all alike", "percentiles": [[0, 1], [1, 1]]}]
    spreads += [{"name": name, "percentiles": spread(program, trace)} for name, trace in SHOWN.items()]
    parts = {"@style@": bundled(WEB / "page" / "page.css"), "@script@": bundled(WEB / "page" / "main.js"),
             "@core@": Path(core).read_text(), "@wasm@": packed(Path(core).with_suffix(".wasm").read_bytes()),
             "@shipped@": packed(shipped()), "@report@": packed(report()),
             "@data@": json.dumps(spreads).replace("<", "\\u003c")}
    text = (WEB / "page" / "page.html").read_text()
    for place, part in parts.items():
        if "</script" in part:
            sys.exit(f"docs/web/bundle.py: {place} would end its element")
    # In one pass: the script names a place of report.html.
    Path(page).write_text(re.sub("|".join(parts), lambda place: parts[place[0]], text))


if __name__ == "__main__":
    main(*sys.argv[1:])
