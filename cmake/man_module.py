"""man_module.py MODULE VERSION: the manual page of `python3 -m MODULE`, of what its --help and its documentation say."""

import importlib
import os
import re
import subprocess
import sys

module, version = sys.argv[1:]


def plain(text: str) -> str:
    """As text that troff leaves alone."""
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e")).replace("-", "\\-")


environment = {**os.environ, "COLUMNS": "80"}
told = subprocess.run(
    [sys.executable, "-m", module, "--help"], check=True, capture_output=True, text=True, env=environment
).stdout
usage, does, options = told.strip().split("\n\n", 2)
documentation = importlib.import_module(module).__doc__.strip()
print(f'.TH "{module.upper()}" 1 "" "spillway {version}" "Spillway"')
print(f".SH NAME\n{plain(module)} \\- {plain(does)}")
print(f".SH USAGE\n.nf\n{plain(usage.replace('usage: ' + module, 'python3 -m ' + module))}\n\n{plain(options)}\n.fi")
print(f".SH DESCRIPTION\n.nf\n{plain(documentation)}\n.fi\n.SH SEE ALSO\n.BR spillway (1)")
