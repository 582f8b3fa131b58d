"""From examples to something to train: each kind's task, built by the module that knows the kind.

`make_task` of each module takes the examples (see `examples_for`), what was chosen (Options, nothing left open),
and where to tell problems. It seeds nothing: the caller has done that, so that random weights hang on the seed
only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import MappingProxyType

from panelwise.files import Problems
from prelabel.training.data.examples import Example, with_captions, with_images, with_subcaptions
from prelabel.training.loop.options import PICTURED, Options, Task

__all__ = ["MODULES", "PICTURED", "Options", "examples_for", "make_task"]

#: The modules that make each kind's task.
MODULES = MappingProxyType(
    {
        "detector": "prelabel.training.tasks.staged_detector",
        "text-crf": "prelabel.training.tasks.text_crf",
        "box-crf": "prelabel.training.tasks.box_crf",
        "classifier": "prelabel.training.tasks.classifier",
        "matcher": "prelabel.training.tasks.matcher",
    }
)


def examples_for(kind: str, examples: Sequence[Example], problems: Problems) -> list[Example]:
    """Return the examples that a kind can learn from; reports the rest. Raises FormatError if a split is empty."""
    if kind == "matcher":
        examples = with_captions(examples, problems)
    return (with_images if kind in PICTURED else with_subcaptions)(examples, problems)


def make_task(kind: str, examples: Sequence[Example], options: Options, problems: Problems) -> Task:
    """The task of a kind, one of `MODULES`. Raises AnnotatorError, one line, for options that cannot be."""
    make: Callable[[Sequence[Example], Options, Problems], Task] = import_module(MODULES[kind]).make_task
    return make(examples, options, problems)
