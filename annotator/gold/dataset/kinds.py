"""Describe what a release holds, by kind, in the documents' words and with the hub's names of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from annotator.gold.manifest import Manifest
from panelwise.domain import ANSWERS, KINDS, PAIRS, SUBFIGURES, TYPES, FormatError, Gold, Kind


@dataclass(frozen=True, slots=True)
class HeldKind:
    """One kind of content. count: key of the manifest's `counts` that says how much there is, shown as `counted`.

    tasks: Hugging Face's task categories.
    """

    text: str
    count: str
    counted: str
    tasks: tuple[str, ...]
    keywords: tuple[str, ...]


HELD: Mapping[Kind, HeldKind] = {
    SUBFIGURES: HeldKind(
        "the box, label and caption text of each subfigure",
        "subfigures",
        "Subfigures",
        ("object-detection", "token-classification"),
        ("compound-figures", "subfigures"),
    ),
    TYPES: HeldKind(
        "the type of each figure and its number of subfigures",
        "types",
        "Figure types",
        ("image-classification",),
        ("figure-types",),
    ),
    PAIRS: HeldKind(
        "question-answer pairs that people judged and corrected",
        "pairs",
        "Question-answer pairs",
        ("visual-question-answering",),
        ("figure-question-answering",),
    ),
    ANSWERS: HeldKind(
        "people's own answers to questions about the figures",
        "answers",
        "Answers by people",
        ("visual-question-answering",),
        ("human-evaluation",),
    ),
}

#: Keys of the manifest's `counts` of items, and what they count.
ITEM_COUNTS = {held.count: held.counted for kind, held in HELD.items() if not kind.drawn}


def counts_of(gold: Gold) -> dict[str, int]:
    """Return what the gold of a figure holds, by the keys of the manifest's `counts`; answers are no gold."""
    return {
        "subfigures": len(gold.subfigures),
        "tokens": len(gold.figure.caption.tokens),
        "subcaption_tokens": sum(len(part.subcaption) for part in gold.subfigures),
        **{held.count: len(kind.parts(gold.items)) for kind, held in HELD.items() if _is_gold(kind)},
    }


def _is_gold(kind: Kind) -> bool:
    return kind.adjudicated and not kind.drawn


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
    found = tuple(kind for kind, entry in HELD.items() if number_of(manifest, entry.count))
    return found or tuple(kind for kind in HELD if kind.task_type.value in asked) or (SUBFIGURES,)


def number_of(manifest: Manifest, count: str) -> int:
    """Return one of the manifest's `counts`, each kind's by its key; 0 in releases from before it was counted."""
    return cast("Mapping[str, int]", manifest["counts"]).get(count, 0)


def contains_boxes(manifest: Manifest) -> bool:
    """Return whether the release holds subfigures."""
    return any(kind.drawn for kind in held(manifest))


def description(manifest: Manifest) -> str:
    """Return what the dataset is, in the words of campaign.toml if it has any."""
    stated: str = manifest["about"]["statements"]["description"]
    *first, last = [HELD[kind].text for kind in held(manifest)]
    figures = "Compound scientific figures" if contains_boxes(manifest) else "Scientific figures"
    return stated or f"{figures} with {', and '.join([*([', '.join(first)] if first else []), last])}."


def task_categories(manifest: Manifest) -> list[str]:
    """Return Hugging Face's task categories of what the release holds."""
    return list(dict.fromkeys(name for kind in held(manifest) for name in HELD[kind].tasks))


def keywords(manifest: Manifest) -> list[str]:
    """Return the keywords of what the release holds."""
    return ["scientific-figures", *(name for kind in held(manifest) for name in HELD[kind].keywords)]
