"""`campaign.toml`: a campaign's settings, written once by `annotator init` and edited by people."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotator.domain.campaign import Campaign, Phase, TaskType
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.jsonl import Fields

FILE_NAME = "campaign.toml"


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """What the file says. store_url: "" for the file beside it. label_studio_url: "" for the embedded server."""

    campaign: Campaign
    store_url: str = ""
    label_studio_url: str = ""


def read_campaign(path: Path) -> CampaignFile:
    """Read the file. Raises FormatError naming the place and the mend."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; make a campaign's home with: annotator init DIR") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    fields = Fields(str(path), data)
    known = {"name", "labels", "quorum", "guideline", "phases", "store", "label_studio"}
    for key in data:
        if key not in known:
            raise fields.error(key, f"is no known setting; known are {', '.join(sorted(known))}")
    try:
        quorum = fields.size("quorum")
        campaign = Campaign(
            name=fields.text("name"),
            phases=tuple(_phase(entry) for entry in fields.objects("phases")) or (Phase("1"),),
            labels=fields.texts("labels"),
            guideline=fields.optional_text("guideline"),
            quorum=2 if quorum is None else quorum,
        )
    except FormatError:
        raise
    except AnnotatorError as error:
        raise FormatError(f"{path}: {error}") from None
    if not campaign.labels:
        raise fields.error("labels", 'is empty; give the labels of subfigures, such as ["A", "B", "C"]')
    return CampaignFile(
        campaign,
        store_url=Fields(str(path), fields.mapping("store"), "store.").optional_text("url"),
        label_studio_url=Fields(str(path), fields.mapping("label_studio"), "label_studio.").optional_text("url"),
    )


def _phase(entry: Fields) -> Phase:
    text = entry.optional_text("task_type") or TaskType.SUBFIGURES.value
    try:
        task_type = TaskType(text)
    except ValueError:
        known = ", ".join(each.value for each in TaskType)
        raise entry.error("task_type", f'is "{text}"; give one of {known}') from None
    return Phase(
        name=str(entry.record.get("name", "")) or entry.text("name"),
        task_type=task_type,
        deadline=_deadline(entry),
        seeded=_flag(entry, "seeded", default=True),
        single_span=_flag(entry, "single_span", default=False),
    )


def _flag(entry: Fields, key: str, *, default: bool) -> bool:
    value: Any = entry.record.get(key, default)
    if not isinstance(value, bool):
        raise entry.error(key, "is neither true nor false")
    return value


def _deadline(entry: Fields) -> datetime | None:
    value = entry.record.get("deadline")
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise entry.error("deadline", "is not a time with its zone, such as 2026-12-01T18:00:00Z")
    return value.astimezone(UTC)


def campaign_text(campaign: Campaign) -> str:
    """A fresh file for `annotator init`, with comments for whoever edits it."""
    labels = ", ".join(_quoted(label) for label in campaign.labels)
    lines = [
        "# A campaign of Panelwise: edit freely; `annotator` reads it at every command.",
        f"name = {_quoted(campaign.name)}",
        "# The labels that subfigures are named from, in reading order.",
        f"labels = [{labels}]",
        "# How many annotators must have a subfigure for it to be preselected in adjudication.",
        f"quorum = {campaign.quorum}",
        "# Version of the guidelines that annotators work by; kept with each annotation.",
        f"guideline = {_quoted(campaign.guideline)}",
        "",
        "# [store]                # default: store.sqlite beside this file",
        '# url = "postgresql://user@host/database"',
        "# [label_studio]         # default: a server of its own, run by `annotator studio`",
        '# url = "https://label-studio.example.org"   # token: environment LABEL_STUDIO_API_KEY',
    ]
    for phase in campaign.phases:
        lines += [
            "",
            "[[phases]]",
            f"name = {_quoted(phase.name)}",
            f"task_type = {_quoted(phase.task_type.value)}",
            "# Show pre-labels to annotators; they raise agreement, and the report says by how much.",
            f"seeded = {str(phase.seeded).lower()}",
            f"single_span = {str(phase.single_span).lower()}",
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML basic string: JSON's escapes are a subset of its own, but for DEL."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
