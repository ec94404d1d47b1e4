from __future__ import annotations

import argparse
import os
import statistics
import sys

try:
    import torch  # noqa: F401
except ImportError:
    sys.exit("spillway.measure: expected PyTorch (Debian: python3-torch), found none")

from ..errors import InputError  # noqa: E402
from ..runtime.arguments import BACKENDS, at_least_one, positive  # noqa: E402
from .device import DTYPES  # noqa: E402
from .node import Measured, measure  # noqa: E402

UNITS = {"products": "TFLOP/s", "attention": "TFLOP/s", "elementwise": "TB/s"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="spillway.measure", description="Measures a node, as a platform that runs.")
    parser.add_argument("--device", default="cpu", help=f"{', '.join(BACKENDS)}; only cpu has been tried (default cpu)")
    parser.add_argument("--seconds", type=positive, default=180, help="in all, about (default 180)")
    parser.add_argument("--out", default="measured", help="a folder (default measured)")
    parser.add_argument("--threads", type=at_least_one, default=1, help="of a CPU: the cores of one device (default 1)")
    parser.add_argument("--dtype", help=f"{', '.join(DTYPES)} (default: float32 on a CPU, else bfloat16)")
    parser.add_argument("--attention", help="fused or plain (default: fused, where PyTorch has it)")
    return parser.parse_args()


def lines(measured: Measured) -> list[str]:
    node = measured.node
    said = [f"{node.source}: {node.times[0].rounds} rounds; {node.attention}", ""]
    said += [f"  {'measured':12} cases  fastest            spread"]
    for group, unit in UNITS.items():
        times = node.of(group)
        fastest = max(each.case.work / each.median_s for each in times) / 1e12
        spread = statistics.median((each.high_s - each.low_s) / each.median_s for each in times)
        said.append(f"  {group:12} {len(times):5}  {fastest:9.3g} {unit:7} {100 * spread:5.1f} %")
    said += [f"  a launch takes {node.single_us('launch'):.3g} us, and the host meets an idle device in "
             f"{node.single_us('synchronisation'):.3g} us"]  # fmt: skip
    for each in node.messages:
        if each.size in (1024, 1024**2, 64 * 1024**2):
            among = f"{each.operation} among {each.devices}, {each.neighbours} in a node"
            said.append(f"  {among}: {each.size} bytes in {1e6 * each.median_s:.4g} us ({each.repeats} times)")
    said += ["", "spread: the middle half of a case's times over their median, in the median of the cases"]
    return said + warnings(measured) + [""] + ending(measured)


def warnings(measured: Measured) -> list[str]:
    node, said = measured.node, []
    if node.device.taken_by_others > 0.1:
        said.append(
            f"warning: other programs had the core for {100 * node.device.taken_by_others:.0f} % of the time. Times are of the "
            "processor, which leave waits out, but not what a shared cache and clock cost. Messages are by the wall clock"
        )
    if node.without_messages:
        said.append(f"warning: {node.without_messages}: latency and bandwidth of {measured.platform} are assumed")
    return said


def ending(measured: Measured) -> list[str]:
    file, folder = measured.platform, measured.folder
    if measured.fit is None:
        tables = " ".join(os.path.join(folder, f"{name}.csv") for name in ("products", "attention", "messages"))
        return [f"The compiled module is missing, so nothing is fitted: {file} states what was measured. To fit it:",
                f"  spillway calibrate {tables} --platform {os.path.join(folder, 'base.json')} --out {file}"]  # fmt: skip
    return [f"wrote {file}; to use it: spillway run EXPERIMENT --set /platform={file}"]


def main() -> int:
    given = vars(arguments())
    try:
        measured = measure(given.pop("device"), **given)
    except InputError as error:
        if os.environ.get("RANK", "0") == "0":
            print(error, file=sys.stderr)
        return 2
    if measured:
        print("\n".join(lines(measured)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
