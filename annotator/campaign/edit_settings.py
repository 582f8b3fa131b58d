"""Change campaign.toml and the guidelines: validated, without overwriting others' changes, with versions."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.campaign.guidelines import guidelines_path
from panelwise.domain import AnnotatorError, FormatError, Phase
from panelwise.runtime import locked, write_whole
from panelwise.settings import FILE_NAME, parse_campaign, phase_lines

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
    if parsed.store != home.settings.store:
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


def with_phase(settings: str, phase: Phase) -> str:
    """Return the text of campaign.toml with another phase at its end."""
    return "\n".join([settings.rstrip("\n"), *phase_lines(phase, set()), ""])
