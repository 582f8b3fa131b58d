"""Describe what a release holds, by kind, in the documents' words and with the hub's names of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from annotator.gold.manifest import Manifest
from panelwise.domain import ITEM_KINDS, KINDS, SUBFIGURES, FormatError, Gold, Kind

#: Keys of the manifest's `counts` of items, and what they count.
ITEM_COUNTS = {kind.released.count: kind.released.counted for kind in KINDS.values() if not kind.drawn}


def counts_of(gold: Gold) -> dict[str, int]:
    """Return what the gold of a figure holds, by the keys of the manifest's `counts`; answers are no gold."""
    return {
        "subfigures": len(gold.subfigures),
        "tokens": len(gold.figure.caption.tokens),
        "subcaption_tokens": sum(len(part.subcaption) for part in gold.subfigures),
        **{kind.released.count: len(kind.parts(gold.items)) for kind in KINDS.values() if kind in ITEM_KINDS},
    }


def held(manifest: Manifest) -> tuple[Kind, ...]:
    """Return the kinds of which the release has content; without any content, those of the campaign's phases.

    Releases made before a kind was counted have subfigures only. Raises FormatError for a kind that this version
    does not know.
    """
    asked = {phase["task_type"] for phase in manifest["campaign"].get("phases", ())}
    if unknown := sorted(asked - {task.value for task in KINDS}):
        raise FormatError(
            f'manifest.json: a phase has the task type "{unknown[0]}", which this version does not know; use the '
            "version of Panelwise that made the release"
        )
    found = tuple(kind for kind in KINDS.values() if number_of(manifest, kind.released.count))
    return found or tuple(kind for task, kind in KINDS.items() if task.value in asked) or (SUBFIGURES,)


def number_of(manifest: Manifest, count: str) -> int:
    """Return one of the manifest's `counts`, each kind's by its key; 0 in releases from before it was counted."""
    return cast("Mapping[str, int]", manifest["counts"]).get(count, 0)


def contains_boxes(manifest: Manifest) -> bool:
    """Return whether the release holds subfigures."""
    return any(kind.drawn for kind in held(manifest))


def description(manifest: Manifest) -> str:
    """Return what the dataset is, in the words of campaign.toml if it has any."""
    stated: str = manifest["about"]["statements"]["description"]
    *first, last = [kind.released.text for kind in held(manifest)]
    figures = "Compound scientific figures" if contains_boxes(manifest) else "Scientific figures"
    return stated or f"{figures} with {', and '.join([*([', '.join(first)] if first else []), last])}."


def task_categories(manifest: Manifest) -> list[str]:
    """Return Hugging Face's task categories of what the release holds."""
    return list(dict.fromkeys(name for kind in held(manifest) for name in kind.released.tasks))


def keywords(manifest: Manifest) -> list[str]:
    """Return the keywords of what the release holds."""
    return ["scientific-figures", *(name for kind in held(manifest) for name in kind.released.keywords)]
