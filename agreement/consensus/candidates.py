"""Candidates: the merged subfigures of several annotators of one figure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from string import ascii_lowercase, ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from agreement.pairs.pairwise import one_figure
from agreement.primitives.iou import as_boxes, box_iou
from agreement.score.subfigure_f1 import MIN_IOU
from panelwise.domain import Annotation, Box, Corners, Status, Subfigure, area_of, iou, letters


@dataclass(frozen=True, slots=True)
class Candidate:
    """One merged subfigure.

    label: unique among the figure's candidates. box: median of the members' edges. votes: token id -> annotators
    who put it in the subcaption. supporters: annotators who drew it, in alphabetical order. subcaption: tokens
    with enough votes. members: name -> index of the subfigure in that annotator's work.
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
    return tuple(_candidate(group, label, quorum) for label, group in merged(parts, min_iou))


def merged(parts: Mapping[_Key, Subfigure], min_iou: float) -> list[tuple[str, _Group]]:
    """Return the groups of subfigures that belong together with their labels, in order of these.

    parts: by annotator and place, concatenated by annotator.
    """
    groups = [_Group({key: parts[key] for key in keys}) for keys in _matched(parts, min_iou)]
    groups = [groups[place] for place in reading_order([group.box for group in groups])]
    # Labels are unique, and reading order had its say when they were given.
    return sorted(zip(_labels(groups), groups, strict=True), key=lambda each: _natural(each[0]))


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """Return the indices of the boxes in reading order: row by row from the top, each row from the left.

    A row is the topmost remaining box with all whose centre lies above its lower edge.
    """
    left = sorted(range(len(boxes)), key=lambda place: (boxes[place].y0, boxes[place].x0, *boxes[place].as_list()))
    order: list[int] = []
    while left:
        edge = boxes[left[0]].y1
        # They are sorted by upper edge, and a centre lies below that.
        end = bisect_left(left, edge, lo=1, key=lambda place: boxes[place].y0)
        row: list[int] = left[:1]
        rest: list[int] = []
        for place in left[1:end]:
            (row if (boxes[place].y0 + boxes[place].y1) / 2 < edge else rest).append(place)
        order += sorted(row, key=lambda place: (boxes[place].x0, boxes[place].y0, place))
        left = rest + left[end:]
    return order


#: An annotator's name and the index of a subfigure of theirs.
_Key = tuple[str, int]
#: Boxes of a figure up to which plain numbers are faster than arrays.
_FEW = 24
#: Pairs of boxes that are compared at once: a few arrays of 8 MB.
_BLOCK = 1 << 20


class _Group:
    """Matched subfigures of different annotators."""

    def __init__(self, members: Mapping[_Key, Subfigure]) -> None:
        self.members = members
        self.box = Box(*_median_corners([part.box.corners for part in members.values()]))
        self.wishes = Counter(part.label for part in members.values())

    def ranked(self) -> list[str]:
        """Return the members' labels, most frequent first, then in label order."""
        return sorted(self.wishes, key=lambda label: (-self.wishes[label], _natural(label)))


def _matched(parts: Mapping[_Key, Subfigure], min_iou: float) -> list[list[_Key]]:
    """Return the keys of subfigures that belong together, in order of names and indices within and among groups.

    parts: concatenated by annotator.
    """
    keys, found = list(parts), list(parts.values())
    names = {name: number for number, name in enumerate(dict.fromkeys(name for name, _ in keys))}
    owners = [names[name] for name, _ in keys]
    boxes = [part.box.corners for part in found]
    # Of the group that each place is in: its places, its annotators as bits, and its median box.
    groups = [[place] for place in range(len(keys))]
    people = [1 << owner for owner in owners]
    medians = boxes.copy()
    near = _near_of_few if len(found) <= _FEW else _near_of_many
    for first, second in near(found, owners, min_iou):
        if people[first] & people[second] or iou(medians[first], medians[second]) < min_iou:
            continue
        joined = sorted(groups[first] + groups[second])
        both, median = people[first] | people[second], _median_corners([boxes[place] for place in joined])
        for place in joined:
            groups[place], people[place], medians[place] = joined, both, median
    return [[keys[place] for place in group] for place, group in enumerate(groups) if group[0] == place]


def _near_of_few(parts: Sequence[Subfigure], owners: Sequence[int], min_iou: float) -> Iterable[tuple[int, int]]:
    """Yield indices of two boxes of different annotators with an IoU of at least `min_iou`, in joining order.

    owners: annotator number of each part, ascending.
    """
    boxes = [part.box.corners for part in parts]
    found = []
    for first, second in combinations(range(len(parts)), 2):
        if owners[first] == owners[second]:
            continue
        overlap = iou(boxes[first], boxes[second])
        if overlap > 0.0 and overlap >= min_iou:
            one, other = parts[first], parts[second]
            farness = _distance(one.subcaption, other.subcaption)
            found.append((-overlap, one.label != other.label, farness, first, second))
    return [(first, second) for *_, first, second in sorted(found)]


def _near_of_many(parts: Sequence[Subfigure], owners: Sequence[int], min_iou: float) -> Iterable[tuple[int, int]]:
    """Do the same with arrays, which are slower for fewer than a dozen boxes."""
    boxes = as_boxes([part.box.corners for part in parts])
    numbers: dict[str, int] = {}
    labels = np.array([numbers.setdefault(part.label, len(numbers)) for part in parts])
    tokens = _token_matrix([part.subcaption for part in parts])
    sizes = tokens.sum(axis=1, dtype=np.float64)
    found = []
    for some, later in _blocks(owners):
        overlaps = box_iou(boxes[some], boxes[later])
        near = np.nonzero((overlaps > 0.0) & (overlaps >= min_iou))
        first, second = near[0] + some.start, near[1] + later.start
        shared = (tokens[some] @ tokens[later].T)[near].astype(np.float64)
        either = sizes[first] + sizes[second] - shared
        farness = np.divide(either - shared, either, out=np.zeros_like(shared), where=either > 0)
        found.append((overlaps[near], farness, first, second))
    if not found:
        return ()
    overlap, farness, first, second = (np.concatenate(column) for column in zip(*found, strict=True))
    # Stable: of equal ones the first places stay first.
    order = np.lexsort((farness, labels[first] != labels[second], -overlap))
    return zip(first[order].tolist(), second[order].tolist(), strict=True)


def _blocks(owners: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """Some of one annotator's places and all places of the annotators after them, no more than _BLOCK pairs."""
    total = len(owners)
    start = 0
    while start < total:
        end = bisect_right(owners, owners[start])
        rows = max(1, _BLOCK // max(1, total - end))
        for row in range(start, end if end < total else start, rows):
            yield slice(row, min(row + rows, end)), slice(end, total)
        start = end


def _distance(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of the union of tokens that is not shared, in [0, 1]; 0 if both are empty."""
    together = one | other
    return len(one ^ other) / len(together) if together else 0.0


def _token_matrix(subcaptions: Sequence[frozenset[int]]) -> NDArray[np.float32]:
    """(N, T) 1 where a subcaption has a token, of those that any has. Sums of products are exact: T < 2**24."""
    places = {token: place for place, token in enumerate(frozenset().union(*subcaptions))}
    matrix = np.zeros((len(subcaptions), len(places)), dtype=np.float32)
    for row, subcaption in zip(matrix, subcaptions, strict=True):
        row[[places[token] for token in subcaption]] = 1
    return matrix


def _median_corners(boxes: Sequence[Corners]) -> Corners:
    """Return the median of each edge; the first box if rounding would leave no area."""
    if len(boxes) == 1:
        return boxes[0]
    half, odd = divmod(len(boxes), 2)
    rows = [sorted(edges) for edges in zip(*boxes, strict=True)]
    x0, y0, x1, y1 = [row[half] if odd else (row[half - 1] + row[half]) / 2 for row in rows]
    return (x0, y0, x1, y1) if area_of((x0, y0, x1, y1)) > 0.0 else boxes[0]


def _labels(groups: Sequence[_Group]) -> list[str]:
    """Return a unique label for each group. The groups come in reading order."""
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
    wished = {label for group in groups for label in group.wishes}
    free = {small: _free_letters(ascii_lowercase if small else ascii_uppercase, wished) for small in (True, False)}
    for place, group in enumerate(groups):
        if not labels[place]:
            labels[place] = next(free[group.ranked()[0].islower()])
    return labels


def _free_letters(alphabet: str, wished: Container[str]) -> Iterator[str]:
    return (label for label in letters(alphabet) if label not in wished)


@lru_cache(maxsize=4096)
def _natural(label: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts A before B, Z before AA and A2 before A10."""
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
