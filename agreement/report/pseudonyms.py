"""A report under other names of its annotators: the numbers stay, rows are ordered by the new names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from agreement.chance.annotator_habits import Habits
from agreement.chance.dawid_skene import Reliability
from agreement.chance.panel_agreement import PanelAgreement
from agreement.columns.figure_names import FigureNames
from agreement.pairs.figure_scores import FigureMeans
from agreement.pairs.pairwise import PairScore
from agreement.pairs.worst import WorstFigure
from agreement.questions.human_answers import AnswerScore
from agreement.questions.judgements import PairCount, PairKappa
from agreement.report.summary import Counts, PersonAttention, PersonScore, Report
from agreement.trends.acquainted import Person
from agreement.trends.phases import PhaseDifference, PhaseSide
from agreement.trends.repeats import SelfAgreement
from agreement.trends.seeding import SeededPair
from panelwise.domain import Figure

#: The fields of a report's parts that hold names of annotators: one name, or several.
_PEOPLE: Mapping[type, tuple[str, ...]] = {
    PersonScore: ("name",),
    PersonAttention: ("annotator",),
    PairScore: ("gold", "predicted"),
    WorstFigure: ("gold", "predicted"),
    SeededPair: ("gold", "predicted"),
    Habits: ("annotator",),
    Reliability: ("annotator",),
    SelfAgreement: ("annotator",),
    Person: ("annotator",),
    AnswerScore: ("annotator",),
    PairKappa: ("annotators",),
    PairCount: ("annotators",),
    PhaseSide: ("annotators",),
    PhaseDifference: ("annotators", "only_here", "only_there"),
}
#: Parts that are not listed by annotator.
_IN_OWN_ORDER = (WorstFigure, PhaseSide, PhaseDifference)
#: Parts without names of annotators, which may be large.
_NAMELESS = (FigureMeans, FigureNames, Figure)


def people_in(report: Report) -> frozenset[str]:
    """Return the names of all annotators in a report, those of other phases included."""
    people: set[str] = set()

    def note(name: str) -> str:
        people.add(name)
        return name

    _Renaming(note).part(report)
    return frozenset(people)


def under_pseudonyms(report: Report, names: Mapping[str, str]) -> Report:
    """Return the report with other names of its annotators, in the order of these; its numbers are the same.

    names: annotator -> another name, for all `people_in` the report. Reasons are renamed too. Ids of figures,
    captions and names of phases and batches are left as they are. Raises KeyError for an annotator without a name.
    """
    renaming = _Renaming(names.__getitem__, _words(names))
    renamed: Report = renaming.part(report)
    # Intervals are listed beside the pairs.
    both = zip((renaming.part(pair) for pair in report.pairs), report.intervals.pairs, strict=True)
    ordered = sorted(both, key=lambda each: _place(each[0]))
    return replace(renamed, intervals=replace(report.intervals, pairs=tuple(ends for _, ends in ordered)))


def _words(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that replaces names in a text, longest first, where they stand as words."""
    if not names:
        return str
    choices = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    pattern = re.compile(rf"(?<!\w)(?:{choices})(?!\w)")
    return lambda text: pattern.sub(lambda found: names[found[0]], text)


def _place(part: object) -> tuple[tuple[int, str], ...]:
    """Return the key by which parts are listed: Annotator 2 comes before Annotator 10."""
    values = (getattr(part, name) for name in _PEOPLE[type(part)])
    return tuple(
        (len(name), name) for value in values for name in ((value,) if isinstance(value, str) else value or ())
    )


@dataclass(frozen=True, slots=True)
class _Renaming:
    """Renames annotators wherever they are in a report. words: renames them in a text."""

    name: Callable[[str], str]
    words: Callable[[str], str] = str

    def part(self, part: Any) -> Any:
        """Return a part of a report with other names; numbers and figures are returned unchanged."""
        if isinstance(part, tuple):
            parts = tuple(self.part(each) for each in part)
            if parts and type(parts[0]) in _PEOPLE and not isinstance(parts[0], _IN_OWN_ORDER):
                return tuple(sorted(parts, key=_place))
            return parts
        if not is_dataclass(part) or isinstance(part, (type, *_NAMELESS)):
            return part
        people = _PEOPLE.get(type(part), ())
        changed = {field.name: self._field(part, field.name, field.name in people) for field in fields(part)}
        return replace(part, **changed)

    def _field(self, part: object, field: str, people: bool) -> Any:
        value = getattr(part, field)
        if people:
            return self._people(value)
        if isinstance(part, Counts) and field == "superseded":
            return tuple((figure, self.name(annotator)) for figure, annotator in value)
        if isinstance(part, PanelAgreement) and field == "without":
            return {self.name(annotator): alpha for annotator, alpha in value.items()}
        if isinstance(value, str) and field.endswith("reason"):
            return self.words(value)
        return self.part(value)

    def _people(self, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        if value is None or isinstance(value, str):
            return value and self.name(value)
        return tuple(sorted((self.name(each) for each in value), key=lambda name: (len(name), name)))
