"""The tables [[phases]] of `campaign.toml`: read, validated, and written with comments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time

from panelwise.domain.campaign import Phase, Screen, TaskType, Visit
from panelwise.domain.figure import LARGEST
from panelwise.files.jsonl import Fields, kind_of

#: The settings of a phase, in the order in which they are written.
KEYS = (
    *("name", "task_type", "figures", "figures_of", "by_document", "batch", "batch_deadlines", "deadline"),
    *("annotators", "overlap", "overlap_annotators", "overlap_seeded", "seeded", "single_span", "fine_types"),
    *("reviewers", "blind", "given", "annotate_in", "visit", "show_ids", "training_phase", "pass_mark"),
    "hidden_gold",
)

#: Explanation of each setting, written once per file, above its first use.
_COMMENTS = {
    "figures": "So many of the campaign's figures, which no other phase draws; without it: all figures.",
    "figures_of": "The same figures as that phase's.",
    "by_document": "true: all figures of a source document go to one annotator.",
    "batch": "Figures to a batch; `annotator status` says when to release the next one.",
    "batch_deadlines": "When the first batches are due, one each; the others at the phase's deadline.",
    "overlap": "So many figures are done by several annotators; without it: every figure by everyone.",
    "overlap_annotators": "Who shares the overlap; without it: all annotators.",
    "overlap_seeded": "false: the figures of the overlap begin without pre-labels.",
    "seeded": "Show pre-labels to annotators; they raise agreement, and the report says by how much.",
    "single_span": "true: the guidelines ask for one span a subcaption where possible.",
    "fine_types": "true: annotators say the figures' types too.",
    "blind": "true: reviewers write the subcaptions of given subfigures, without seeing anyone else's.",
    "given": 'Whose subfigures are given: "gold", "prediction", "prediction:MODEL", or an annotator\'s name.',
    "annotate_in": 'Where annotators work: "label-studio", or "panelwise" for its own screen (annotator serve).',
    "visit": '"all": annotators look at every subfigure before they submit; only on Panelwise\'s own screen.',
    "show_ids": "false: annotators see numbers in place of the figures' ids; only on Panelwise's own screen.",
    "training_phase": "Annotators get these tasks once they have reached the pass_mark of that phase.",
    "pass_mark": "Mean F1 against the gold, in (0, 1], that is asked of annotators.",
    "hidden_gold": "Share of each annotator's tasks that are figures with gold, to measure the annotator.",
}


def read_phase(entry: Fields) -> Phase:
    """Return one phase. Raises FormatError with the setting, InvalidAnnotation for contradicting settings."""
    entry.only(KEYS, "setting of a phase")
    return Phase(
        name=_name(entry),
        task_type=entry.choice("task_type", TaskType, TaskType.SUBFIGURES),
        deadline=_deadline(entry),
        seeded=entry.flag("seeded", default=True),
        single_span=entry.flag("single_span", default=False),
        figures=_count(entry, "figures", 1),
        figures_of=_text_or_number(entry, "figures_of"),
        batch=_count(entry, "batch", 1),
        batch_deadlines=tuple(_batch_deadlines(entry)),
        overlap=_count(entry, "overlap", 0),
        overlap_annotators=entry.texts("overlap_annotators"),
        overlap_seeded=entry.flag("overlap_seeded", default=True),
        by_document=entry.flag("by_document", default=False),
        annotators=entry.texts("annotators"),
        reviewers=entry.texts("reviewers"),
        blind=entry.flag("blind", default=False),
        given=entry.optional_text("given"),
        fine_types=entry.flag("fine_types", default=False),
        annotate_in=entry.choice("annotate_in", Screen, Screen.LABEL_STUDIO),
        visit=entry.choice("visit", Visit, Visit.NONE),
        show_ids=entry.flag("show_ids", default=True),
        hidden_gold=entry.optional_number("hidden_gold") or 0.0,
        pass_mark=entry.optional_number("pass_mark"),
        training_phase=_text_or_number(entry, "training_phase"),
    )


def _name(entry: Fields) -> str:
    return _text_or_number(entry, "name") or entry.text("name")


def _text_or_number(entry: Fields, key: str) -> str:
    """Return a phase's name; people write 1 for "1"."""
    value = entry.record.get(key, "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return entry.optional_text(key)


def _count(entry: Fields, key: str, least: int) -> int | None:
    value = entry.optional_number(key)
    if value is None:
        return None
    if value != int(value) or not least <= value <= LARGEST:
        raise entry.error(key, f"holds {entry.record[key]}, not a whole number from {least} up")
    return int(value)


def _deadline(entry: Fields) -> datetime | None:
    value = entry.record.get("deadline")
    return None if value is None else _moment(entry, "deadline", value)


def _batch_deadlines(entry: Fields) -> Iterator[datetime]:
    for position, value in enumerate(entry.sequence("batch_deadlines")):
        yield _moment(entry, f"batch_deadlines[{position}]", value)


def _moment(entry: Fields, key: str, value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        what = value.isoformat() if isinstance(value, date | time) else kind_of(value)
        raise entry.error(key, f"is {what}, not a time with its zone; give one such as 2026-12-01T18:00:00Z")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise entry.error(key, f"is {value.isoformat()}, which is outside the years 1 to 9999 in UTC") from None


# writing


def phase_lines(phase: Phase, explained: set[str], *, note: str = "") -> list[str]:
    """Return the table of one phase, as lines. explained: settings with a comment so far; grows."""
    lines = ["", *(f"# {line}" for line in note.splitlines()), "[[phases]]"]
    usual = Phase(phase.name)
    always = {"name", "task_type", "seeded"}
    if phase.kind.drawn:
        always.add("single_span")
    for key in KEYS:
        value = getattr(phase, key)
        if key not in always and value == getattr(usual, key):
            continue
        if key in _COMMENTS and key not in explained:
            explained.add(key)
            lines.append(f"# {_COMMENTS[key]}")
        lines.append(f"{key} = {toml_value(value)}")
    return lines


def toml_value(value: object) -> str:
    """Return a setting's value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(each) for each in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml_value(each)}' for key, each in value.items())}}}"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return quoted(value) if isinstance(value, str) else str(value)


def quoted(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are a subset of TOML's, except for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def phases_lines(phases: tuple[Phase, ...], notes: Mapping[str, str]) -> list[str]:
    """Return the tables of all phases. notes: comment above a phase, by the phase's name."""
    said: set[str] = set()
    return [line for phase in phases for line in phase_lines(phase, said, note=notes.get(phase.name, ""))]
