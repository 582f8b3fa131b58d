"""Simulated corpora for the benchmarks of agreement: three annotators, some 3.6 subfigures and 74 tokens a figure.

Drawn once from a seed, as plain values: handed on as Annotation objects, or written as annotations JSONL some ten
times as fast as through objects. Both hold the same work.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import msgspec

from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure

ANNOTATORS = ("ann1", "ann2", "ann3")
FIRST_DAY = datetime(2026, 1, 12, 8, 30, tzinfo=UTC)
#: How many figures have 1, 2, ... subfigures, of 100: 3.6 in the mean.
_PANELS = (8, 25, 19, 20, 10, 8, 4, 3, 1, 1, 0, 1)
#: Words of a lead sentence, and of all subcaptions together (each has three marks beside its words).
_LEAD_WORDS, _WORDS = (8, 16), (34, 60)
_MARKS = (",", ".", ";")
#: Who rejects a figure; who began from a prediction; who misses a panel, or draws two as one.
_REJECTED, _SEEDED, _MISSED, _MERGED = 0.02, 0.1, 0.03, 0.01
_WORDS_USED = """
left right upper lower lobe lung liver kidney spleen heart wall mass lesion nodule cyst tumor arrow
arrowhead axial coronal sagittal contrast enhanced computed tomography magnetic resonance image images
shows showing demonstrates with without after before treatment follow up months weeks days patient
patients control mice cells expression level relative mean standard error bars represent independent
experiments stained section scale bar um magnification immunohistochemistry hematoxylin eosin western
blot representative quantification analysis curve survival ratio plot versus time dose response group
groups untreated wild type mutant protein gene the of in and a to by from at was were is are between
large small well defined irregular margin posterior anterior superior inferior view normal abnormal
signal intensity T1 T2 weighted fat suppressed
"""
_VOCABULARY = tuple(_WORDS_USED.split())


@dataclass(frozen=True, slots=True)
class Work:
    """One annotator's work on a figure. parts: label, box and the range of token ids, of each subfigure."""

    annotator: str
    status: Status
    parts: tuple[tuple[str, tuple[float, float, float, float], range], ...]
    seeded_by: str | None
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class Drawn:
    """One figure and the work on it. ranges: where its tokens stand, which are those that captions are cut to."""

    figure: str
    width: int
    height: int
    caption: str
    ranges: tuple[tuple[int, int], ...]
    work: tuple[Work, ...]


def drawn(figures: int, *, seed: int = 0) -> Iterator[Drawn]:
    """The corpus, figure by figure. The first figures of a larger one are those of a smaller."""
    source = random.Random(seed)
    for number in range(figures):
        yield _figure(f"sim-{number:06}", number, source)


def annotated(figures: int, *, seed: int = 0) -> Iterator[Annotation]:
    """The corpus as annotations, of phase 1."""
    for each in drawn(figures, seed=seed):
        figure = Figure(each.figure, "", each.width, each.height, Caption.of_ranges(each.caption, each.ranges))
        for work in each.work:
            parts = tuple(Subfigure(label, Box(*box), frozenset(tokens)) for label, box, tokens in work.parts)
            yield Annotation(
                figure, work.annotator, "1", work.status, parts, work.saved_at, seeded_by=work.seeded_by
            )


def write(path: Path, figures: int, *, seed: int = 0) -> int:
    """Write the corpus as annotations JSONL, as an export holds it; returns the bytes written."""
    encode = msgspec.json.encode
    with path.open("wb") as file:
        for each in drawn(figures, seed=seed):
            head = encode({"width": each.width, "height": each.height, "caption": each.caption})[1:-1]
            tokens = encode(each.ranges)
            name = encode(each.figure)
            for work in each.work:
                parts = [
                    {"label": label, "box": box, "subcaption": _spans(each.ranges, ids)}
                    for label, box, ids in work.parts
                ]
                tail = {"saved_at": work.saved_at.isoformat().replace("+00:00", "Z")}
                if work.seeded_by is not None:
                    tail["seeded_by"] = work.seeded_by
                file.write(
                    b'{"figure_id":%b,"annotator":%b,"phase":"1","status":%b,%b,"tokens":%b,"revision":1,'
                    b'"subfigures":%b,%b\n'
                    % (
                        name,
                        encode(work.annotator),
                        encode(work.status),
                        head,
                        tokens,
                        encode(parts),
                        encode(tail)[1:],
                    )
                )
        return file.tell()


def _spans(ranges: tuple[tuple[int, int], ...], ids: range) -> list[tuple[int, int]]:
    return [(ranges[ids[0]][0], ranges[ids[-1]][1])] if ids else []


def _figure(name: str, number: int, source: random.Random) -> Drawn:
    panels = source.choices(range(1, len(_PANELS) + 1), _PANELS)[0]
    width, height = source.randint(600, 1200), source.randint(400, 1000)
    words = [source.choice(_VOCABULARY).capitalize(), *source.choices(_VOCABULARY, k=source.randint(*_LEAD_WORDS))]
    words[-1] += "."
    # Tokens before each panel's subcaption, and its own: words and three marks beside them.
    tokens = len(words) + 1
    subcaptions = []
    for panel in range(panels):
        own = source.choices(_VOCABULARY, k=max(2, source.randint(*_WORDS) // panels))
        letter = chr(ord("A") + panel)
        words += [f"({letter})", *own]
        words[-1] += source.choice(_MARKS)
        subcaptions.append(range(tokens + 3, tokens + 3 + len(own)))
        tokens += len(own) + 4
    text = " ".join(words)
    ranges = tuple(_tokens(words))
    columns = -(-panels // (1 + (panels > 2)))
    rows = -(-panels // columns)
    boxes = []
    for panel in range(panels):
        column, row = panel % columns, panel // columns
        x0, y0 = column * width / columns, row * height / rows
        boxes.append((x0, y0, x0 + 0.96 * width / columns, y0 + 0.94 * height / rows))
    work = tuple(
        _work(annotator, number, boxes, subcaptions, len(ranges), width, height, source)
        for annotator in ANNOTATORS
    )
    return Drawn(name, width, height, text, ranges, work)


def _tokens(words: list[str]) -> Iterator[tuple[int, int]]:
    """Return the positions of the tokens of words joined by blanks, punctuation as tokens of its own."""
    starts = accumulate((len(word) + 1 for word in words), initial=0)
    for start, word in zip(starts, words, strict=False):
        end = start + len(word)
        if word[0] == "(":
            yield from ((start, start + 1), (start + 1, end - 1), (end - 1, end))
        elif word[-1] in _MARKS:
            yield from ((start, end - 1), (end - 1, end))
        else:
            yield start, end


def _work(
    annotator: str,
    number: int,
    boxes: list[tuple[float, float, float, float]],
    subcaptions: list[range],
    tokens: int,
    width: int,
    height: int,
    source: random.Random,
) -> Work:
    chance, off = source.random, source.gauss
    parts = []
    for panel, ((x0, y0, x1, y1), text) in enumerate(zip(boxes, subcaptions, strict=True)):
        if chance() < _MISSED:
            continue
        if panel + 1 < len(boxes) and chance() < _MERGED:
            x1, y1 = max(x1, boxes[panel + 1][2]), max(y1, boxes[panel + 1][3])
        spread = 0.01 * (x1 - x0)
        box = (
            round(max(0.0, x0 + off(0.0, spread)), 2),
            round(max(0.0, y0 + off(0.0, spread)), 2),
            round(min(float(width), x1 + off(0.0, spread)), 2),
            round(min(float(height), y1 + off(0.0, spread)), 2),
        )
        start, stop = text.start, text.stop
        if chance() < 0.3:
            start = max(0, start + source.randint(-3, 3))
        if chance() < 0.3:
            stop = min(tokens, stop + source.randint(-4, 4))
        parts.append((chr(ord("A") + panel), box, range(start, max(start, stop))))
    status = Status.REJECTED if chance() < _REJECTED else Status.ACCEPTED
    return Work(
        annotator,
        status,
        tuple(parts) if status is Status.ACCEPTED else (),
        "model-1" if chance() < _SEEDED else None,
        FIRST_DAY + timedelta(seconds=20 * number + ANNOTATORS.index(annotator)),
    )


def main() -> None:
    """Write a corpus: `python benchmarks/corpora.py FIGURES FILE`."""
    size = write(Path(sys.argv[2]), int(sys.argv[1]))
    print(f"{sys.argv[2]}: {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
