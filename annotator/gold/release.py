"""Preview a release, and freeze the current gold as one: a numbered folder with a manifest, never overwritten.

A release is written to a temporary folder, synced to disk and then renamed, so it is complete or absent. Only one
is made at a time, so that numbers are unique.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Anonymizer, Names
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.gold.dataset.licences import licence_of, may_copy
from annotator.gold.dataset.splits import earlier_splits
from annotator.gold.manifest import Manifest
from annotator.gold.release_contents import Contents, Watch
from annotator.gold.releases import Release, releases, releases_folder
from annotator.store.store import Store
from panelwise.domain import AnnotatorError, FigureState, GoldSource
from panelwise.formats import time_text
from panelwise.runtime import MAKING, locked, put_folder

#: Valid names of a release, which is part of a folder name here and wherever it is copied.
NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
_LOCK = ".lock"


@dataclass(slots=True)
class Released:
    """A release that was made. warnings: what the lead should know, a line each.

    manifest_sha256: the hash that vouches for all the others.
    """

    release: Release
    manifest: Manifest
    manifest_sha256: str
    tally: GoldTally
    warnings: list[str]


def make_release(
    home: Home,
    store: Store,
    name: str,
    *,
    note: str = "",
    names: Names = Names.PSEUDONYMS,
    images: bool = False,
    include: Collection[GoldSource] | None = None,
    watch: Watch = iter,
    now: datetime | None = None,
) -> Released:
    """Freeze the current gold under HOME/releases/NNN-NAME.

    Other figures are left out and listed in the manifest. include: sources that count as gold, None for those of
    campaign.toml. names: kind of names in all files. images: whether to include the images. Waits while another
    release is being made. Raises AnnotatorError, without a release, for an invalid or used name, without any gold,
    and if an image can't be copied.
    """
    check_release_name(home, name)
    folder = releases_folder(home)
    folder.mkdir(exist_ok=True)
    with _alone(folder) as last:
        number = _next_number(home, name, last)
        making = Path(tempfile.mkdtemp(prefix=MAKING, dir=folder))
        try:
            made = Contents(home, making, images=images, include=include, frozen=earlier_splits(releases(home)))
            with store.read() as tx:
                people = Anonymizer(home, tx, names)
                made.write_gold(tx, people, watch)
                made.write_annotations(tx, people)
                made.write_predictions(tx)
            made.write_dataset()
            created_at = time_text((now or datetime.now(UTC)).replace(microsecond=0))
            manifest = made.manifest(number=number, name=name, created_at=created_at, note=note, names=names.value)
            digest = made.finish(manifest)
            path = folder / f"{number:03}-{name}"
            # Before the release exists: a kill in between skips a number rather than using it twice.
            _keep_last(folder, number)
            put_folder(making, path)
        except BaseException as error:
            shutil.rmtree(making, ignore_errors=True)
            if isinstance(error, OSError) and str(error.filename or making).startswith(str(making)):
                # Not the name that is gone; a full disk names none.
                error.filename, error.filename2 = str(folder), None
            raise
    warnings = made.warnings + people.warnings()
    if people.text is not None and people.text.names_in(note):
        warnings.append(
            "the note of the release contains the name of a person and is in the manifest unchanged; "
            f"to change it, remove {path} and release again"
        )
    return Released(Release(path, number, name), manifest, digest, made.tally, warnings)


def check_release_name(home: Home, name: str) -> list[Release]:
    """Return the present releases. Raises AnnotatorError for a name that is invalid or used, ignoring case."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise AnnotatorError(
            f"{name[:80]!r} is not a valid release name; use 1 to 64 letters, digits, dots, hyphens or "
            "underscores, starting with a letter or digit"
        )
    there = releases(home)
    for each in there:
        if each.name.casefold() == name.casefold():
            raise AnnotatorError(
                f'release "{each.name}" already exists ({each.path.name}) and is never overwritten; '
                "use another name"
            )
    return there


def _next_number(home: Home, name: str, last: int) -> int:
    """Return the number of the next release. Raises AnnotatorError if another one has taken the name meanwhile."""
    there = check_release_name(home, name)
    return max([last, *(each.number for each in there)]) + 1


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """Be the only one who makes a release here; gives the number of the last one ever made.

    What a release that broke off has left is removed.
    """
    with locked(folder / _LOCK) as lock:
        for left in folder.glob(f"{MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)
        kept = os.pread(lock, 64, 0).strip()
        yield int(kept) if kept.isdigit() else 0


def _keep_last(folder: Path, number: int) -> None:
    """So that the number of a withdrawn release is not given again. In the lock's own file: it is not replaced."""
    handle = os.open(folder / _LOCK, os.O_WRONLY)
    try:
        # Numbers only grow, so the new one covers the old one; emptied first, a kill in between would lose it.
        os.pwrite(handle, f"{number}\n".encode("ascii"), 0)
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class ReleasePreview:
    """Counts of figures.

    figures: in the gold. left_out: state -> those that a release leaves out. licences: licence -> figures of the
    gold, "" if none is stated; those of `figure_licence` count as stated. images: figures whose licence allows a
    copy of the image. without_document: figures that name no article.
    """

    figures: int
    left_out: dict[FigureState, int]
    licences: dict[str, int]
    images: int
    without_document: int


def preview_release(home: Home, store: Store) -> ReleasePreview:
    """Compute the present gold and count what a release of it would hold."""
    settings = home.settings.release
    left_out: dict[str, FigureState] = {}
    licences: Counter[str] = Counter()
    images = without_document = 0
    with store.read() as tx:
        for gold in gold_in(tx, home.campaign, GoldTally(), left_out):
            figure = gold.figure
            licence = licence_of({**figure.extra, "source": figure.source}, otherwise=settings.figure_licence)
            licences[licence] += 1
            images += bool(figure.image) and may_copy(licence, settings.image_licences)
            without_document += not figure.document
    states = Counter(left_out.values())
    return ReleasePreview(
        licences.total(),
        {state: states[state] for state in FigureState if states[state]},
        dict(sorted(licences.items())),
        images,
        without_document,
    )
