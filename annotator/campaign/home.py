"""A campaign's home: the folder that holds its settings, store, images, secrets and embedded server."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain.campaign import GUIDELINE_FILE, Campaign, Phase
from panelwise.domain.errors import AnnotatorError, FormatError, StoreError
from panelwise.domain.figure import Figure
from panelwise.runtime.atomic_write import write_whole
from panelwise.settings.campaign_toml import (
    FILE_NAME,
    CampaignFile,
    campaign_bytes,
    campaign_text,
    parse_campaign,
)
from panelwise.settings.secrets import secret_setting

if TYPE_CHECKING:
    from annotator.store.store import Store

#: Labels a fresh campaign offers; figures of more panels are rare (edit campaign.toml for them).
DEFAULT_LABELS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def name_of(folder: Path) -> str:
    """What a campaign is called that was not given a name: as its folder."""
    return folder.resolve().name or "campaign"


def _holds_text(file: Path) -> bool:
    """Whether the file is there with something in it; a full disk may have left an empty one."""
    return file.exists() and file.stat().st_size > 0


@dataclass(frozen=True, slots=True)
class LabelStudioSettings:
    """Where the annotation server is. url: "" for the embedded one. token: "" where none is set.

    public_url: where people open it; "" where that is `url`.
    """

    url: str
    token: str
    public_url: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """The folder and what its campaign.toml says.

    content: campaign.toml as the settings were read from it. uncertain: the file cannot be read now, or changed so
    lately that it may be half written; the settings are the last that could be read. See `LiveHome`.
    """

    path: Path
    settings: CampaignFile
    content: bytes = field(default=b"", compare=False, repr=False)
    uncertain: bool = False

    @classmethod
    def find(cls, path: Path | None = None) -> Home:
        """The home at `given`, else at PANELWISE_HOME, else the current directory.

        Raises FormatError where there is none or its campaign.toml is broken.
        """
        path = (path or Path(os.environ.get("PANELWISE_HOME") or ".")).resolve()
        if not (path / FILE_NAME).is_file():
            raise FormatError(
                f"{path}: no campaign here ({FILE_NAME} is missing); "
                "make one with `annotator init DIR`, or name one with --home DIR"
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
        """Make a home at `path`: campaign.toml, store, images/, secret.key. An existing home is left as it is.

        settings: the text of campaign.toml, which name and labels are for otherwise. guidelines: to begin with.
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
        """The folder of stored images."""
        return self.path / "images"

    @property
    def store_location(self) -> str | Path:
        """Where the store is: a URL where one is set, else a file of the home."""
        return os.environ.get("PANELWISE_STORE_URL") or self.settings.store_url or self.path / "store.sqlite"

    @property
    def label_studio(self) -> LabelStudioSettings:
        """The server named in campaign.toml, or by LABEL_STUDIO_URL; the token by LABEL_STUDIO_API_KEY[_FILE].

        Where it is behind a proxy, LABEL_STUDIO_PUBLIC_URL says where people open it.
        """
        return LabelStudioSettings(
            url=(os.environ.get("LABEL_STUDIO_URL") or self.settings.label_studio_url).rstrip("/"),
            token=secret_setting("LABEL_STUDIO_API_KEY"),
            public_url=os.environ.get("LABEL_STUDIO_PUBLIC_URL", "").rstrip("/"),
        )

    @property
    def view_url(self) -> str:
        """Where people open the adjudication view, by PANELWISE_PUBLIC_URL; "" where that is not set."""
        return os.environ.get("PANELWISE_PUBLIC_URL", "").rstrip("/")

    def open_store(self, *, create: bool = False, reading: bool = False) -> Store:
        """The campaign's store; StoreError where it cannot be opened.

        reading: nothing is to be written, so that it can be read while its disk is full or read-only.
        """
        from annotator.store.database.engine import spare_folder
        from annotator.store.store import Store

        return Store.open(self.store_location, create=create, spare=spare_folder() if reading else None)

    def secret(self) -> bytes:
        """The home's secret (sessions, anonymous names), made on first use, readable by its owner only."""
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
            raise AnnotatorError(f"{file}: is too short to be a secret; remove it to have a new one made")
        return secret

    def check_secret(self) -> None:
        """Raise AnnotatorError where others on this machine may read the secret, or write it.

        Sessions, links by which passwords are set, and pseudonyms are made with it.
        """
        self.secret()
        file = self.path / "secret.key"
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise AnnotatorError(
                f"{file}: others on this machine may read it; run chmod 600 {file}, and where somebody may have "
                "read it, remove it: everybody signs in anew then, and pseudonyms change"
            )

    def image_path(self, figure: Figure) -> Path:
        """Absolute path of a figure's stored image. Raises AnnotatorError where it would leave the home."""
        if not figure.image:
            raise AnnotatorError(
                f'figure "{figure.id}": has no image here; import it again with its image and --revise'
            )
        return self.image_file(figure.image, figure.id)

    def image_file(self, image: str, figure_id: str) -> Path:
        """Absolute path of a stored image by its name in the store; see `image_path`."""
        path = (self.path / image).resolve()
        if not path.is_relative_to(self.images.resolve()):
            raise AnnotatorError(f'figure "{figure_id}": its image "{image}" is not in {self.images}')
        return path


#: Seconds for which campaign.toml must have been left alone until a change counts as complete: a program that
#: saves it may have written half of it, in which a phase that is blind is missing.
COMPLETE_AFTER = 1.0


class LiveHome:
    """A home for programs that run on: campaign.toml is read whenever somebody asks for the home.

    The whole file is read, a few kilobytes, and parsed where it differs: its size and time of change alone would
    miss an edit of the same length within one tick of the file system. Threads may ask at the same time.

    report: is given one line when the file cannot be read, or names another store; once, not at every request.
    """

    def __init__(self, home: Home, *, report: Callable[[str], None]) -> None:
        self._lock = threading.Lock()
        self._store_location = home.store_location
        self._home = home
        self._content: bytes | None = home.content
        self._changed = float("-inf")
        self._report = report
        #: What is wrong with campaign.toml as it was read last, "" where nothing is.
        self.problem = ""

    def current(self) -> Home:
        """The home with its settings as they are now, or as they were last where they cannot be read.

        See `Home.uncertain`. The store that was opened stays the home's; see `check_store`.
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
        """Raise StoreError while campaign.toml names another store than the one that was opened.

        What is saved in the old one would be missing in the new one.
        """
        if self.current().store_location != self._store_location:
            raise StoreError(self._moved())

    def _take_over(self, content: bytes, file: Path) -> str:
        """Make these the settings; returns what is wrong with them, "" where nothing is."""
        try:
            settings = parse_campaign(content, file)
        except FormatError as error:
            return str(error)
        self._home = replace(self._home, settings=settings, content=content)
        return ""

    def _moved(self) -> str:
        return f"{self._home.path / FILE_NAME}: names another store now; stop this program and start it again"
