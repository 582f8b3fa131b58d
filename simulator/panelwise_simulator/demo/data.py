"""Write the data of the demo campaigns: `python -m panelwise_simulator.demo.data annotator/demo/data`."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from panelwise_simulator.demo.figures import demo_figures
from panelwise_simulator.demo.questions import demo_questions, write_questions
from panelwise_simulator.figures import write_figures


def write_data(folder: Path, seed: int = 0) -> None:
    """Write the compound figures into `folder`/figures, the charts into `folder`/questions.

    Images become lossless WebP, a third smaller than PNG; the records name the PNG files that the demo makes of
    them. Compressing takes a minute.
    """
    write_figures(demo_figures(seed), folder / "figures")
    write_questions(demo_questions(seed), folder / "questions")
    for drawn in sorted(folder.glob("*/*.png")):
        with Image.open(drawn) as image:
            image.save(drawn.with_suffix(".webp"), lossless=True, quality=100, method=6)
        drawn.unlink()


if __name__ == "__main__":
    write_data(Path(sys.argv[1]))
