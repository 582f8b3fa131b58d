"""Describe what a release holds, by kind of task, in the documents' words and with the hub's names of tasks."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.gold.manifest import Manifest
from panelwise.domain import Gold, TaskType


@dataclass(frozen=True, slots=True)
class HeldKind:
    """One kind of content. count: key of the manifest's `counts` that says how much there is.

    tasks: Hugging Face's task categories.
    """

    text: str
    count: str
    tasks: tuple[str, ...]
    keywords: tuple[str, ...]


KINDS = {
    TaskType.SUBFIGURES: HeldKind(
        "the box, label and caption text of each subfigure",
        "subfigures",
        ("object-detection", "token-classification"),
        ("compound-figures", "subfigures"),
    ),
    TaskType.FIGURE_TYPES: HeldKind(
        "the type of each figure and its number of subfigures",
        "types",
        ("image-classification",),
        ("figure-types",),
    ),
    TaskType.FIGURE_QA: HeldKind(
        "question-answer pairs that people judged and corrected",
        "pairs",
        ("visual-question-answering",),
        ("figure-question-answering",),
    ),
    TaskType.HUMAN_EVAL: HeldKind(
        "people's own answers to questions about the figures",
        "answers",
        ("visual-question-answering",),
        ("human-evaluation",),
    ),
}


def counts_of(gold: Gold) -> dict[str, int]:
    """Return what the gold of a figure holds, by the keys of the manifest's `counts`."""
    return {
        "subfigures": len(gold.subfigures),
        "tokens": len(gold.figure.caption.tokens),
        "subcaption_tokens": sum(len(part.subcaption) for part in gold.subfigures),
        "types": int(gold.items.kind is not None),
        "pairs": len(gold.items.verdicts),
    }


def held(manifest: Manifest) -> tuple[TaskType, ...]:
    """Return the kinds of which the release has content; without any content, those of the campaign's phases.

    Releases made before a kind was counted have subfigures only.
    """
    counts = manifest["counts"]
    found = tuple(task for task, kind in KINDS.items() if counts.get(kind.count))
    asked = {phase["task_type"] for phase in manifest["campaign"].get("phases", ())}
    return found or tuple(task for task in KINDS if task.value in asked) or (TaskType.SUBFIGURES,)


def description(manifest: Manifest) -> str:
    """Return what the dataset is, in the words of campaign.toml if it has any."""
    stated: str = manifest["about"]["statements"]["description"]
    kinds = held(manifest)
    *first, last = [KINDS[task].text for task in kinds]
    figures = "Compound scientific figures" if TaskType.SUBFIGURES in kinds else "Scientific figures"
    return stated or f"{figures} with {', and '.join([*([', '.join(first)] if first else []), last])}."


def task_categories(manifest: Manifest) -> list[str]:
    """Return Hugging Face's task categories of what the release holds."""
    return list(dict.fromkeys(name for task in held(manifest) for name in KINDS[task].tasks))


def keywords(manifest: Manifest) -> list[str]:
    """Return the keywords of what the release holds."""
    return ["scientific-figures", *(name for task in held(manifest) for name in KINDS[task].keywords)]
