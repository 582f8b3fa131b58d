"""Count how annotators worked on Panelwise's own screen, in campaigns and in the files that they export."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from agreement.reading import record_of
from annotator.campaign.home import Home
from annotator.measurement.sources import layout_of
from panelwise.domain import Attention, Status, WorkKey, attention_of, by_annotator
from panelwise.files import Problems, is_parquet, raw_lines
from panelwise.formats import Layout, Record, annotation_of, read_or_report, work_line


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
    record = record_of(raw)
    saved_at = None if record is None else _moment(record.saved_at or "")
    if record is not None and saved_at is not None:
        key = str(record.phase), record.annotator, record.figure_id, record.revision or 1
        return key, saved_at, _attention(record)
    line = work_line("", raw, Problems())
    work = None if line is None else read_or_report(annotation_of, line, OrderedDict(), Problems())
    if work is None:
        return None
    return (
        (work.phase, work.annotator, work.figure.id, int(work.figure.revision)),
        work.saved_at,
        attention_of(work),
    )


def _moment(text: str) -> datetime | None:
    """Return a plainly written time; None for any other."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _attention(record: Record) -> Attention | None:
    """Return the counts of a figure's subfigures, as `attention_of` does."""
    if record.viewed is None or record.status is not Status.ACCEPTED:
        return None
    labels = {part.label for part in record.subfigures}
    seen = len(labels.intersection(record.viewed))
    return Attention.of_figure(len(labels), seen, unchanged=record.unchanged is True, seconds=record.seconds)


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
