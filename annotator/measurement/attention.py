"""Count how annotators worked on Panelwise's own screen, in campaigns and in the files that they export."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from agreement.reading.records import REFUSALS
from annotator.campaign.home import Home
from annotator.measurement.sources import layout_of
from panelwise.domain.annotation import Status
from panelwise.domain.attention import Attention, WorkKey, attention_of, by_annotator
from panelwise.files.jsonl import Problems, decode_line, raw_lines
from panelwise.files.parquet import is_parquet
from panelwise.formats.annotations import DEFAULT_PHASE, UNKNOWN_TIME, annotation_of, read_or_report
from panelwise.formats.detect import Layout


class _Labelled(msgspec.Struct):
    label: str


class _Judged(msgspec.Struct):
    instance_id: str


class _Record(msgspec.Struct):
    """The part of a record of annotations.jsonl that says how the work was done."""

    figure_id: str
    annotator: str
    subfigures: list[_Labelled]
    phase: str | int | None = None
    status: Status = Status.ACCEPTED
    revision: int | None = None
    saved_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    kind: Any = None
    verdicts: list[_Judged] | None = None
    answers: list[_Judged] | None = None
    seconds: float | None = None
    viewed: list[str] | None = None
    unchanged: bool | None = None

    @property
    def key(self) -> WorkKey:
        """Return whose work it is, in which phase and on what."""
        phase = DEFAULT_PHASE if self.phase is None else str(self.phase)
        return phase, self.annotator, self.figure_id, self.revision or 1

    def attention(self) -> Attention | None:
        """Return the counts of this figure; None unless it was accepted and recorded what was looked at."""
        if self.viewed is None or self.status is not Status.ACCEPTED:
            return None
        parts = {part.label for part in self.subfigures}
        parts.update(item.instance_id for item in (*(self.verdicts or ()), *(self.answers or ())))
        if self.kind is not None:
            parts.add("")
        seen = len(parts.intersection(self.viewed))
        return Attention.of_figure(len(parts), seen, unchanged=bool(self.unchanged), seconds=self.seconds)


_decode = msgspec.json.Decoder(_Record).decode


def attention_in(sources: Sequence[Path]) -> dict[tuple[str, str], Attention]:
    """Return (phase, annotator) -> how they worked; work that an earlier source has counts once."""
    work: dict[WorkKey, Attention] = {}
    for source in sources:
        if source.is_dir():
            with Home.find(source).open_store() as store, store.read() as tx:
                work = {**dict(tx.statistics.figures_attention()), **work}
        elif not is_parquet(source) and layout_of(source) is Layout.JSONL:
            work = {**dict(_in_file(source)), **work}
    return by_annotator(work.items())


def _work_on(raw: bytes) -> tuple[WorkKey, datetime, Attention | None] | None:
    """Return whose work a line holds, when it was saved, and its counts; None of a bad line.

    The report's own reading of the file says what is bad.
    """
    try:
        record = _decode(raw)
    except REFUSALS:
        line = decode_line("", raw, Problems())
        work = None if line is None else read_or_report(annotation_of, line, OrderedDict(), Problems())
        if work is None:
            return None
        key = work.phase, work.annotator, work.figure.id, int(work.figure.revision)
        return key, work.saved_at, attention_of(work)
    return record.key, record.saved_at or UNKNOWN_TIME, record.attention()


def _in_file(path: Path) -> Iterator[tuple[WorkKey, Attention]]:
    """Yield the counts of a file's current accepted work that recorded what was looked at."""
    if not any(b'"viewed"' in raw for _, raw in raw_lines(path, Problems())):
        return
    current: dict[WorkKey, tuple[datetime, Attention | None]] = {}
    for _, raw in raw_lines(path, Problems()):
        if (work := _work_on(raw)) is not None:
            key, saved_at, own = work
            if key not in current or saved_at > current[key][0]:
                current[key] = saved_at, own
    yield from ((key, own) for key, (_, own) in current.items() if own is not None)
