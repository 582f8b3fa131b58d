"""Panel letters by optical character recognition: an optional reader, and what its words say about the panels.

The search by shape (`find`) has nothing to reject a wrong letter with and misses unusual print; a recogniser reads
what is printed. RapidOCR comes with panelwise[ocr], its models in its wheel.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from statistics import median
from typing import Any, Protocol

import numpy as np
from PIL import Image

from prelabel.panels.canvas import Rect
from prelabel.panels.letters.find import MOST_NAMES, Letter, letter_names

#: Longer sides are read at this many pixels.
READING_SIDE = 960

#: Words of a lower confidence are not believed.
CONFIDENT = 0.9

#: A letter's width is at most this many times its height for each of its characters, brackets included.
WIDEST = 1.2

#: Letters of one figure are of similar size: the highest is at most this many times the middle one, or vice versa.
LIKE_SIZE = 1.6

#: A letter that stands further from where it was found by shape than this many times its height is another one.
ELSEWHERE = 2.0

#: Without a caption's labels, letters that run on are panels' if this share of them was read.
MOST = 0.6

_ALONE = re.compile(r"[(\[]?([A-Za-z]{1,4}\d{0,2}'?|\d{1,2})[)\].:]?")
_BEFORE_TITLE = re.compile(r"(?:[(\[]([A-Za-z]{1,4}\d{0,2}|\d{1,2})[)\]]|([A-Za-z])[).:])\s*\S")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or line that was recognised. rect: in shares of the image, (x0, y0, x1, y1); confidence: [0, 1]."""

    rect: tuple[float, float, float, float]
    text: str
    confidence: float


class Recogniser(Protocol):
    """Reads what is printed in an image. It is sent to other processes, so it must pickle."""

    @property
    def version(self) -> str:
        """Name and version, part of the version of predictions made with it."""
        ...

    def words(self, image: Image.Image) -> Sequence[Word]:
        """The words printed in an RGB image."""
        ...


class RapidOcr:
    """RapidOCR's default models on one thread; they are loaded when the first image is read, once a process."""

    version = "ocr"

    def words(self, image: Image.Image) -> Sequence[Word]:
        """The words printed in an RGB image of any size."""
        scale = min(1.0, READING_SIDE / max(image.size))
        width, height = (max(1, round(side * scale)) for side in image.size)
        pixels = np.asarray(image.resize((width, height), Image.Resampling.LANCZOS))
        found = _engine()(np.ascontiguousarray(pixels[:, :, ::-1]))
        if found.boxes is None:
            return ()
        words = []
        for corners, text, confidence in zip(found.boxes, found.txts, found.scores, strict=True):
            (x0, y0), (x1, y1) = np.min(corners, axis=0).tolist(), np.max(corners, axis=0).tolist()
            words.append(Word((x0 / width, y0 / height, x1 / width, y1 / height), text, float(confidence)))
        return words


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    # It announces its models at every start.
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    return RapidOCR(params={**threads, "Global.use_cls": False, "Global.log_level": "error"})


def ocr_installed() -> bool:
    """Return whether the packages of panelwise[ocr] are there."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def read_letters(
    words: Iterable[Word], labels: Sequence[str], shape: tuple[int, int]
) -> tuple[tuple[Letter, ...], tuple[str, ...]]:
    """The panel letters among the words, in the order of the labels, and the labels.

    labels: the panels' names in the caption; without any, those from A or a to the last letter, if most were read.
    shape: (height, width) of the canvas that the letters' places are in. A letter read twice is not believed.
    """
    found = _of_like_size(list(_candidates(words, shape)))
    if labels:
        names = _spelled(labels)
        found = [
            Letter(each.rect, names[key], each.likeness)
            for each in found
            if (key := each.label if each.label in names else each.label.casefold()) in names
        ]
        order = list(labels)
    else:
        order = _run(found)
    by_label: dict[str, list[Letter]] = {}
    for each in _of_like_size([each for each in found if each.label in order]):
        by_label.setdefault(each.label, []).append(each)
    return tuple(by_label[label][0] for label in order if len(by_label.get(label, ())) == 1), tuple(order)


def merge_letters(found: Sequence[Letter], read: Sequence[Letter], labels: Sequence[str]) -> tuple[Letter, ...]:
    """Letters found by shape with those recognised: where they differ about a label's place, the latter hold."""
    merged = {each.label: each for each in found}
    for each in read:
        by_shape = merged.get(each.label)
        if by_shape is None or _apart(by_shape.rect, each.rect):
            merged[each.label] = each
    return tuple(merged[label] for label in labels if label in merged)


def _candidates(words: Iterable[Word], shape: tuple[int, int]) -> Iterable[Letter]:
    """Words that may be a panel's letter, and letters before a panel's title, in pixels of the canvas."""
    height, width = shape
    for word in words:
        text = word.text.strip()
        x0, y0, x1, y1 = (
            round(share * side) for share, side in zip(word.rect, (width, height, width, height), strict=True)
        )
        if word.confidence < CONFIDENT or y1 <= y0 or x1 <= x0:
            continue
        if alone := _ALONE.fullmatch(text):
            if x1 - x0 <= WIDEST * (y1 - y0) * max(1, len(text)):
                yield Letter((x0, y0, x1, y1), alone[1], word.confidence)
        elif before := _BEFORE_TITLE.match(text):
            marker = before.end() - 1
            yield Letter(
                (x0, y0, x0 + max(1, (x1 - x0) * marker // len(text)), y1), before[1] or before[2], word.confidence
            )


def _spelled(labels: Sequence[str]) -> dict[str, str]:
    """The labels by how they may be printed: as written, and where no other label is so, in lower case."""
    folded = [label.casefold() for label in labels]
    return {
        **{fold: label for fold, label in zip(folded, labels, strict=True) if folded.count(fold) == 1},
        **{label: label for label in labels},
    }


def _run(found: Sequence[Letter]) -> list[str]:
    """The letters from "a" or "A" to the last that was read, if most of them were; none of fewer than two."""
    seen = {each.label for each in found}
    runs = []
    capitals = letter_names(MOST_NAMES)
    for run in ([name.lower() for name in capitals], list(capitals)):
        last = max(
            (
                count
                for count in range(2, MOST_NAMES + 1)
                if run[count - 1] in seen and len(seen & set(run[:count])) >= MOST * count
            ),
            default=0,
        )
        runs.append(run[:last])
    return max(runs, key=len)


def _of_like_size(letters: list[Letter]) -> list[Letter]:
    if not letters:
        return []
    middle = median(letter.rect[3] - letter.rect[1] for letter in letters)
    return [
        letter for letter in letters if middle / LIKE_SIZE <= letter.rect[3] - letter.rect[1] <= middle * LIKE_SIZE
    ]


def _apart(one: Rect, other: Rect) -> bool:
    reach = ELSEWHERE * max(one[3] - one[1], other[3] - other[1])
    return (
        abs(one[0] + one[2] - other[0] - other[2]) > 2 * reach
        or abs(one[1] + one[3] - other[1] - other[3]) > 2 * reach
    )
