"""Draw the ten simulated figures on which the pre-labeller's boxes are worst into docs/images/worst.

    make pictures

The figures are of seeds that nothing was fitted or chosen on: SETS. Gold boxes are green and thick, predicted ones
red and thin. docs/quality.md says of each what went wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from scipy.optimize import linear_sum_assignment

from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from panelwise_simulator.figures import drawn_files
from panelwise_simulator.simulated import FigureFiles
from prelabel.classic.prelabeller import CLASSIC

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "worst"
#: Difficulty, seed and number of the figures.
SETS = (("mixed", 201, 75), ("hard", 202, 50))
WORST = 10
#: A box found has at least this IoU with its own.
LEAST_IOU = 0.5
#: Pixels of a picture's longer side, and its bytes at most.
SIDE, MOST_BYTES = 420, 40_000
GOLD, PREDICTED = (0, 160, 0), (220, 0, 0)


@dataclass(frozen=True, slots=True)
class Scored:
    """A figure's boxes. missed: those of either kind without a partner. picture: WebP, b"" if none is missed."""

    name: str
    gold: int
    predicted: int
    missed: int
    picture: bytes

    @property
    def score(self) -> float:
        """F1 of the boxes."""
        return 1.0 - self.missed / (self.gold + self.predicted)


def scored(of: tuple[str, FigureFiles]) -> Scored:
    """Predict one figure, and match its boxes one to one."""
    name, drawn = of
    image = Image.open(BytesIO(drawn.image)).convert("RGB")
    caption = Caption.cut(drawn.record["caption"])
    found = CLASSIC.predict(Figure(name, "x.png", *image.size, caption, (), "", {}, {}), image)
    predicted = [each.box for each in found.subfigures]
    gold = [Box(*each["box"]) for each in drawn.truth["subfigures"]]
    overlaps = np.array([[one.iou(other) for other in predicted] for one in gold])
    rows, columns = linear_sum_assignment(-overlaps)
    matched = int((overlaps[rows, columns] >= LEAST_IOU).sum())
    missed = len(gold) + len(predicted) - 2 * matched
    return Scored(name, len(gold), len(predicted), missed, picture(image, gold, predicted) if missed else b"")


def picture(image: Image.Image, gold: Sequence[Box], predicted: Sequence[Box]) -> bytes:
    """The figure with both kinds of boxes, as WebP of at most MOST_BYTES."""
    scale = SIDE / max(image.size)
    image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    draw = ImageDraw.Draw(image)
    for boxes, colour, width in ((gold, GOLD, 5), (predicted, PREDICTED, 2)):
        for box in boxes:
            corners = box.x0 * scale, box.y0 * scale, box.x1 * scale - 1, box.y1 * scale - 1
            draw.rectangle(corners, outline=colour, width=width)
    for quality in range(70, 0, -10):
        out = BytesIO()
        image.save(out, "WEBP", quality=quality, method=6)
        if out.tell() <= MOST_BYTES:
            break
    return out.getvalue()


def main() -> None:
    """Entry point."""
    jobs = (
        (f"{kind}-{seed}-{each.record['figure_id']}", each)
        for kind, seed, count in SETS
        for each in drawn_files(count, seed=seed, difficulty=kind)
    )
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(scored, jobs, chunksize=8))
    worst = sorted(found, key=lambda each: (each.score, -each.missed, each.name))[:WORST]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.webp"):
        old.unlink()
    for each in worst:
        (FOLDER / f"{each.name}.webp").write_bytes(each.picture)
        print(f"{each.name}: F1 {each.score:.2f}, {each.gold} panels, {each.predicted} boxes")


if __name__ == "__main__":
    main()
