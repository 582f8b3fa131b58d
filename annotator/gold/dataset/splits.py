"""Training, validation and test of a release: by article, and frozen once an article is in a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotator.gold.releases import Release
from prelabel.training import Split, split_documents, split_named

#: Of an article whose figures are marked differently all go to the first of these.
_SAFEST = (Split.TEST, Split.VAL, Split.TRAIN)


def earlier_splits(releases: Iterable[Release]) -> dict[str, Split]:
    """Return article -> split of all earlier releases, the first one first. Raises FormatError."""
    found: dict[str, Split] = {}
    for release in releases:
        manifest = release.manifest()
        if "about" in manifest:  # those from before have no splits
            for entry in manifest["figures"].values():
                found.setdefault(entry["document"], Split(entry["split"]))
    return found


def split_articles(
    figures: Sequence[tuple[str, Any]], frozen: Mapping[str, Split]
) -> tuple[dict[str, Split], list[str]]:
    """Return article -> split, and warnings.

    figures: article of each figure, and the split that it is marked with, if any. frozen: splits of earlier
    releases, which stay. A new article goes where its figures are marked to go, or is drawn, with the paper's
    shares.
    """
    marked: dict[str, set[Split]] = {}
    for document, mark in figures:
        split = split_named(mark) if isinstance(mark, str) else None
        marked.setdefault(document, set()).update({split} if split else ())
    found = {name: frozen[name] for name in marked if name in frozen}
    warnings = []
    for name, marks in marked.items():
        if name not in found and marks:
            found[name] = next(split for split in _SAFEST if split in marks)
        if marks - {found.get(name)}:
            warnings.append(
                f'article "{name}": figures marked {", ".join(sorted(marks))}; all are in {found[name]}, because '
                "an article is in one split only, and stays there"
            )
    # Drawn as if none were frozen: by themselves a few new articles would all go to training.
    drawn = split_documents(document for document, _ in figures)
    return {**drawn, **found}, warnings


def split_keys(keys: Iterable[tuple[str, str, str]]) -> dict[str, list[dict[str, str]]]:
    """Return the content of MedICaT's `subcaption_split_keys.json`. keys: split, pdf_hash and fig_key."""
    found: dict[str, list[dict[str, str]]] = {split.value: [] for split in Split}
    for split, document, key in keys:
        found[split].append({"pdf_hash": document, "fig_key": key})
    return found
