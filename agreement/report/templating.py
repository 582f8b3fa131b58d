"""Templates of plain texts: documents in which nothing is escaped unless a filter does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def plain_templates(folder: Path, **filters: Callable[..., Any]) -> Environment:
    """Return the templates of a folder; a name that they do not have is an error. filters: by their names."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(folder),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters.update(filters)
    return templates
