"""The metric on plain Python values: boxes as four numbers, token ids as sets or lists, work as dicts.

    score_figure([([0, 0, 100, 100], {4, 6})], [([0, 0, 100, 90], {4})]).mean

Nothing here needs a store, a campaign or a domain type. A subfigure is a pair (box, tokens), a dict with the keys
`box` and `tokens` (and `label` and `score`, if it has them), or a `Panel`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil, isfinite
from operator import index
from typing import Any

from agreement.columns.raw import RawAnnotation, Submitted
from agreement.columns.scored import ScoredAnnotation
from agreement.primitives.token_f1 import counted_words
from agreement.score.subfigure_f1 import MIN_IOU, FigureScore, Mode, Panel, subfigure_f1
from panelwise.domain import Annotation, Box, Caption, Figure, InvalidAnnotation, Status, Subfigure, letters

#: A subfigure: (box, tokens), {"box": ..., "tokens": ..., "label": ..., "score": ...} or a Panel.
Part = Panel | Mapping[str, Any] | Sequence[Any]
#: A caption: its text, which is split into the default tokens, or its words.
Words = str | Sequence[str]

#: Time of plain work, which has none of its own.
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
#: Largest token id without a caption, since one must be made up.
_MOST_TOKENS = 100_000


def score_figure(
    gold: Iterable[Part],
    predicted: Iterable[Part],
    *,
    words: Words | None = None,
    min_iou: float = MIN_IOU,
    mode: Mode | str = Mode.PAPER,
    gold_common: Collection[int] = (),
    predicted_common: Collection[int] = (),
) -> FigureScore:
    """Score one figure's subfigures against another's, gold first; see `subfigure_f1`, which this is.

    words: the caption; only its alphanumeric tokens count, None counts every id. *_common: tokens to take from
    that side first. mode: also by name, "paper" or "official-code".

    >>> from agreement import score_figure
    >>> words = "Fig 1 : ( a ) left lung lesion ( b ) right lung".split()
    >>> gold = [([0, 0, 100, 100], {4, 6, 7, 8}), ([100, 0, 200, 100], {10, 12, 13})]
    >>> found = score_figure(gold, [([0, 0, 100, 90], [4, 6, 7, 12])], words=words)
    >>> found.f1s, found.mean
    ((0.75, 0.0), 0.375)

    Without a subfigure that counts there is no score, and each subfigure has a reason:

    >>> found = score_figure([([0, 0, 9, 9], {3, 5})], [], words=words)
    >>> found.mean is None, found.reasons[0].value
    (True, 'no counted token')

    Raises InvalidAnnotation (a ValueError) for a box that is not four finite numbers in order, for a token that is
    no whole number from 0 up, or none of the caption's, and for None in place of the subfigures; ValueError for an
    unknown mode.
    """
    ours, theirs = panels_from(gold), panels_from(predicted)
    used = {token for panel in (*ours, *theirs) for token in panel.tokens}
    if words is None:
        counted = frozenset(used)
    else:
        listed = _caption(words).words if isinstance(words, str) else words
        if used and max(used) >= len(listed):
            raise InvalidAnnotation(f"token {max(used)} of {len(listed)}; give the words that the ids count")
        counted = counted_words(listed)
    return subfigure_f1(
        ours,
        theirs,
        counted=counted,
        min_iou=min_iou,
        mode=Mode(mode),
        gold_common=frozenset(gold_common),
        other_common=frozenset(predicted_common),
    )


def panels_from(parts: Iterable[Part] | None) -> tuple[Panel, ...]:
    """Convert plain subfigures to panels. Boxes may lack area and ids repeat: the mode decides on these.

    >>> panels_from([{"box": [0, 0, 9, 9], "tokens": [1, 1]}])
    (Panel(box=(0.0, 0.0, 9.0, 9.0), tokens=(1, 1)),)

    Raises InvalidAnnotation; see `score_figure`. So does None, which is no work, and never an empty one.
    """
    if parts is None:
        raise InvalidAnnotation(
            "subfigures are None, which has no score; give a list, [] for a figure without any"
        )
    return tuple(_panel(part, f"subfigure {place}") for place, part in enumerate(parts))


def annotations_from(
    work: Mapping[str, Mapping[str, Iterable[Part] | None]],
    *,
    words: Mapping[str, Words] | None = None,
    sizes: Mapping[str, tuple[int, int]] | None = None,
    phase: str = "1",
    raw: bool = False,
) -> list[Submitted]:
    """Annotations of plain work, for `report_on`, `pair_scores`, `comparison`, `merge_candidates` and the rest.

    work: annotator -> figure id -> subfigures; None instead of them for a figure that the annotator rejected.
    Figures of which every subfigure has a `score`, in [0, 1], are a model's.
    words: figure id -> caption; without it every token counts. sizes: figure id -> (width, height) in pixels;
    without it as far as the boxes reach. raw: keep boxes without area and repeated ids, for official-code. A
    subfigure without a label is A, B, ... by its place.

    >>> from agreement import annotations_from, mean_of_pairs, pair_scores
    >>> work = {
    ...     "ann1": {"fig1": [{"label": "A", "box": [0, 0, 100, 100], "tokens": [4, 6, 7, 8]}]},
    ...     "ann2": {"fig1": [{"label": "A", "box": [0, 0, 100, 90], "tokens": [4, 6, 7]}]},
    ... }
    >>> annotations = annotations_from(work, words={"fig1": "Fig 1: (a) left lung lesion (b) right lung"})
    >>> round(mean_of_pairs(pair_scores(annotations)), 6)
    0.857143

    Raises InvalidAnnotation (a ValueError) as `score_figure` does, also for a box without area unless `raw`, a box
    outside the size given, and a token that is none of the caption's.
    """
    panels = {
        name: {figure: None if parts is None else list(parts) for figure, parts in figures.items()}
        for name, figures in work.items()
    }
    checked = {
        (name, figure): tuple(
            _panel(part, f'"{figure}" by {name}, subfigure {place}') for place, part in enumerate(parts or ())
        )
        for name, figures in panels.items()
        for figure, parts in figures.items()
    }
    figures = _figures(checked, words or {}, sizes or {})
    made: list[Submitted] = []
    for (name, figure), found in checked.items():
        parts = panels[name][figure]
        status = Status.REJECTED if parts is None else Status.ACCEPTED
        scores = _scores(parts or (), f'"{figure}" by {name}')
        if raw:
            listed = tuple(panel.tokens for panel in found)
            made.append(
                RawAnnotation(figures[figure], name, phase, status, found, listed, _NO_TIME, scores=scores)
            )
            continue
        subfigures = tuple(
            Subfigure(_label(part, letter), Box(*panel.box), frozenset(panel.tokens))
            for part, panel, letter in zip(parts or (), found, letters(), strict=False)
        )
        if scores is None:
            made.append(Annotation(figures[figure], name, phase, status, subfigures, _NO_TIME))
        else:
            made.append(
                ScoredAnnotation(figures[figure], name, phase, status, subfigures, _NO_TIME, scores=scores)
            )
    return made


def _figures(
    work: Mapping[tuple[str, str], tuple[Panel, ...]],
    words: Mapping[str, Words],
    sizes: Mapping[str, tuple[int, int]],
) -> dict[str, Figure]:
    """Map figure ids to figures; missing captions and sizes are made up."""
    drawn: dict[str, list[Panel]] = {}
    for (_, figure), panels in work.items():
        drawn.setdefault(figure, []).extend(panels)
    figures = {}
    for figure, boxes in drawn.items():
        used = max((token for panel in boxes for token in panel.tokens), default=-1)
        if figure in words:
            caption = _caption(words[figure])
            if used >= len(caption.ranges):
                raise InvalidAnnotation(
                    f'"{figure}": token {used} of {len(caption.ranges)}; give the words that the ids count'
                )
        elif used >= _MOST_TOKENS:
            raise InvalidAnnotation(f'"{figure}": token {used} of a caption that is not given; give its words')
        else:
            caption = _caption([f"w{token}" for token in range(used + 1)])
        width = ceil(max((panel.box[2] for panel in boxes), default=1))
        height = ceil(max((panel.box[3] for panel in boxes), default=1))
        size = sizes.get(figure, (max(width, 1), max(height, 1)))
        figures[figure] = Figure(figure, "", size[0], size[1], caption)
    return figures


def _caption(words: Words) -> Caption:
    if isinstance(words, str):
        return Caption.cut(words)
    ranges, end = [], 0
    for word in words:
        ranges.append((end, end + len(word)))
        end += len(word) + 1
    return Caption.of_ranges(" ".join(words), tuple(ranges))


def _label(part: Part, letter: str) -> str:
    """Return the part's label, else the letter of its position."""
    given = part.get("label") if isinstance(part, Mapping) else None
    return letter if given is None else str(given)


def _scores(parts: Sequence[Part], where: str) -> tuple[float, ...] | None:
    """Return the confidence of each subfigure; None if one has no score, or without subfigures."""
    given = [part.get("score") if isinstance(part, Mapping) else None for part in parts]
    scores = [score for score in given if score is not None]
    if not scores or len(scores) < len(given):
        return None
    for score in scores:
        # NaN is in no range either.
        if not (isinstance(score, int | float) and 0.0 <= score <= 1.0):
            raise InvalidAnnotation(f"{where}: score {score!r} lies outside [0, 1]")
    return tuple(float(score) for score in scores)


def _panel(part: Part, where: str) -> Panel:
    box: Any
    tokens: Any
    if isinstance(part, Panel):
        box, tokens = part.box, part.tokens
    elif isinstance(part, Mapping):
        missing = [key for key in ("box", "tokens") if key not in part]
        if missing:
            raise InvalidAnnotation(f'{where} has no "{missing[0]}"; give box and tokens')
        box, tokens = part["box"], part["tokens"]
    else:
        try:
            box, tokens = part
        except (TypeError, ValueError):
            raise InvalidAnnotation(f"{where} is no pair of a box and tokens; give both") from None
    return Panel(_box(box, where), _tokens(tokens, where))


def _box(box: Any, where: str) -> tuple[float, float, float, float]:
    try:
        x0, y0, x1, y1 = (float(edge) for edge in box)
    except (TypeError, ValueError, OverflowError):
        raise InvalidAnnotation(f"{where}: box is not four numbers; give x0 y0 x1 y1") from None
    if not (isfinite(x0) and isfinite(y0) and isfinite(x1) and isfinite(y1)):
        raise InvalidAnnotation(f"{where}: box [{x0}, {y0}, {x1}, {y1}] has a coordinate that is no finite number")
    if x0 > x1 or y0 > y1:
        raise InvalidAnnotation(f"{where}: box [{x0}, {y0}, {x1}, {y1}] is inverted; give x0 y0 x1 y1")
    return x0, y0, x1, y1


def _tokens(tokens: Any, where: str) -> tuple[int, ...]:
    try:
        ids = tuple(index(token) for token in tokens)
    except TypeError:
        raise InvalidAnnotation(f"{where}: tokens are no whole numbers; give the ids of words") from None
    if ids and min(ids) < 0:
        raise InvalidAnnotation(f"{where}: token {min(ids)} cannot be; ids count from 0")
    return ids
