"""Several annotators' work, from a campaign's store or from files, merged into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from agreement.consensus import (
    FigureConsensus,
    NoConsensus,
    consensus_prediction,
    consensus_record,
    figure_consensus,
)
from agreement.pairs import latest
from agreement.primitives import MIN_IOU, Mode
from annotator.campaign.home import Home
from annotator.consensus.items import agreed_items
from annotator.consensus.one_revision import on_one_revision
from annotator.consensus.outdated import listed
from annotator.measurement.sources import (
    StoredFigures,
    check_spellings,
    chosen_work,
    each_once_of,
    one_phase,
    read_source,
    work_at,
)
from panelwise.domain import Annotation, AnnotatorError
from panelwise.files import Problems
from panelwise.runtime import counted
from panelwise.settings import FILE_NAME

#: As whom a consensus is written.
CONSENSUS = "consensus"
#: How many annotators make a consensus, where no campaign says it.
QUORUM = 2


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """Options of merging annotations.

    quorum: how many have to agree on a figure, a box, a token; None takes that of the campaign where its home is
    the only source, else QUORUM. name: as whom the result is written. keep_all: whether figures without a
    consensus and boxes below the quorum are kept, flagged. as_predictions: whether the records are predictions, to
    seed tasks with.
    """

    quorum: int | None = None
    min_iou: float = MIN_IOU
    name: str = CONSENSUS
    keep_all: bool = False
    as_predictions: bool = False


@dataclass(slots=True)
class Merging:
    """The result of merging annotations of several sources.

    quorum: that holds. The counts grow with what `records` hands on. below_quorum:
    subfigures with fewer supporters. rejected: figures that no prediction can tell of. without: the ids of the
    figures without a consensus, by the reason. differing: those of which some annotators saw another version, with
    their names.
    """

    quorum: int
    options: MergeOptions
    annotators: frozenset[str] = frozenset()
    phase: str | None = None
    superseded: tuple[tuple[str, str], ...] = ()
    figures: int = 0
    subfigures: int = 0
    below_quorum: int = 0
    rejected: int = 0
    without: dict[NoConsensus, list[str]] = field(default_factory=dict)
    differing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _groups: list[list[Annotation]] = field(default_factory=list)

    def records(self) -> Iterator[dict[str, Any]]:
        """The merged figures as records, in order of their ids, one at a time."""
        for group in self._groups:
            found = figure_consensus(group, quorum=self.quorum, min_iou=self.options.min_iou)
            self._count(found)
            if found.reason in _NOTHING_TO_KEEP or (found.reason is not None and not self.options.keep_all):
                continue
            record = self._record(found)
            if record is None:
                self.rejected += 1
                continue
            self.figures += 1
            self.subfigures += len(record["subfigures"])
            yield record

    def warnings(self) -> Iterator[str]:
        """List the warnings of a merge, once all records were read."""
        made = f"{counted(self.figures, 'figure')} with {counted(self.subfigures, 'subfigure')}"
        yield (
            f"merged the work of {counted(len(self.annotators), 'annotator')}, quorum {self.quorum}: "
            f"{made}, by {self.options.name}"
        )
        if self.below_quorum:
            kept = "kept, with low scores" if self.options.keep_all else "left out; --keep-all keeps them"
            yield f"{counted(self.below_quorum, 'subfigure')} with fewer supporters than the quorum: {kept}"
        for reason, names in self.without.items():
            keeps = self.options.keep_all and reason not in _NOTHING_TO_KEEP
            kept = "kept" if keeps else "left out"
            yield f"{counted(len(names), 'figure')} without a consensus, {reason.value}: {kept}: {listed(names)}"
        if self.rejected:
            yield f"{counted(self.rejected, 'figure')} rejected: left out, as a prediction cannot say that"
        if self.differing:
            people = Counter(name for names in self.differing.values() for name in names)
            yield (
                f"left out {counted(people.total(), 'annotation')} on another caption, tokens or image size than "
                f"most saw, by {listed(sorted(people))}: {listed(self.differing)}"
            )

    def _count(self, found: FigureConsensus) -> None:
        figure = found.figure.id
        if found.reason is not None:
            self.without.setdefault(found.reason, []).append(figure)
        else:
            self.below_quorum += len(found.candidates) - len(found.agreed)
            if found.differing:
                self.differing[figure] = found.differing

    def _record(self, found: FigureConsensus) -> dict[str, Any] | None:
        items = agreed_items(found.annotations)
        if self.options.as_predictions:
            return consensus_prediction(found, self.options.name, keep_all=self.options.keep_all, items=items)
        return consensus_record(
            found,
            self.options.name,
            source_phase=self.phase,
            keep_all=self.options.keep_all,
            min_iou=self.options.min_iou,
            items=items,
        )


#: No record can be made of these with any option.
_NOTHING_TO_KEEP = (NoConsensus.PASSED_OVER, NoConsensus.DIFFERS)


def merge_sources(
    sources: Sequence[Path],
    problems: Problems,
    *,
    home: Path | None = None,
    phase: str | None = None,
    options: MergeOptions = MergeOptions(),
    warn: Callable[[str], None] | None = None,
) -> Merging:
    """Merge the work of all annotators in the sources, by default in the campaign's home.

    Work by `options.name` is left out with a warning: an earlier consensus has no vote. A bad record is a
    problem, and the rest is merged. warn: gets what is left out on reading. Raises AnnotatorError
    where a source cannot be read at all, where several phases are there and none is chosen, and for a phase that
    no source knows.
    """
    name = options.name
    if not name.strip():
        raise AnnotatorError("the result needs an annotator's name; give one with --annotator")
    if not sources:
        sources = [Home.find(home).path]
    present: dict[str, int] = {}
    known = StoredFigures()
    work = partial(work_at, present=present, stored=known, warn=warn)
    where = ", ".join(str(source) for source in sources)
    every = (each for source in sources for each in read_source(source, problems, work, Mode.PAPER, warn))
    read = each_once_of(every, problems)
    annotations = [each for each in chosen_work(read, None, phase, where, known) if isinstance(each, Annotation)]
    check_spellings({each.annotator for each in annotations}, sources, warn)
    own = sum(each.annotator == name for each in annotations)
    if own and warn is not None:
        warn(f"left out {counted(own, 'annotation')} by {name}, as whom the result is written")
    annotations = [each for each in annotations if each.annotator != name]
    if phase is None:
        phase = one_phase(annotations, where, "--phase")
    on_one = [each for each in on_one_revision(annotations, present, warn) if isinstance(each, Annotation)]
    holding, superseded = latest(on_one)
    groups: dict[str, list[Annotation]] = {}
    for each in holding:
        groups.setdefault(each.figure.id, []).append(each)
    return Merging(
        quorum=_quorum_of(sources) if options.quorum is None else options.quorum,
        options=options,
        annotators=frozenset(each.annotator for each in holding),
        phase=phase,
        superseded=tuple((each.figure.id, each.annotator) for each in superseded),
        _groups=[groups[figure] for figure in sorted(groups)],
    )


def _quorum_of(sources: Sequence[Path]) -> int:
    """The campaign's own quorum where its home is all there is."""
    if len(sources) == 1 and (sources[0] / FILE_NAME).is_file():
        return Home.find(sources[0]).campaign.quorum
    return QUORUM
