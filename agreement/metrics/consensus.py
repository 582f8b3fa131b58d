"""Candidates: the subfigures that several annotators drew of one figure, merged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product
from string import ascii_lowercase, ascii_uppercase

from agreement.metrics.pairwise import figure_agreement, one_figure
from agreement.metrics.subfigure_f1 import MIN_IOU
from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.geometry import Box

__all__ = ["Candidate", "figure_agreement", "merge_candidates", "reading_order"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One subfigure as its supporters have it together.

    label: unique among the figure's candidates. box: median of the members' edges. votes: token id -> names of
    those who put it in the subcaption. supporters: names of those who drew it, in alphabetical order.
    subcaption: tokens with enough votes. members: name -> place of the subfigure among that annotator's own.
    """

    label: str
    box: Box
    votes: Mapping[int, tuple[str, ...]] = field(hash=False)
    supporters: tuple[str, ...]
    subcaption: frozenset[int]
    members: Mapping[str, int] = field(hash=False)


def merge_candidates(
    annotations: Sequence[Annotation], *, quorum: int = 2, min_iou: float = MIN_IOU
) -> tuple[Candidate, ...]:
    """Merge the subfigures of all who accepted the figure, ordered by label, then as one reads.

    Boxes join in order of their IoU, best first (equal ones: those with one label first, then those whose text is
    closer), never two of one annotator, and only while the two groups' median boxes keep an IoU >= min_iou.
    A token is in the subcaption from `quorum` votes on, or where all members gave it if they are fewer than the
    quorum: of two annotators, with a quorum of 2, what both gave; of a single one, all that they gave.
    The label is the members' most frequent one; on a tie the first in order; where another candidate has
    more votes for it, the next; where none is left, the first free letter.
    The order of the annotations does not matter.

    >>> from agreement import annotations_from, merge_candidates
    >>> left, right = [0, 0, 100, 100], [100, 0, 200, 100]
    >>> work = {
    ...     "ann1": {"fig1": [(left, {4, 6}), (right, {10})]},
    ...     "ann2": {"fig1": [([0, 0, 100, 90], {4, 7})]},
    ... }
    >>> for each in merge_candidates(annotations_from(work)):
    ...     print(each.label, each.box.as_list(), each.supporters, sorted(each.subcaption))
    A [0.0, 0.0, 100.0, 95.0] ('ann1', 'ann2') [4]
    B [100.0, 0.0, 200.0, 100.0] ('ann1',) [10]

    Raises ValueError for annotations of different figures or a quorum below 1.
    """
    if quorum < 1:
        raise ValueError(f"a quorum of {quorum} cannot be; give 1 or more")
    accepted = [each for each in one_figure(annotations) if each.status is Status.ACCEPTED]
    parts = {(each.annotator, place): part for each in accepted for place, part in enumerate(each.subfigures)}
    groups = [_Group({key: parts[key] for key in keys}) for keys in _groups(parts, min_iou)]
    groups = [groups[place] for place in reading_order([group.box for group in groups])]
    labels = _labels(groups)
    found = [_candidate(group, label, quorum) for group, label in zip(groups, labels, strict=True)]
    # Sorting is stable, but labels are unique anyway: reading order has had its say when they were given.
    return tuple(sorted(found, key=lambda candidate: _natural(candidate.label)))


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """Places of the boxes as one reads: row by row from the top, each row from the left.

    A row is the topmost box left with all whose middle lies above its lower edge.
    """
    left = sorted(range(len(boxes)), key=lambda place: (boxes[place].y0, boxes[place].x0, *boxes[place].as_list()))
    order: list[int] = []
    while left:
        first, *rest = left
        edge = boxes[first].y1
        row = {first, *(place for place in rest if (boxes[place].y0 + boxes[place].y1) / 2 < edge)}
        order += sorted(row, key=lambda place: (boxes[place].x0, boxes[place].y0, place))
        left = [place for place in rest if place not in row]
    return order


#: An annotator's name and the place among their subfigures.
_Key = tuple[str, int]


class _Group:
    """Subfigures of different annotators that stand for one."""

    def __init__(self, members: Mapping[_Key, Subfigure]) -> None:
        self.members = members
        self.box = Box(*_median_corners([_corners(part.box) for part in members.values()]))
        self.wishes = Counter(part.label for part in members.values())

    def ranked(self) -> list[str]:
        """The members' labels, most frequent first, then as labels are ordered."""
        return sorted(self.wishes, key=lambda label: (-self.wishes[label], _natural(label)))


def _groups(parts: Mapping[_Key, Subfigure], min_iou: float) -> list[list[_Key]]:
    """The keys that belong together, in order of names and places within and among groups."""
    # Plain numbers: there are a dozen boxes to a figure, and arrays that small cost more than they save.
    keys = list(parts)
    found = list(parts.values())
    boxes = [_corners(part.box) for part in found]
    near = []
    for first, second in combinations(range(len(keys)), 2):
        if keys[first][0] != keys[second][0]:
            iou = _iou(boxes[first], boxes[second])
            if iou > 0.0 and iou >= min_iou:
                one, other = found[first], found[second]
                farness = _distance(one.subcaption, other.subcaption)
                near.append((-iou, one.label != other.label, farness, first, second))
    near.sort()
    groups = {place: [place] for place in range(len(keys))}
    for _, _, _, first, second in near:
        ours, theirs = groups[first], groups[second]
        if ours is theirs:
            continue
        if {keys[place][0] for place in ours} & {keys[place][0] for place in theirs}:
            continue
        one_box, other_box = (_median_corners([boxes[place] for place in group]) for group in (ours, theirs))
        if _iou(one_box, other_box) < min_iou:
            continue
        joined = sorted(ours + theirs)
        groups.update(dict.fromkeys(joined, joined))
    return [[keys[place] for place in group] for place, group in groups.items() if group[0] == place]


#: x0 y0 x1 y1.
_Corners = tuple[float, float, float, float]


def _corners(box: Box) -> _Corners:
    return (box.x0, box.y0, box.x1, box.y1)


def _iou(one: _Corners, other: _Corners) -> float:
    """IoU of two boxes with area, as `box_iou` has it to the last bit."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0.0 or height <= 0.0:
        return 0.0
    shared = width * height
    areas = (one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1])
    return shared / (areas - shared)


def _median_corners(boxes: Sequence[_Corners]) -> _Corners:
    """Median of each edge. Where rounding would leave no area, the first box as it is."""
    if len(boxes) == 1:
        return boxes[0]
    half, odd = divmod(len(boxes), 2)
    rows = [sorted(edges) for edges in zip(*boxes, strict=True)]
    x0, y0, x1, y1 = [row[half] if odd else (row[half - 1] + row[half]) / 2 for row in rows]
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else boxes[0]


def _distance(one: frozenset[int], other: frozenset[int]) -> float:
    """Share of the tokens of either that the other lacks, in [0, 1]; 0 where both are empty."""
    together = one | other
    return len(one ^ other) / len(together) if together else 0.0


def _labels(groups: Sequence[_Group]) -> list[str]:
    """A label for each group, no label twice. The groups come in reading order."""
    labels = [""] * len(groups)
    taken: set[str] = set()
    wishes = [
        (-group.wishes[label], rank, place, label)
        for place, group in enumerate(groups)
        for rank, label in enumerate(group.ranked())
    ]
    for _, _, place, label in sorted(wishes):
        if not labels[place] and label not in taken:
            labels[place] = label
            taken.add(label)
    for place, group in enumerate(groups):
        if not labels[place]:
            wished = {label for other in groups for label in other.wishes}
            case = ascii_lowercase if group.ranked()[0].islower() else ascii_uppercase
            labels[place] = next(label for label in letters(case) if label not in taken | wished)
            taken.add(labels[place])
    return labels


def letters(alphabet: str = ascii_uppercase) -> Iterator[str]:
    """A, B, ... Z, AA, AB, ...: labels without an end."""
    length = 1
    while True:
        yield from ("".join(letters) for letters in product(alphabet, repeat=length))
        length += 1


@lru_cache(maxsize=4096)
def _natural(label: str) -> tuple[tuple[int, int, str], ...]:
    """A key that puts A before B, Z before AA and A2 before A10."""
    words = re.findall(r"[0-9]+|[^0-9]+", label)
    return tuple(
        (0, int(word), word) if word.isascii() and word.isdigit() else (1, len(word), word) for word in words
    )


def _candidate(group: _Group, label: str, quorum: int) -> Candidate:
    members = sorted(group.members.items())
    votes: dict[int, tuple[str, ...]] = {}
    for (name, _), part in members:
        voter = (name,)
        for token in part.subcaption:
            votes[token] = votes.get(token, ()) + voter
    enough = min(quorum, len(members))
    return Candidate(
        label=label,
        box=group.box,
        votes=dict(sorted(votes.items())),
        supporters=tuple(name for (name, _), _ in members),
        subcaption=frozenset([token for token, names in votes.items() if len(names) >= enough]),
        members={name: place for (name, place), _ in members},
    )
