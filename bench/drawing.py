"""Pictures whose colours are those of src/words/colours.css, light and dark."""

from __future__ import annotations

import re
from pathlib import Path

COLOURS = Path(__file__).resolve().parent.parent / "src/words/colours.css"
RULES = (".ground{{fill:{ground}}}text{{fill:{ink}}}.bar{{fill:{series-5}}}.curve{{stroke:{series-5}}}.beside{{stroke:{muted}}}")


def schemes() -> list[dict[str, str]]:
    """The colours of the light scheme and of the dark one, by name."""
    light, dark = COLOURS.read_text(encoding="utf-8").split("@media", 1)
    return [dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+)", text)) for text in (light, dark)]


def picture(width: int, height: int, size: int, *parts: str) -> str:
    """An SVG of the parts, whose classes are bar, curve and beside; text has `size`."""
    light, dark = (RULES.format(**colours) for colours in schemes())
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
            f'font-size="{size}">\n<style>\n{light}\n@media (prefers-color-scheme:dark){{\n{dark}\n}}</style>\n'
            f'<path d="M0 0h{width}v{height}h-{width}z" class="ground"/>\n{"".join(parts)}</svg>\n')  # fmt: skip
