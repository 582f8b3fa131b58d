"""Draw the pictures of docs/explanation into docs/images/agreement; with --check, only say whether they are fresh.

What they show is computed: see agreement_pictures/worked*.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from agreement_pictures import draw_beyond, draw_score
from agreement_pictures.canvas import Sheet

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "agreement"
DRAWN: tuple[Callable[[], Sheet], ...] = (
    draw_score.draw_gate,
    draw_score.draw_token_f1,
    draw_score.draw_pairs,
    draw_score.draw_roles,
    draw_score.draw_counts,
    draw_score.draw_interval,
    draw_score.draw_losses,
    draw_score.draw_boxes,
    draw_score.draw_worst,
    draw_score.draw_seeded,
    draw_beyond.draw_alpha,
    draw_beyond.draw_kappa,
    draw_beyond.draw_masi,
    draw_beyond.draw_consensus,
    draw_beyond.draw_drift,
    draw_beyond.draw_phases,
    draw_beyond.draw_repeats,
    draw_beyond.draw_ranking,
    draw_beyond.draw_sweep,
    draw_beyond.draw_precision,
)


def files() -> dict[str, str]:
    """File name -> SVG of every picture."""
    sheets = [draw() for draw in DRAWN]
    return {f"{sheet.name}.svg": sheet.svg() for sheet in sheets}


def stale(folder: Path = FOLDER) -> list[str]:
    """Names of pictures that are missing, other than drawn, or no longer drawn."""
    fresh = files()
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    return sorted(name for name in fresh.keys() | there.keys() if fresh.get(name) != there.get(name))


def main() -> int:
    if "--check" in sys.argv:
        found = stale()
        if found:
            print(f"docs/images/agreement: {', '.join(found)} stale; run scripts/draw_agreement_pictures.py")
        return 1 if found else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
