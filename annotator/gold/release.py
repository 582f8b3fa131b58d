"""Freeze the current gold as a release: a numbered folder with a manifest, never overwritten.

A release is written to a temporary folder, synced to disk and then renamed, so it is complete or absent. Only one
is made at a time, so that numbers are unique.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from annotator.campaign.pseudonyms import FreeText, Names, annotation_under, gold_under, naming
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.gold.image_copies import ImageCopies, reader_name
from annotator.gold.release_agreement import agreement_record
from annotator.gold.releases import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    SUMS,
    Release,
    releases,
    releases_folder,
    sha256_of,
    sums_text,
)
from panelwise.domain.decision import REVIEWED, FigureState, GoldSource
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import encode_line
from panelwise.formats.annotations import annotation_record, time_text
from panelwise.formats.figures import figure_record
from panelwise.formats.medicat import gold_record
from panelwise.runtime.atomic_write import put_folder
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.campaign.pseudonyms import Naming
    from annotator.store.store import Store, Transaction
    from panelwise.domain.decision import Gold

#: Valid names of a release, which is part of a folder name here and wherever it is copied.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MAKING = ".making-"
_LOCK = ".lock"

#: Yields its input and shows progress.
Watch = Callable[[Iterable["Gold"]], Iterable["Gold"]]


@dataclass(slots=True)
class Released:
    """A release that was made. told: of pseudonyms, what their free text may tell, a line each.

    manifest_sha256: the hash that vouches for all the others.
    """

    release: Release
    manifest: Mapping[str, Any]
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
    if not _NAME.fullmatch(name):
        raise AnnotatorError(
            f"{name[:80]!r} is not a valid release name; use 1 to 64 letters, digits, dots, hyphens or "
            f"underscores, "
            "starting with a letter or digit"
        )
    folder = releases_folder(home)
    folder.mkdir(exist_ok=True)
    with _alone(folder) as last:
        number = _next_number(home, name, last)
        making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=folder))
        try:
            made = _Making(home, making, images=images, include=include)
            with store.read() as tx:
                of = naming(home, tx, names)
                made.write_gold(tx, of, watch)
                made.write_annotations(tx, of)
            manifest = {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                "number": number,
                "name": name,
                "created_at": time_text((now or datetime.now(UTC)).replace(microsecond=0)),
                "note": note,
                "names": names.value,
                **made.manifest(),
            }
            digest = made.finish(manifest)
            path = folder / f"{number:03}-{name}"
            # Before the release exists: a kill in between skips a number rather than using it twice.
            _keep_last(folder, number)
            put_folder(making, path)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
    told = made.text.warnings() if names is Names.PSEUDONYMS else []
    if names is Names.PSEUDONYMS and made.text.names_in(note):
        told.append(
            "the note of the release contains the name of a person and is in the manifest unchanged; "
            f"to change it, remove {path} and release again"
        )
    return Released(Release(path, number, name), manifest, digest, made.tally, told)


def _next_number(home: Home, name: str, last: int) -> int:
    """Raises AnnotatorError where there is a release of that name, in whatever case."""
    there = releases(home)
    for each in there:
        if each.name.casefold() == name.casefold():
            raise AnnotatorError(
                f'release "{each.name}" already exists ({each.path.name}) and is never overwritten; '
                "use another name"
            )
    return max([last, *(each.number for each in there)]) + 1


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """Be the only one who makes a release here; gives the number of the last one ever made.

    What a release that broke off has left is removed.
    """
    with (folder / _LOCK).open("a+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in folder.glob(f"{_MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)
        lock.seek(0)
        kept = lock.read().strip()
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


@dataclass(slots=True)
class _File:
    """A file being written, with what the manifest says of it."""

    out: BinaryIO
    digest: Any = field(default_factory=hashlib.sha256)
    size: int = 0
    lines: int = 0

    def add(self, record: Mapping[str, Any]) -> None:
        line = encode_line(record)
        self.out.write(line)
        self.digest.update(line)
        self.size += len(line)
        self.lines += 1

    def record(self) -> dict[str, Any]:
        return {"sha256": self.digest.hexdigest(), "bytes": self.size, "lines": self.lines}


class _Making:
    """The files of one release, and what its manifest counts."""

    def __init__(self, home: Home, folder: Path, *, images: bool, include: Collection[GoldSource] | None) -> None:
        self._home = home
        self._include = home.campaign.gold_sources if include is None else include
        self._folder = folder
        self._copies = ImageCopies(home, folder / "images") if images else None
        self._files: dict[str, dict[str, Any]] = {}
        self._figures: dict[str, dict[str, Any]] = {}
        self._counts: Counter[str] = Counter()
        self._splits: dict[str, tuple[Counter[str], set[str]]] = {}
        self._documents: set[str] = set()
        self._guidelines: Counter[str] = Counter()
        self._agreement: dict[str, Any] = {}
        self.tally = GoldTally()
        self.text = FreeText(())

    def write_gold(self, tx: Transaction, of: Naming, watch: Watch) -> None:
        """gold.jsonl and figures.jsonl, a line each per figure, in one order; the images beside them."""
        self.text = FreeText(tx.names.all())
        with self._file("gold.jsonl") as lines, self._file("figures.jsonl") as figures:
            for gold in watch(gold_in(tx, self._home.campaign, self.tally, include=self._include)):
                record = gold_record(gold if of is str else gold_under(gold, of))
                figures.add(self._figure(gold, record))
                lines.add(record)
                self.text.look_at(gold.figure.id, gold.items, *gold.provenance.texts())
        if not self._figures:
            raise AnnotatorError(
                f"{self._home.path}: no gold figures to release{_also(self.tally)}; see `annotator status`"
            )

    def _figure(self, gold: Gold, record: dict[str, Any]) -> dict[str, Any]:
        """The record of figures.jsonl, and an entry in all the counts.

        The gold record names the image's copy, be it along or not: the same gold is the same bytes.
        """
        figure = gold.figure
        entry: dict[str, Any] = {
            "revision": figure.revision,
            "file": None,
            "image_sha256": figure.image_sha256 or None,
        }
        written = figure_record(figure)
        if self._copies is not None:
            name, entry["image_sha256"] = self._copies.add(figure, record)
            written["image"] = entry["file"] = f"images/{name}"
        if figure.image:
            record["image"] = f"images/{reader_name(record)}"
        self._figures[figure.id] = entry
        self._counts["subfigures"] += len(gold.subfigures)
        self._counts["tokens"] += len(figure.caption.tokens)
        self._counts["subcaption_tokens"] += sum(len(each.subcaption) for each in gold.subfigures)
        document = figure.document or figure.id
        self._documents.add(document)
        split = figure.extra.get("split") or figure.source.get("split")
        if isinstance(split, str):
            numbers, documents = self._splits.setdefault(split, (Counter(), set()))
            numbers["figures"] += 1
            documents.add(document)
        return written

    def write_annotations(self, tx: Transaction, of: Naming) -> None:
        """annotations.jsonl: every current annotation of a figure in the gold; and how far all agree."""
        phases: dict[str, None] = {}
        with self._file("annotations.jsonl") as lines:
            for figure_id, found in groupby(tx.annotations.all(), lambda each: each.figure.id):
                group = list(found)
                phases.update(dict.fromkeys(each.phase for each in group))
                if figure_id not in self._figures:
                    continue
                for each in sorted((annotation_under(one, of) for one in group), key=_by_name):
                    lines.add(annotation_record(each))
                    self.text.look_at(figure_id, each.items)
                    self._guidelines[each.guideline] += 1
        self._agreement = agreement_record(tx, self._home.campaign, sorted(phases), self._figures.keys(), of)

    def manifest(self) -> dict[str, Any]:
        """What the manifest says of the content."""
        from importlib.metadata import version

        from annotator.store.database.tables import HEAD

        campaign, tally = self._home.campaign, self.tally
        left_out = {each.name: getattr(tally, each.name) for each in fields(tally) if each.name != "states"}
        by_source = {source.value: number for source, number in left_out.pop("exported").items()}
        changed = left_out.pop("changed")
        return {
            "panelwise": version("panelwise"),
            "store_revision": HEAD,
            "campaign": {
                "name": campaign.name,
                "guideline": campaign.guideline,
                "labels": list(campaign.labels),
                "quorum": campaign.quorum,
                "second_reviewer": campaign.second_reviewer,
                "phases": [{"name": phase.name, "task_type": phase.task_type.value} for phase in campaign.phases],
            },
            "counts": {
                "figures": len(self._figures),
                "documents": len(self._documents),
                "subfigures": self._counts["subfigures"],
                "tokens": self._counts["tokens"],
                "subcaption_tokens": self._counts["subcaption_tokens"],
                "annotations": self._files["annotations.jsonl"]["lines"],
                "by_source": by_source,
                "unreviewed": by_source[GoldSource.SINGLE.value],
                "by_split": {
                    split: {"figures": numbers["figures"], "documents": len(documents)}
                    for split, (numbers, documents) in sorted(self._splits.items())
                },
            },
            "include": sorted(source.value for source in set(self._include) - REVIEWED),
            "status": {state.value: tally.states[state] for state in FigureState},
            "left_out": left_out,
            "changed_since_settled": changed,
            "guidelines": dict(sorted(self._guidelines.items())),
            "agreement": self._agreement,
            "files": self._files,
            "figures": self._figures,
        }

    def finish(self, manifest: Mapping[str, Any]) -> str:
        """Write the manifest and the list of hashes; returns the manifest's SHA-256."""
        text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        self._write(MANIFEST, text)
        digest = sha256_of(self._folder / MANIFEST)
        images = {each["file"]: each["image_sha256"] for each in self._figures.values() if each["file"]}
        files = {name: entry["sha256"] for name, entry in self._files.items()}
        self._write(SUMS, sums_text({MANIFEST: digest, **files, **images}))
        mask = os.umask(0)
        os.umask(mask)
        for path in self._folder.rglob("*"):
            path.chmod(0o777 & ~mask if path.is_dir() else 0o444 & ~mask)
        self._folder.chmod(0o777 & ~mask)
        return digest

    @contextmanager
    def _file(self, name: str) -> Iterator[_File]:
        with (self._folder / name).open("wb") as out:
            file = _File(out)
            yield file
        self._files[name] = file.record()

    def _write(self, name: str, text: str) -> None:
        with (self._folder / name).open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)


def _also(tally: GoldTally) -> str:
    """What the message for an empty release says of figures that could have been in it."""
    return (
        f" ({counted(len(tally.single), 'figure')} single (unreviewed); add them with --include single)"
        if tally.single
        else ""
    )


def _by_name(annotation: Any) -> tuple[str, str]:
    return (annotation.annotator, annotation.phase)
