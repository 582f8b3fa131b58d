"""Checks on boxes, labels and subcaptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from annotator.checks.rules import catalogue as checks
from panelwise.domain import Annotation, Box, Caption, Decision, Figure, Finding, Phase, Subfigure, repeated_labels
from prelabel.captions import ParsedCaption, parse_caption

#: A box may pass the image's edge by this many pixels before that is worth a word.
EDGE = 0.1
#: A side below both this many pixels and this share of the image's side is a slip of the mouse.
TINY_PIXELS, TINY_SHARE = 16.0, 0.03
#: Two boxes overlap if the common part is wider and higher than this many pixels, and than this share of the
#: smaller box.
OVERLAP_PIXELS, OVERLAP_SHARE = 10.0, 0.1
#: Pairs of overlapping boxes that are named.
MOST_OVERLAPS = 20
#: From this share of the smaller box on it lies within the other.
WITHIN_SHARE = 0.95
#: The least probability of a caption's reading for warnings about missing panels.
SURE = 0.8


def subfigure_findings(work: Annotation | Decision, phase: Phase) -> Iterator[Finding]:
    """Yield findings in the subfigures of accepted work. In a blind phase, the boxes are fixed and not checked."""
    figure, subfigures = work.figure, work.subfigures
    if not subfigures:
        yield checks.NOTHING_MARKED.found(
            "the figure is accepted without subfigures; draw them, or reject the figure"
        )
        return
    if not phase.blind:
        yield from _labels(subfigures)
        yield from _boxes(figure, subfigures)
    parsed = _parsed(figure.caption)
    yield from _texts(figure.caption, subfigures, phase, parsed)
    yield from _against_caption(figure.caption, subfigures, parsed)


# Annotators of one figure come one after the other.
@lru_cache(maxsize=64)
def _parsed(caption: Caption) -> ParsedCaption:
    return parse_caption(caption)


def _labels(subfigures: Sequence[Subfigure]) -> Iterator[Finding]:
    for label in repeated_labels(subfigures):
        yield checks.LABEL_REPEATED.found(
            f'label "{label}" is on more than one box; use a different label for each subfigure', label
        )


def _boxes(figure: Figure, subfigures: Sequence[Subfigure]) -> Iterator[Finding]:
    for each in subfigures:
        box = each.box
        if not box.inside(figure.width, figure.height, slack=EDGE):
            yield checks.BOX_OUTSIDE.found(
                f'the box of "{each.label}" passes the edge of the image; draw it within', each.label
            )
        if _tiny(box.width, figure.width) or _tiny(box.height, figure.height):
            yield checks.BOX_TINY.found(
                f'the box of "{each.label}" is {box.width:.0f} x {box.height:.0f} pixels; '
                "draw the whole subfigure, or remove it",
                each.label,
            )
    yield from _overlaps(subfigures)


def _tiny(side: float, whole: int) -> bool:
    return side < TINY_PIXELS and side < TINY_SHARE * whole


def _overlaps(subfigures: Sequence[Subfigure]) -> list[Finding]:
    """Findings for pairs of boxes that overlap, in the order drawn: MOST_OVERLAPS, and one if there are more."""
    by_left = sorted(range(len(subfigures)), key=lambda place: subfigures[place].box.x0)
    found: list[tuple[int, int, Finding]] = []
    for at, place in enumerate(by_left):
        for other in islice(by_left, at + 1, None):
            if subfigures[other].box.x0 >= subfigures[place].box.x1:
                break
            one, two = sorted((place, other))
            found += [(one, two, each) for each in _overlap(subfigures[one], subfigures[two])]
            if len(found) > MOST_OVERLAPS:
                more = checks.BOXES_OVERLAP.found(
                    f"more than {MOST_OVERLAPS} pairs of boxes overlap; remove copies"
                )
                return [each for *_, each in sorted(found[:-1], key=_places)] + [more]
    return [each for *_, each in sorted(found, key=_places)]


def _places(found: tuple[int, int, Finding]) -> tuple[int, int]:
    return found[:2]


def _overlap(one: Subfigure, other: Subfigure) -> Iterator[Finding]:
    width, height = _common(one.box, other.box)
    if min(width, height) <= OVERLAP_PIXELS:
        return
    smaller = one if one.box.area <= other.box.area else other
    larger = other if smaller is one else one
    share = width * height / smaller.box.area
    if share <= OVERLAP_SHARE:
        return
    if share >= WITHIN_SHARE:
        message = f'the box of "{smaller.label}" lies within that of "{larger.label}"; keep both only for an inset'
    else:
        message = (
            f'the box of "{smaller.label}" has {share:.0%} of its area in common with that of "{larger.label}"; '
            "draw both to their own edges"
        )
    yield checks.BOXES_OVERLAP.found(message, smaller.label)


def _common(one: Box, other: Box) -> tuple[float, float]:
    """Return width and height of two boxes' intersection, 0 without one."""
    return (
        max(0.0, min(one.x1, other.x1) - max(one.x0, other.x0)),
        max(0.0, min(one.y1, other.y1) - max(one.y0, other.y0)),
    )


def _texts(
    caption: Caption, subfigures: Sequence[Subfigure], phase: Phase, parsed: ParsedCaption
) -> Iterator[Finding]:
    # A caption that names no panels has no words for any one of them.
    expected = bool(parsed.labels) or any(each.subcaption for each in subfigures)
    for each in subfigures:
        if phase.single_span:
            spans = len(_runs(caption, each.subcaption))
            if spans > 1:
                yield checks.SEVERAL_SPANS.found(
                    f'the text of "{each.label}" is {spans} spans; this phase asks for one if possible', each.label
                )
        if not each.subcaption and expected:
            yield checks.TEXT_MISSING.found(
                f'subfigure "{each.label}" has no text; mark the words of the caption that describe it, if any do',
                each.label,
            )


def _runs(caption: Caption, tokens: frozenset[int]) -> list[int]:
    """Return the first token of each run of tokens without words between them."""
    wanted = sorted(tokens)
    words = caption.words
    return wanted[:1] + [
        after
        for before, after in pairwise(wanted)
        if any(words[between].isalnum() for between in range(before + 1, after))
    ]


def _against_caption(
    caption: Caption, subfigures: Sequence[Subfigure], parsed: ParsedCaption
) -> Iterator[Finding]:
    """Find panels of the caption without a box, boxes that it does not name, and texts of another panel."""
    if not parsed.lettered or parsed.confidence < SURE or len(parsed.labels) < 2:
        return
    named = {_plain(label): label for label in parsed.labels}
    drawn = {_plain(each.label) for each in subfigures}
    if not drawn & named.keys():
        # The labels are of another kind, as where the caption has numbers and the palette letters.
        return
    for plain, label in named.items():
        if plain not in drawn and not any(_within(plain, each) for each in drawn):
            yield checks.BOX_MISSING.found(
                f'the caption describes a panel "{label}" that has no box; draw it, with its text', label
            )
    for each in subfigures:
        plain = _plain(each.label)
        if plain not in named and not any(_within(plain, every) or _within(every, plain) for every in named):
            yield checks.LABEL_NOT_IN_CAPTION.found(
                f'label "{each.label}" is none that the caption uses ({", ".join(parsed.labels)}); look again',
                each.label,
            )
    yield from _order(caption, subfigures, list(named))


def _plain(label: str) -> str:
    """A label as one compares it: "(a)", "A" and "a." are one."""
    return "".join(each for each in label.casefold() if each.isalnum()) or label


def _within(whole: str, part: str) -> bool:
    """Return whether a label is a part of another panel: "ai" of "a", "a2" of "a"."""
    return len(part) > len(whole) and part.startswith(whole)


def _order(caption: Caption, subfigures: Sequence[Subfigure], named: Sequence[str]) -> Iterator[Finding]:
    """Texts of two panels whose order is not their labels'.

    The order is that of the panels' own texts; shared text may be anywhere.
    """
    shared = Counter(token for each in subfigures for token in each.subcaption)
    begins: dict[str, tuple[int, str]] = {}
    for each in subfigures:
        own = [token for token in each.subcaption if shared[token] == 1 and token in caption.counted]
        if own and _plain(each.label) in named:
            begins[_plain(each.label)] = (min(own), each.label)
    placed = [begins[label] for label in named if label in begins]
    for (one, before), (other, after) in pairwise(placed):
        if other < one:
            yield checks.LABELS_OUT_OF_ORDER.found(
                f'the text of "{after}" stands before that of "{before}" in the caption; '
                "look whether their labels are swapped",
                after,
            )
