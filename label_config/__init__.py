"""Build Label Studio labelling configs from plain values. Standard library only."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from label_config.figure_types import figure_types_config
    from label_config.hotkeys import ChoiceKeys
    from label_config.human_eval import human_eval_config
    from label_config.palette import colour, colours, default_labels
    from label_config.qa import qa_config
    from label_config.subfigures import subfigure_config

__all__ = [
    "ChoiceKeys",
    "colour",
    "colours",
    "default_labels",
    "figure_types_config",
    "human_eval_config",
    "qa_config",
    "subfigure_config",
]

_HOMES = {
    "ChoiceKeys": "label_config.hotkeys",
    "colour": "label_config.palette",
    "colours": "label_config.palette",
    "default_labels": "label_config.palette",
    "figure_types_config": "label_config.figure_types",
    "human_eval_config": "label_config.human_eval",
    "qa_config": "label_config.qa",
    "subfigure_config": "label_config.subfigures",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
