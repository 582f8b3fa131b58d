"""The files of a release, and what its manifest says of them."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from annotator.campaign.pseudonyms import Anonymizer
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.gold.dataset.documents import about, missing, write_documents
from annotator.gold.dataset.kinds import ITEM_COUNTS, counts_of
from annotator.gold.dataset.licences import licence_of, may_copy
from annotator.gold.dataset.splits import split_articles
from annotator.gold.dataset.tables import write_tables
from annotator.gold.image_copies import ImageCopies, reader_name
from annotator.gold.manifest import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    AgreementRecord,
    Counts,
    FigureEntry,
    FileEntry,
    LicenceCounts,
    Manifest,
    SplitCounts,
)
from annotator.gold.release_agreement import agreement_record
from annotator.gold.releases import SUMS, sha256_of, sums_text
from panelwise.domain import IMAGE_AS_WRITTEN, REVIEWED, AnnotatorError, FigureState, GoldSource, shareable
from panelwise.files import encode_line
from panelwise.formats import annotation_record, figure_record, gold_record, prediction_record
from panelwise.runtime import counted
from prelabel.training import Split

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Transaction
    from panelwise.domain import Figure, Gold

#: Yields its input and shows progress.
Watch = Callable[[Iterable["Gold"]], Iterable["Gold"]]
#: Lists the images that were to be copied and may not be.
NOT_INCLUDED = "images_not_included.jsonl"


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

    def record(self) -> FileEntry:
        return {"sha256": self.digest.hexdigest(), "bytes": self.size, "lines": self.lines}


class Contents:
    """The files of one release, and what its manifest counts.

    frozen: article -> split of earlier releases. images: whether to copy the images whose licence allows it.
    """

    def __init__(
        self,
        home: Home,
        folder: Path,
        *,
        images: bool,
        include: Collection[GoldSource] | None,
        frozen: Mapping[str, Split],
    ) -> None:
        self._home = home
        self._settings = home.settings.release
        self._frozen = frozen
        self._include = home.campaign.gold_sources if include is None else include
        self._folder = folder
        self._copies = ImageCopies(home, folder / "images") if images else None
        self._files: dict[str, FileEntry] = {}
        self._figures: dict[str, FigureEntry] = {}
        self._counts: Counter[str] = Counter()
        self._marks: list[tuple[str, Any]] = []
        self._withheld: list[dict[str, Any]] = []
        self._models: Counter[str] = Counter()
        self._annotators: Counter[str] = Counter()
        self._guidelines: Counter[str] = Counter()
        self._agreement: AgreementRecord = {"phases": []}
        self.tally = GoldTally()
        self.warnings = missing(self._settings)

    def write_gold(self, tx: Transaction, people: Anonymizer, watch: Watch) -> None:
        """Write gold.jsonl and figures.jsonl, a line each per figure, in one order; the images beside them."""
        with self._file("gold.jsonl") as lines, self._file("figures.jsonl") as figures:
            for gold in watch(gold_in(tx, self._home.campaign, self.tally, include=self._include)):
                record = gold_record(people.gold(gold))
                figures.add(self._figure(gold, record))
                lines.add(record)
        if not self._figures:
            raise AnnotatorError(
                f"{self._home.path}: no gold figures to release{_also(self.tally)}; see `annotator status`"
            )
        splits, warnings = split_articles(self._marks, self._frozen)
        self.warnings += warnings
        if without := self._counts["without_document"]:
            self.warnings.append(
                f"{counted(without, 'figure')} without an article: figures of one article may be in different "
                "splits; import them again with --revise and --document, or a column document"
            )
        for entry in self._figures.values():
            entry["split"] = splits[entry["document"]]
        if self._withheld:
            with self._file(NOT_INCLUDED) as lines:
                for each in self._withheld:
                    lines.add(each)
            self.warnings.append(
                f"{counted(len(self._withheld), 'image')} not copied, because no licence is stated or it does not "
                f"allow copies; they are listed in {NOT_INCLUDED} (see figure_licence and image_licences in "
                "campaign.toml)"
            )

    def _figure(self, gold: Gold, record: dict[str, Any]) -> dict[str, Any]:
        """The record of figures.jsonl, and an entry in all the counts.

        The gold record names the image's copy, be it along or not: the same gold is the same bytes.
        """
        figure = gold.figure.shareable()
        written = figure_record(figure)
        entry: FigureEntry = {
            "revision": figure.revision,
            "file": None,
            "image_sha256": figure.image_sha256 or None,
            "document": figure.document or figure.id,
            "licence": licence_of(written, otherwise=self._settings.figure_licence),
            "split": Split.TRAIN,  # until all articles are known
        }
        if self._copies is not None and may_copy(entry["licence"], self._settings.image_licences):
            name, entry["image_sha256"] = self._copies.add(figure, record)
            written["image"] = entry["file"] = f"images/{name}"
        elif self._copies is not None:
            self._withheld.append(_withheld(figure, entry))
        if figure.image:
            record["image"] = f"images/{reader_name(record)}"
        self._figures[figure.id] = entry
        self._counts["without_document"] += not figure.document
        self._counts.update(counts_of(gold))
        self._marks.append((entry["document"], figure.extra.get("split") or figure.source.get("split")))
        return written

    def write_annotations(self, tx: Transaction, people: Anonymizer) -> None:
        """Write annotations.jsonl, every current annotation of a figure in the gold; measure the agreement."""
        phases: dict[str, None] = {}
        with self._file("annotations.jsonl") as lines:
            for figure_id, found in groupby(tx.annotations.all(), lambda each: each.figure.id):
                group = list(found)
                phases.update(dict.fromkeys(each.phase for each in group))
                if figure_id not in self._figures:
                    continue
                for each in sorted(map(people.annotation, group), key=_by_name):
                    lines.add(annotation_record(each))
                    self._counts["answers"] += len(each.items.answers)
                    self._guidelines[each.guideline] += 1
                self._annotators[figure_id] = len({each.annotator for each in group})
        released = self._figures.keys()
        self._agreement = agreement_record(tx, self._home.campaign, sorted(phases), released, people.of)

    def write_predictions(self, tx: Transaction) -> None:
        """Write predictions.jsonl, every model's current predictions for the figures in the gold, if any."""
        released = (each for each in tx.predictions.all() if each.figure.id in self._figures)
        first = next(released, None)
        if first is not None:
            with self._file("predictions.jsonl") as lines:
                for each in chain([first], released):
                    lines.add(prediction_record(each))
                    self._models[each.model_version] += 1

    def write_dataset(self) -> None:
        """Write tables, COCO files and split keys from the files written before, and hash them."""
        phases = [each.name for each in self._home.campaign.phases if each.kind.drawn]
        write_tables(self._folder, self._figures, phases)
        self._hash()

    def manifest(self, *, number: int, name: str, created_at: str, note: str, names: str) -> Manifest:
        """Return the manifest of these files."""
        from importlib.metadata import version

        from annotator.store.database.tables import HEAD

        campaign, tally = self._home.campaign, self.tally
        left_out = {each.name: getattr(tally, each.name) for each in fields(tally) if each.name != "states"}
        by_source = {source.value: number for source, number in left_out.pop("exported").items()}
        changed = left_out.pop("changed")
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "number": number,
            "name": name,
            "created_at": created_at,
            "note": note,
            "names": names,
            "panelwise": version("panelwise"),
            "store_revision": HEAD,
            "campaign": {
                "name": campaign.name,
                "guideline": campaign.guideline,
                "labels": list(campaign.labels),
                "max_boxes": campaign.max_boxes,
                "quorum": campaign.quorum,
                "second_reviewer": campaign.second_reviewer,
                "phases": [
                    {
                        "name": phase.name,
                        "task_type": phase.task_type.value,
                        "annotate_in": phase.annotate_in.value,
                    }
                    for phase in campaign.phases
                ],
            },
            "counts": self._content(by_source),
            "licences": _by_licence(self._figures.values()),
            "models": dict(sorted(self._models.items())),
            "include": sorted(source.value for source in set(self._include) - REVIEWED),
            "status": {state.value: tally.states[state] for state in FigureState},
            "left_out": left_out,
            "changed_since_settled": changed,
            "guidelines": dict(sorted(self._guidelines.items())),
            "agreement": self._agreement,
            "about": about(self._settings, campaign.name),
            "files": self._files,
            "figures": self._figures,
        }

    def _content(self, by_source: dict[str, int]) -> Counts:
        """Return the manifest's counts, one of each kind of items among them."""
        counts = {
            "figures": len(self._figures),
            "documents": len({entry["document"] for entry in self._figures.values()}),
            "without_document": self._counts["without_document"],
            "subfigures": self._counts["subfigures"],
            "tokens": self._counts["tokens"],
            "subcaption_tokens": self._counts["subcaption_tokens"],
            **{name: self._counts[name] for name in ITEM_COUNTS},
            "annotations": self._files["annotations.jsonl"]["lines"],
            "predictions": self._models.total(),
            "by_source": by_source,
            "unreviewed": by_source[GoldSource.SINGLE.value],
            "by_split": _by_split(self._figures.values()),
            "by_annotators": _spread(self._annotators[name] for name in self._figures),
        }
        return cast("Counts", counts)

    def finish(self, manifest: Manifest) -> str:
        """Write the documents, the manifest and the list of hashes; returns the manifest's SHA-256."""
        # Addresses in the settings too, such as the dataset's own.
        write_documents(self._folder, shareable(manifest))
        self._hash()
        text = json.dumps(shareable(manifest), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        self._write(MANIFEST, text)
        digest = sha256_of(self._folder / MANIFEST)
        images = {each["file"]: str(each["image_sha256"]) for each in self._figures.values() if each["file"]}
        files = {name: entry["sha256"] for name, entry in self._files.items()}
        self._write(SUMS, sums_text({MANIFEST: digest, **files, **images}))
        mask = os.umask(0)
        os.umask(mask)
        for path in self._folder.rglob("*"):
            path.chmod(0o777 & ~mask if path.is_dir() else 0o444 & ~mask)
        self._folder.chmod(0o777 & ~mask)
        return digest

    def _hash(self) -> None:
        """Enter every file that is not in the manifest yet, images aside."""
        for path in sorted(self._folder.rglob("*")):
            name = path.relative_to(self._folder).as_posix()
            if path.is_file() and name not in self._files and not name.startswith("images/"):
                self._files[name] = {"sha256": sha256_of(path), "bytes": path.stat().st_size}

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
    """Describe, for the message of an empty release, the figures that other options would include."""
    return (
        f" ({counted(len(tally.single), 'figure')} single (unreviewed); add them with --include single)"
        if tally.single
        else ""
    )


def _by_name(annotation: Any) -> tuple[str, str]:
    return (annotation.annotator, annotation.phase)


def _withheld(figure: Figure, entry: FigureEntry) -> dict[str, Any]:
    """Return the line of an image that may not be copied: where it comes from, and how to recognise it."""
    return {
        "figure_id": figure.id,
        "document": entry["document"],
        "licence": entry["licence"],
        "image": figure.extra.get(IMAGE_AS_WRITTEN) or figure.image,
        "image_sha256": entry["image_sha256"],
        "source": dict(figure.source),
    }


def _by_split(entries: Iterable[FigureEntry]) -> dict[str, SplitCounts]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        groups[entry["split"]].append(entry["document"])
    return {name: {"figures": len(group), "documents": len(set(group))} for name, group in sorted(groups.items())}


def _by_licence(entries: Iterable[FigureEntry]) -> dict[str, LicenceCounts]:
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for entry in entries:
        groups[entry["licence"]].append(entry["file"] is not None)
    return {name: {"figures": len(copied), "images": sum(copied)} for name, copied in sorted(groups.items())}


def _spread(numbers: Iterable[int]) -> dict[str, int]:
    """Return number of annotators -> number of figures."""
    return {str(number): figures for number, figures in sorted(Counter(numbers).items())}
