"""Simulated captions as examples to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from panelwise.domain.annotation import Annotation
from panelwise_simulator.captioned import captioned_figures
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split


def an_example(truth: Annotation, split: Split = Split.TRAIN) -> Example:
    return Example(truth.figure, Path("none.png"), truth.subfigures, split)


def captioned(count: int, *, split: Split = Split.TRAIN, **more: Any) -> list[Example]:
    return [an_example(truth, split) for truth in captioned_figures(count, **more)]


def shared(example: Example) -> bool:
    """Whether a word belongs to several of its subfigures."""
    tokens = [token for each in example.subfigures for token in each.subcaption]
    return len(tokens) > len(set(tokens))
