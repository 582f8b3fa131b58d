"""Gold question-answer pairs and figure types of a campaign, with annotators' judgements and provenance."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Anonymizer, Names, Naming
from annotator.consensus.gold_rule import GoldTally, gold_in, source_of
from annotator.consensus.items import Reading, readings_of
from annotator.consensus.outdated import listed
from annotator.store.store import Store, Transaction
from panelwise.domain import Figure, Gold, GoldSource, QAItem, QAVerdict, shareable
from panelwise.formats import (
    JUDGED,
    kind_record,
    pair_record,
    pair_records,
    provenance_record,
    verdict_record,
)
from panelwise.runtime import batches, counted

#: Number of figures whose work is read at a time.
_BATCH = 100


@dataclass(slots=True)
class ItemsExported:
    """The result of an export beside its file. tally: counts of the figures' states. notes: warnings for the lead.

    figures: how many the records are on. by_source: how many records, by where they come from. single: of each
    pair or type that was left out because it was not reviewed, the id of its figure.
    """

    tally: GoldTally = field(default_factory=GoldTally)
    notes: list[str] = field(default_factory=list)
    figures: int = 0
    by_source: dict[GoldSource, int] = field(default_factory=lambda: dict.fromkeys(GoldSource, 0))
    single: list[str] = field(default_factory=list)

    def parts(self) -> str:
        """Describe the number of records by source."""
        return ", ".join(f"{number} {source.value}" for source, number in self.by_source.items())

    def warnings(self, what: str, count: int) -> list[str]:
        """Return warnings. what: noun of the records, such as "pair". count: number of written ones."""
        lines = [f"note: {line}" for line in self.notes]
        if unreviewed := self.by_source[GoldSource.SINGLE]:
            lines.append(f"note: {unreviewed} of {counted(count, what)} written are single (unreviewed)")
        if self.single:
            figures = list(dict.fromkeys(self.single))
            lines.append(
                f"left out {counted(len(self.single), what)} single (unreviewed), of "
                f"{counted(len(figures), 'figure')}; adjudicate them with `annotator serve`, or add --include "
                f"single: {listed(figures)}"
            )
        return lines


@dataclass(frozen=True, slots=True)
class _Adjudicated:
    """The gold of one figure with the annotators' judgements of its items, under the requested names.

    least: number of annotators who must agree for an item to be unanimous. include: sources that count as gold.
    """

    gold: Gold
    readings: tuple[Reading, ...]
    of: Naming
    least: int
    include: Collection[GoldSource]

    def source(self, voices: int) -> GoldSource:
        """Return the source of an item without a decision, from the number of annotators who agree."""
        found = self.gold.provenance.source
        return found if found is GoldSource.ADJUDICATED else source_of(voices, self.least)


def qa_records(
    home: Home,
    store: Store,
    exported: ItemsExported,
    names: Names = Names.REAL,
    include: Collection[GoldSource] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a record for each gold pair, by figure id and in the figure's order.

    Each has the imported pair, every annotator's verdict, and provenance. include: sources that count as gold,
    None for those of campaign.toml; each pair has its own source.
    """
    unsettled: list[str] = []
    with store.read() as tx:
        for each in _adjudicated(home, tx, exported, names, include):
            figure = each.gold.figure
            came = pair_records(figure)
            pairs = figure.imported.by_id
            verdicts = {verdict.item: verdict for verdict in each.gold.items.verdicts}
            judged = {item for reading in each.readings for item in reading.verdicts}
            if judged - verdicts.keys():
                unsettled.append(figure.id)
            before = sum(exported.by_source.values())
            for name in dict.fromkeys([*pairs, *verdicts]):
                said = _verdicts_on(each, name)
                if name in verdicts and _counted(each, len(said), exported):
                    yield shareable(_pair(each, verdicts[name], said, pairs.get(name), came.get(name)))
            exported.figures += sum(exported.by_source.values()) > before
    if unsettled:
        exported.notes.append(
            f"left out pairs of {counted(len(unsettled), 'figure')} on which annotators disagree: "
            f"{listed(unsettled)}; adjudicate them with `annotator serve`"
        )


def type_records(
    home: Home,
    store: Store,
    exported: ItemsExported,
    names: Names = Names.REAL,
    include: Collection[GoldSource] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a record for each gold figure type, by figure id.

    Each has the imported type, every annotator's, and provenance. include: as in `qa_records`.
    """
    with store.read() as tx:
        for each in _adjudicated(home, tx, exported, names, include):
            kind = each.gold.items.kind
            if kind is None:
                continue
            said = {reading.annotator: reading.kind for reading in each.readings if reading.kind is not None}
            if not _counted(each, len(said), exported):
                continue
            exported.figures += 1
            came = each.gold.figure.imported.kind
            record = {
                **_named(each.gold.figure),
                **kind_record(kind),
                "original": None if came is None else kind_record(came),
                "readings": [{"annotator": each.of(name), **kind_record(own)} for name, own in said.items()],
                "provenance": _provenance(each, len(said)),
            }
            yield shareable(record)


def _adjudicated(
    home: Home, tx: Transaction, exported: ItemsExported, names: Names, include: Collection[GoldSource] | None
) -> Iterator[_Adjudicated]:
    """Yield every figure's gold, including single work; each item's own source decides whether it counts."""
    campaign = home.campaign
    wanted = campaign.gold_sources if include is None else include
    people = Anonymizer(home, tx, names)
    for golds in batches(gold_in(tx, campaign, exported.tally, include=tuple(GoldSource)), _BATCH):
        work = {each.figure.id: each for each in tx.work.on([gold.figure.id for gold in golds])}
        for gold in golds:
            readings = readings_of(work[gold.figure.id].annotations, campaign)
            shown = people.gold(gold)
            for reading in readings:
                for annotation in reading.annotations:
                    people.annotation(annotation)  # only searched: readings have the texts
            yield _Adjudicated(shown, readings, people.of, campaign.least_unanimous, wanted)
    exported.notes += people.warnings()


def _pair(
    adjudicated: _Adjudicated,
    verdict: QAVerdict,
    said: Mapping[str, QAVerdict],
    came: QAItem | None,
    raw: Mapping[str, Any] | None,
) -> dict[str, Any]:
    now = verdict.edited or came
    # Keys of the pair that are never edited stay; a person's answer is no part of the pair.
    kept = {key: value for key, value in (raw or {}).items() if key not in JUDGED}
    return {
        **_named(adjudicated.gold.figure),
        **({"instance_id": verdict.item} if now is None else pair_record(now, kept)),
        "verdict": verdict.verdict.value,
        "note": verdict.note,
        "original": None if came is None else pair_record(came),
        "verdicts": [{"annotator": adjudicated.of(name), **verdict_record(own)} for name, own in said.items()],
        "provenance": _provenance(adjudicated, len(said)),
    }


def _named(figure: Figure) -> dict[str, Any]:
    image = figure.extra.get("image_file")
    return {"figure_id": figure.id, **({"image_file": image} if isinstance(image, str) and image else {})}


def _verdicts_on(adjudicated: _Adjudicated, item: str) -> dict[str, QAVerdict]:
    """Return annotator -> verdict on one pair."""
    return {each.annotator: each.verdicts[item] for each in adjudicated.readings if item in each.verdicts}


def _counted(adjudicated: _Adjudicated, voices: int, exported: ItemsExported) -> bool:
    """Count an item by its source or as left out; returns whether it is written."""
    source = adjudicated.source(voices)
    if source not in adjudicated.include:
        exported.single.append(adjudicated.gold.figure.id)
        return False
    exported.by_source[source] += 1
    return True


def _provenance(adjudicated: _Adjudicated, voices: int) -> dict[str, Any]:
    """Return the figure's provenance with the source of this item."""
    return {**provenance_record(adjudicated.gold.provenance), "source": adjudicated.source(voices).value}
