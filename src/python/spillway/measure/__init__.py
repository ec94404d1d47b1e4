"""python3 -m spillway.measure: one node, measured, as a platform that the program runs.

    PYTHONPATH=build/python python3 -m spillway.measure --device cuda --out mine
    spillway run EXPERIMENT --set /platform=mine/platform.json

For whoever has no tables of the device. It needs PyTorch (1.13 or later) and about three minutes, and measures

    products         of a layer's shapes: forward, gradient of the input, gradient of the weight
    attention        forward and backward, with and without a mask
    elementwise      norm, activation, add
    launch           of an empty kernel in a row of them; and the time in which the host meets the idle device
    messages         between two devices, and all-reduces, in the node and between nodes

Every round times every case once, and rounds go on as long as --seconds last; a time is the median over the rounds.
--out gets products.csv, attention.csv and messages.csv, which `spillway calibrate` reads, elementwise.csv,
quartiles.csv with the spread of all, base.json with what follows from them at once, and platform.json: base.json as
`calibrate` fits it. Without the compiled module platform.json is base.json with its tables, and the answer says what
to run.

Sizes in bytes count two for an element, as the program does (BF16). A device that computes in float32, as a CPU does
here, gets the times that its elements take.

spillway.measure.passes measures single passes of one model instead; this is for a node and any model.
spillway.measure.memory reads what forwards keep from a memory snapshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Measured, measure

__all__ = ["Measured", "measure"]


def __getattr__(name: str) -> Any:
    """PyTorch is loaded by the first use, so that the command can say that there is none."""
    if name not in __all__:
        raise AttributeError(f"spillway.measure has no {name}")
    from . import node

    return getattr(node, name)
