"""The initial state of the screen of a figure's items: each annotator's opinion, and the majority's.

One reading of an item that as many support as the quorum asks for is preselected. Where they differ, the item is a
conflict: the reviewer adopts one, or edits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from annotator.adjudication.draft import KindValue, PairWord
from annotator.adjudication.items.state import (
    Answered,
    KindItem,
    KindReading,
    PairItem,
    PairReading,
    kind_value,
    pair_value,
    pair_word,
)
from annotator.consensus.items import Reading, notes
from panelwise.domain import FIGURE_TYPES, FigureKind, QAItem, QAVerdict, Verdict, kind_key, plain, verdict_key

_Keyed = TypeVar("_Keyed", KindReading, PairReading, Answered)
_Plain = TypeVar("_Plain", bool, int)

#: The reason shown for an item that no annotator judged.
UNJUDGED = "no annotator judged it"


@dataclass(frozen=True, slots=True)
class Voices:
    """The annotators whose work counts. key: a stand-in for a name. quorum: equal opinions that preselect one."""

    readings: Sequence[Reading]
    key: Callable[[str], str]
    quorum: int


def kind_item(voices: Voices, original: FigureKind | None) -> KindItem:
    """The figure's type to adjudicate."""
    given = {each.annotator: each.kind for each in voices.readings if each.kind is not None}
    groups = _groups({name: kind_key(kind) for name, kind in given.items()})
    missing = len(voices.readings) - len(given) if len(voices.readings) > 1 else 0
    disputed = tuple(_disputed(given.values()))
    supporters = groups[0] if groups else ()
    if len(groups) == 1:
        merged = given[supporters[0]]
        proposal = KindValue(
            merged.compound, merged.count, tuple(sorted(merged.types)), notes(given[name] for name in supporters)
        )
    else:
        proposal = _merged(list(given.values()), original)
    reasons = _missing_note(missing, len(voices.readings)) if given else [UNJUDGED]
    reasons += [f"{what} differs" for what in ("compound", "count") if what in disputed]
    tags = [each for each in disputed if each not in ("compound", "count")]
    reasons += [f"types differ: {', '.join(tags)}"] if tags else []
    return KindItem(
        original=None if original is None else kind_value(original),
        readings=_ordered(
            KindReading(voices.key(name), kind_value(kind)) for name, kind in given.items() if kind is not None
        ),
        proposal=proposal,
        supporters=tuple(sorted(map(voices.key, supporters))),
        disputed=disputed,
        conflict=len(groups) != 1,
        reasons=tuple(reasons),
        preselected=bool(groups) and len(supporters) >= min(voices.quorum, len(given)),
    )


def pair_item(
    voices: Voices, name: str, original: QAItem | None, answers: Mapping[str, tuple[str | None, str]]
) -> PairItem:
    """One pair to adjudicate. answers: annotator -> their own answer and note in human evaluation."""
    given = {each.annotator: each.verdicts[name] for each in voices.readings if name in each.verdicts}
    groups = _groups({who: verdict_key(verdict) for who, verdict in given.items()})
    missing = len(voices.readings) - len(given) if len(voices.readings) > 1 else 0
    supporters = groups[0] if groups else ()
    reasons = _missing_note(missing, len(voices.readings)) if given else [UNJUDGED]
    if len(groups) > 1:
        reasons += _differences(given, original)
    if original is None:
        reasons.append("the figure does not have this pair; it may have been imported since")
    return PairItem(
        id=name,
        original=None if original is None else pair_value(original),
        readings=_ordered(
            PairReading(
                voices.key(who), word.verdict, None if word.edited is None else pair_value(word.edited), word.note
            )
            for who, word in given.items()
        ),
        proposal=_proposed(name, [given[who] for who in supporters]),
        supporters=tuple(sorted(map(voices.key, supporters))),
        conflict=len(groups) != 1,
        reasons=tuple(reasons),
        preselected=bool(groups) and len(supporters) >= min(voices.quorum, len(given)),
        answers=_ordered(Answered(voices.key(who), *said) for who, said in answers.items()),
    )


def _ordered(readings: Iterable[_Keyed]) -> tuple[_Keyed, ...]:
    """In the order of their keys, which tells nothing of names."""
    return tuple(sorted(readings, key=lambda each: each.annotator))


def _groups(said: Mapping[str, Hashable]) -> list[tuple[str, ...]]:
    """The names that say the same, the largest group first; of equal ones that of the verdict that most give."""
    found: dict[Hashable, list[str]] = {}
    for name in sorted(said):
        found.setdefault(said[name], []).append(name)
    verdicts = Counter(_verdict_in(key) for key in said.values())
    ordered = sorted(found.items(), key=lambda each: (-len(each[1]), -verdicts[_verdict_in(each[0])], each[1]))
    return [tuple(names) for _, names in ordered]


def _verdict_in(key: Hashable) -> Hashable:
    """The verdict that a verdict's key holds; a figure type's key stands for itself."""
    return key[0] if isinstance(key, tuple) and key and isinstance(key[0], Verdict) else key


def _proposed(name: str, agreeing: Sequence[QAVerdict]) -> PairWord:
    if not agreeing:
        return PairWord(name, Verdict.CORRECT)
    word = pair_word(agreeing[0])
    return PairWord(name, word.verdict, word.edited, notes(agreeing))


def _merged(given: Sequence[FigureKind], original: FigureKind | None) -> KindValue:
    """Take the majority's value of each field; the imported value in a tie or without any opinion."""
    if not given:
        return KindValue(None, None, ()) if original is None else kind_value(original)
    came = original or FigureKind()
    compound = _most([each.compound for each in given if each.compound is not None], came.compound)
    count = _most([each.count for each in given if each.count is not None], came.count)
    names = sorted(frozenset().union(*(each.types for each in given)))
    votes = Counter(name for each in given for name in each.types)
    kept = [
        name
        for name in names
        if 2 * votes[name] > len(given) or (2 * votes[name] == len(given) and name in came.types)
    ]
    return KindValue(compound, count, tuple(kept))


def _most(values: Sequence[_Plain], came: _Plain | None) -> _Plain | None:
    ordered = Counter(values).most_common()
    if not ordered:
        return came
    best = [value for value, count in ordered if count == ordered[0][1]]
    return came if came in best else best[0]


def _disputed(given: Iterable[FigureKind]) -> Iterable[str]:
    said = list(given)
    for what, values in (
        ("compound", {each.compound for each in said}),
        ("count", {each.count for each in said}),
    ):
        if len(values) > 1:
            yield what
    everywhere = frozenset.intersection(*(each.types for each in said)) if said else frozenset()
    anywhere = frozenset().union(*(each.types for each in said))
    yield from sorted(anywhere - everywhere, key=type_place)


def type_place(name: str) -> tuple[int, str]:
    """The guidelines' types in their order, then others by name."""
    return (FIGURE_TYPES.index(name) if name in FIGURE_TYPES else len(FIGURE_TYPES), name)


def _differences(given: Mapping[str, QAVerdict], original: QAItem | None) -> list[str]:
    """List the fields in which opinions on a pair differ: the verdict, or fields of the edited pair."""
    verdicts = Counter(each.verdict for each in given.values())
    if len(verdicts) > 1:
        wrong = verdicts[Verdict.INCORRECT]
        return [f"{wrong} of {len(given)} {'finds' if wrong == 1 else 'find'} it incorrect"]
    pairs = [each.edited or original for each in given.values()]
    known = [each for each in pairs if each is not None]
    if len(known) < len(pairs):
        return ["the edits differ"]
    parts = (
        ("type", {each.kind for each in known}),
        ("question", {plain(each.question) for each in known}),
        ("options", {tuple(map(plain, each.choices)) for each in known}),
        ("answer", {plain(each.answer) for each in known}),
    )
    names = [name for name, values in parts if len(values) > 1]
    if not names:
        return ["one edits it, another calls it incorrect without an edit"]
    return [f"the edits differ: {', '.join(names)}"]


def _missing_note(missing: int, total: int) -> list[str]:
    if not missing:
        return []
    return [f"{'one' if missing == 1 else missing} of {total} did not judge it"]
