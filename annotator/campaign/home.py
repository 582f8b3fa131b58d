"""A campaign home: the folder of its settings, store, images, secrets and embedded server."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain import GUIDELINE_FILE, AnnotatorError, Campaign, Figure, FormatError, Phase, StoreError
from panelwise.runtime import write_whole
from panelwise.settings import (
    FILE_NAME,
    CampaignFile,
    campaign_bytes,
    campaign_text,
    parse_campaign,
    secret_setting,
)

if TYPE_CHECKING:
    from annotator.store.store import Store

#: Labels of a new campaign; edit campaign.toml for the rare figures with more panels.
DEFAULT_LABELS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def name_of(folder: Path) -> str:
    """Return the default name of a campaign, which is that of its folder."""
    return folder.resolve().name or "campaign"


def _holds_text(file: Path) -> bool:
    """Return whether the file exists and is not empty, as a full disk may leave it."""
    return file.exists() and file.stat().st_size > 0


@dataclass(frozen=True, slots=True)
class LabelStudioSettings:
    """Address of the annotation server. url: "" for the embedded one. token: "" if not set.

    public_url: address for people; "" if it is `url`.
    """

    url: str
    token: str
    public_url: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """A campaign home with its settings.

    content: campaign.toml from which the settings were read. uncertain: the file can't be read now, or changed so
    recently that it may be half written; the settings are the last readable ones. See `LiveHome`.
    """

    path: Path
    settings: CampaignFile
    content: bytes = field(default=b"", compare=False, repr=False)
    uncertain: bool = False

    @classmethod
    def find(cls, path: Path | None = None) -> Home:
        """Open the home at `given`, else at PANELWISE_HOME, else in the current directory.

        Raises FormatError if there is none or its campaign.toml is invalid.
        """
        path = (path or Path(os.environ.get("PANELWISE_HOME") or ".")).resolve()
        if not (path / FILE_NAME).is_file():
            raise FormatError(
                f"{path}: no campaign here ({FILE_NAME} is missing); "
                "create one with `annotator init DIR`, or name one with --home DIR"
            )
        content = campaign_bytes(path / FILE_NAME)
        return cls(path, parse_campaign(content, path / FILE_NAME), content)

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        name: str = "",
        labels: tuple[str, ...] = DEFAULT_LABELS,
        settings: str = "",
        guidelines: str = "",
    ) -> Home:
        """Create a home at `path`: campaign.toml, store, images/, secret.key. An existing home is not changed.

        settings: the text of campaign.toml; without it, name and labels are used. guidelines: initial text.
        """
        path = path.resolve()
        settings = settings or campaign_text(Campaign(name or name_of(path), (Phase("1"),), labels))
        # Password hashes and a secret lie in it: a new home is its owner's only.
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        (path / "images").mkdir(exist_ok=True)
        if not _holds_text(path / FILE_NAME):
            # The settings last: where the disk is full before, the next try goes on.
            if guidelines and not _holds_text(path / GUIDELINE_FILE):
                write_whole(path / GUIDELINE_FILE, guidelines.encode(), lasting=True)
            write_whole(path / FILE_NAME, settings.encode(), lasting=True)
        home = cls.find(path)
        home.secret()
        home.open_store(create=True).close()
        return home

    @property
    def campaign(self) -> Campaign:
        """The campaign's settings."""
        return self.settings.campaign

    @property
    def images(self) -> Path:
        """Return the folder of stored images."""
        return self.path / "images"

    @property
    def store_location(self) -> str | Path:
        """Return the location of the store: the URL if one is set, else a file of the home."""
        return os.environ.get("PANELWISE_STORE_URL") or self.settings.store.url or self.path / "store.sqlite"

    @property
    def label_studio(self) -> LabelStudioSettings:
        """Return the server of campaign.toml or LABEL_STUDIO_URL, with the token in LABEL_STUDIO_API_KEY[_FILE].

        Behind a proxy, LABEL_STUDIO_PUBLIC_URL is its address for people.
        """
        return LabelStudioSettings(
            url=(os.environ.get("LABEL_STUDIO_URL") or self.settings.label_studio.url).rstrip("/"),
            token=secret_setting("LABEL_STUDIO_API_KEY"),
            public_url=os.environ.get("LABEL_STUDIO_PUBLIC_URL", "").rstrip("/"),
        )

    @property
    def view_url(self) -> str:
        """Return the public address of the view: PANELWISE_PUBLIC_URL, else campaign.toml's; "" if none."""
        return os.environ.get("PANELWISE_PUBLIC_URL", "").rstrip("/") or self.settings.view.public_url

    def open_store(self, *, create: bool = False, reading: bool = False) -> Store:
        """Open the campaign's store. reading: never write, so that a full or read-only disk is no error.

        Raises StoreError if it can't be opened.
        """
        from annotator.store.database.engine import spare_folder
        from annotator.store.store import Store

        spare = spare_folder() if reading else None
        return Store.open(self.store_location, create=create, spare=spare, copies=self.path)

    def secret(self) -> bytes:
        """Return the home's secret (sessions, pseudonyms), created on first use, readable by its owner only."""
        file = self.path / "secret.key"
        try:
            secret = file.read_bytes().strip()
        except FileNotFoundError:
            secret = secrets.token_hex(32).encode()
            try:
                write_whole(file, secret + b"\n", lasting=True, mode=0o600, new=True)
            except FileExistsError:
                return self.secret()  # Another process made one meanwhile.
        if len(secret) < 32:
            raise AnnotatorError(f"{file}: is too short; remove it to create a new one")
        return secret

    def check_secret(self) -> None:
        """Raise AnnotatorError if other users of this machine can read or write the secret.

        It secures sessions, links for setting passwords, and pseudonyms.
        """
        self.secret()
        file = self.path / "secret.key"
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise AnnotatorError(
                f"{file}: other users of this machine can read it; run chmod 600 {file}, and if someone may have "
                "read it, remove it: everyone then has to sign in again, and pseudonyms change"
            )

    def image_path(self, figure: Figure) -> Path:
        """Return the absolute path of a figure's stored image. Raises AnnotatorError if it is outside the home."""
        if not figure.image:
            raise AnnotatorError(
                f'figure "{figure.id}": has no stored image; import it again with its image and --revise'
            )
        return self.image_file(figure.image, figure.id)

    def image_file(self, image: str, figure_id: str) -> Path:
        """Return the absolute path of a stored image by its name in the store; see `image_path`."""
        path = (self.path / image).resolve()
        if not path.is_relative_to(self.images.resolve()):
            raise AnnotatorError(f'figure "{figure_id}": its image "{image}" is not in {self.images}')
        return path


#: Seconds without further changes until a change of campaign.toml counts as complete: a half-written file may lack
#: a blind phase.
COMPLETE_AFTER = 1.0


class LiveHome:
    """A home for long-running programs, which reads campaign.toml at each access. Thread-safe.

    The whole file, a few kilobytes, is read, and parsed if it changed: its size and time alone would miss an edit
    of equal length within one tick of the file system.

    report: called with one line, once, if the file can't be read or names another store.
    """

    def __init__(self, home: Home, *, report: Callable[[str], None]) -> None:
        self._lock = threading.Lock()
        self._store_location = home.store_location
        self._home = home
        self._content: bytes | None = home.content
        self._changed = float("-inf")
        self._report = report
        #: The error in campaign.toml when it was last read, or "".
        self.problem = ""

    def current(self) -> Home:
        """Return the home with its current settings, or the last readable ones.

        See `Home.uncertain`. The opened store doesn't change; see `check_store`.
        """
        file = self._home.path / FILE_NAME
        with self._lock:
            content, unchanged_for, problem = None, 0.0, ""
            try:
                content = campaign_bytes(file)
                unchanged_for = time.time() - file.stat().st_mtime
            except (FormatError, OSError) as error:
                problem = str(error)
            if content != self._content:
                self._content, self._changed = content, time.monotonic()
                self.problem = problem if content is None else self._take_over(content, file)
                if self.problem:
                    self._report(f"{self.problem}; the earlier settings apply until it is corrected")
                elif self._home.store_location != self._store_location:
                    self._report(self._moved())
            # By either clock: the file system's may be wrong, and who asks first may come late.
            age = max(unchanged_for, time.monotonic() - self._changed)
            return replace(self._home, uncertain=bool(self.problem) or age < COMPLETE_AFTER)

    def check_store(self) -> None:
        """Raise StoreError while campaign.toml names another store than the opened one.

        Work saved in the old store would be missing in the new one.
        """
        if self.current().store_location != self._store_location:
            raise StoreError(self._moved())

    def _take_over(self, content: bytes, file: Path) -> str:
        """Use these settings; returns their error, or ""."""
        try:
            settings = parse_campaign(content, file)
        except FormatError as error:
            return str(error)
        self._home = replace(self._home, settings=settings, content=content)
        return ""

    def _moved(self) -> str:
        return f"{self._home.path / FILE_NAME}: now names another store; restart this program"
