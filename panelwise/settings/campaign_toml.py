"""`campaign.toml`: a campaign's settings, written once by `annotator init` and edited by people."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.errors import FormatError
from panelwise.domain.setting import Row, setting_rows
from panelwise.settings.edit_toml import toml_value
from panelwise.settings.file_tables import (
    AssistantSettings,
    ImageSettings,
    StoreSettings,
    StudioSettings,
    ViewSettings,
)
from panelwise.settings.read_tables import Source, check_keys, read_table
from panelwise.settings.release_table import ReleaseSettings

FILE_NAME = "campaign.toml"

#: The tables beside the campaign's own settings, by name, in the order in which they are written.
TABLES: Mapping[str, type] = {
    "store": StoreSettings,
    "label_studio": StudioSettings,
    "images": ImageSettings,
    "view": ViewSettings,
    "assistant": AssistantSettings,
    "release": ReleaseSettings,
}
#: Settings that a new file has in any case.
_ALWAYS = {"name", "labels", "quorum", "second_reviewer", "guideline", "include"}
_ALWAYS_IN_PHASE = {"name", "task_type", "seeded"}
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """The file's content: the campaign's settings, and the tables by name."""

    campaign: Campaign
    store: StoreSettings = field(default_factory=StoreSettings)
    label_studio: StudioSettings = field(default_factory=StudioSettings)
    images: ImageSettings = field(default_factory=ImageSettings)
    view: ViewSettings = field(default_factory=ViewSettings)
    assistant: AssistantSettings = field(default_factory=AssistantSettings)
    release: ReleaseSettings = field(default_factory=ReleaseSettings)


def read_campaign(path: Path) -> CampaignFile:
    """Read the file. Raises FormatError with the place and what to do."""
    return parse_campaign(campaign_bytes(path), path)


def campaign_bytes(path: Path) -> bytes:
    """Return the file's bytes, not parsed. Raises FormatError if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; make a campaign's home with: annotator init DIR") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def parse_campaign(content: bytes, path: Path) -> CampaignFile:
    """Parse the content of the file at `path`. Raises FormatError with the place and what to do."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: not valid TOML: {error}") from None
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or tables in tables in tables.
        raise FormatError(f"{path}: cannot be read ({error}); correct that setting") from None
    source = Source(str(path), text)
    check_keys(data, sorted((*TABLES, *setting_rows(Campaign))), source, ())
    tables: dict[str, Any] = {
        name: read_table(kind, data.pop(name, {}), source, (name,)) for name, kind in TABLES.items()
    }
    if data.get("phases", []) == []:
        data["phases"] = [{"name": "1"}]
    return CampaignFile(read_table(Campaign, data, source), **tables)


# writing


def campaign_text(campaign: Campaign, *, notes: Mapping[str, str] | None = None, title: str = "") -> str:
    """Return a new file for `annotator init`, with comments.

    title: the kind of campaign. notes: comment above a phase, by the phase's name.
    """
    lines = [
        *([f"# {title}."] if title else []),
        "# A campaign of Panelwise: edit freely; every page and command reads it again.",
    ]
    for row in setting_rows(Campaign).values():
        if not is_dataclass(row.element):
            value = getattr(campaign, row.key)
            usual = row.key not in _ALWAYS and value == row.default
            lines += [*_comment(row), f"{'# ' if usual else ''}{row.key} = {toml_value(value)}"]
    lines += ["", "# The tables below show the defaults, or an example."]
    for name, kind in TABLES.items():
        listed = list(_table_lines(kind))
        lines += [f"# [{name}]", *listed] if listed else []
    explained: set[str] = set()
    for phase in campaign.phases:
        lines += phase_lines(phase, explained, note=(notes or {}).get(phase.name, ""))
    return "\n".join(lines) + "\n"


def _comment(row: Row) -> list[str]:
    """Return the description of a setting as comments, without the links of the reference page."""
    lines = textwrap.wrap(plain(row.setting.text), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def plain(text: str) -> str:
    """Return the text of a setting without Markdown's links and marks."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("`", "")


def _table_lines(kind: type) -> Iterator[str]:
    """Yield the settings of a table as comments, with their defaults or examples."""
    for key, row in setting_rows(kind).items():
        setting, text = row.setting, plain(row.setting.text)
        if setting.example:
            text = f"for example; default: {plain(setting.default) or 'none'}; {text}"
            yield f"# {key} = {setting.example}   # {text}"
        elif row.default not in ("", None, ()):
            yield f"# {key} = {usual_value(row)}   # {text}"


def usual_value(row: Row) -> str:
    """Return the default of a setting as TOML, with large numbers in groups of digits."""
    grouped = isinstance(row.default, int) and row.default >= 100_000
    return f"{row.default:_}" if grouped else toml_value(row.default)


def phase_lines(phase: Phase, explained: set[str], *, note: str = "") -> list[str]:
    """Return the table of one phase, as lines. explained: settings with a comment so far; grows."""
    lines = ["", *(f"# {line}" for line in note.splitlines()), "[[phases]]"]
    always = _ALWAYS_IN_PHASE | ({"single_span"} if phase.kind.drawn else set())
    for row in setting_rows(Phase).values():
        value = getattr(phase, row.key)
        if row.key not in always and value == row.default:
            continue
        if row.key not in explained:
            explained.add(row.key)
            lines += _comment(row)
        lines.append(f"{row.key} = {toml_value(value)}")
    return lines
