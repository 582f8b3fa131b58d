"""Change campaign.toml and the guidelines: validated, without overwriting others' changes, with versions."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.campaign.guidelines import guidelines_path
from panelwise.domain import AnnotatorError, FormatError, Phase
from panelwise.runtime import locked, write_whole
from panelwise.settings import FILE_NAME, parse_campaign, phase_lines, toml_value

if TYPE_CHECKING:
    from annotator.campaign.home import Home

#: Folder of earlier versions in the home.
HISTORY = "settings-history"
_STAMP = "%Y%m%d-%H%M%S"
_EARLIER = re.compile(r"(\d{8}-\d{6})[^-]*-(.+)")
_LOCK = "lock"
_REPLACED_BY = "# replaced by "


class SettingsConflict(AnnotatorError):
    """Somebody else saved other settings meanwhile."""


@dataclass(frozen=True, slots=True)
class Texts:
    """campaign.toml and the guidelines as they are in the home."""

    settings: str
    guidelines: str

    @classmethod
    def of(cls, home: Home) -> Texts:
        """Read both."""
        path = guidelines_path(home)
        return cls(
            (home.path / FILE_NAME).read_text("utf-8-sig"), "" if path is None else path.read_text("utf-8-sig")
        )

    @property
    def version(self) -> str:
        """Return what tells these texts from any others."""
        return hashlib.sha256(f"{self.settings}\0{self.guidelines}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier version of a file. by: who replaced it, at that time."""

    name: str
    at: datetime
    by: str
    text: str


def save_texts(home: Home, texts: Texts, by: str, *, loaded: str) -> None:
    """Replace the settings and the guidelines. loaded: the version that the change began from.

    Raises SettingsConflict if that is no longer the present one, FormatError with the place for invalid settings.
    """
    with locked(home.path / HISTORY / _LOCK):
        _save(home, texts, by, loaded)


def _save(home: Home, texts: Texts, by: str, loaded: str) -> None:
    before = Texts.of(home)
    if loaded != before.version:
        raise SettingsConflict("somebody else has saved other settings since you opened this page")
    parsed = parse_campaign(texts.settings.encode(), Path(FILE_NAME))
    if parsed.store_url != home.settings.store_url:
        raise FormatError("[store] url cannot be changed here; stop the server and edit campaign.toml")
    _replace(home.path, FILE_NAME, before.settings, texts.settings, by)
    _replace(home.path, parsed.campaign.guideline_file, before.guidelines, texts.guidelines, by)


def _replace(home: Path, name: str, before: str, after: str, by: str) -> None:
    if before == after:
        return
    if before:
        stamp = datetime.now(UTC).strftime(f"{_STAMP}.%f")
        place = home / HISTORY / f"{stamp}-{name.replace('/', '-')}"
        write_whole(place, f"{_REPLACED_BY}{by}\n{before}".encode(), mode=0o600)
    write_whole(home / name, after.encode(), lasting=True)


def earlier_versions(home: Home, *, limit: int) -> list[Earlier]:
    """Return the latest earlier versions of both files, the newest first."""
    place = home.path / HISTORY
    names = sorted((each.name for each in place.iterdir()), reverse=True) if place.is_dir() else []
    named = [found for name in names if (found := _EARLIER.fullmatch(name))]
    return [_earlier(place / found[0], *found.groups()) for found in named[:limit]]


def _earlier(file: Path, stamp: str, name: str) -> Earlier:
    head, _, text = file.read_text("utf-8").partition("\n")
    at = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    return Earlier(name, at, head.removeprefix(_REPLACED_BY), text)


def with_values(settings: str, values: Mapping[str, object], *, phase: int | None = None, table: str = "") -> str:
    """Return the text of campaign.toml with other values of its top-level keys; comments and order stay.

    values: None takes a key out. phase: change the keys of that one of [[phases]], counted from 0. table: change
    the keys of that table, which is added if it is not there. Raises FormatError if the text is written so that
    this fails; it can then be edited as text.
    """
    if table:
        settings = _with_table(settings, table)
    start, end = _section(settings, phase, table)
    part = settings[start:end]
    for key, value in values.items():
        part = _with_value(part, key, value)
    text = f"{settings[:start]}{part}{settings[end:]}"
    try:
        read = tomllib.loads(text)
        written = read[table] if table else read if phase is None else read["phases"][phase]
    except (tomllib.TOMLDecodeError, LookupError):
        written = None
    wrong = [key for key, value in values.items() if written is None or written.get(key) != value]
    if wrong:
        raise FormatError(f"{FILE_NAME}: {wrong[0]} cannot be changed by the form; change it in the text below")
    return text


def _with_table(settings: str, table: str) -> str:
    """Return the text with the head of a table: the one that a new file has as a comment, else at the end."""
    if re.search(rf"^[ \t]*\[[ \t]*{table}[ \t]*\]", settings, re.M):
        return settings
    commented = re.compile(rf"^#[ \t]*(\[{table}\])", re.M)
    if commented.search(settings):
        return commented.sub(r"\1", settings, count=1)
    return "\n".join([settings.rstrip("\n"), "", f"[{table}]", ""])


def _section(settings: str, phase: int | None, table: str = "") -> tuple[int, int]:
    """Return begin and end of what stands above the first table, or in a table; of nothing if that is missing."""
    tables = [(each.start(), each[0]) for each in re.finditer(r"^[ \t]*\[+[^\]\n]*\]+", settings, re.M)]
    starts = [start for start, _ in tables] + [len(settings)]
    if table:
        named = [
            number for number, (_, head) in enumerate(tables) if head.replace(" ", "").strip() == f"[{table}]"
        ]
        return (starts[named[0]], starts[named[0] + 1]) if named else (len(settings), len(settings))
    if phase is None:
        return 0, starts[0]
    phases = [number for number, (_, head) in enumerate(tables) if head.replace(" ", "").strip() == "[[phases]]"]
    if phase >= len(phases):
        return len(settings), len(settings)
    return starts[phases[phase]], starts[phases[phase] + 1]


def _with_value(part: str, key: str, value: object) -> str:
    line = f"{key} = {toml_value(value)}"
    for mark in ("", "# "):
        if found := re.search(rf"^{mark}{key}[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*)\n?", part, re.M):
            if value is not None:
                return f"{part[: found.start()]}{line}\n{part[found.end() :]}"
            return part if mark else f"{part[: found.start()]}{part[found.end() :]}"
    if value is None:
        return part
    head = re.match(r"[ \t]*\[[^\n]*\n?", part)
    above = head[0] if head else ""
    return f"{above}{line}\n{part[len(above) :]}"


def with_phase(settings: str, phase: Phase) -> str:
    """Return the text of campaign.toml with another phase at its end."""
    return "\n".join([settings.rstrip("\n"), *phase_lines(phase, set()), ""])
