"""The frame of HTML reports: templates with escaping on, numbers with their exact value, all in one file.

The page carries a content security policy that allows nothing but its own style sheet (by its hash) and the images
written into it, so that it reads the same from a disk, a mail or a server that forbids everything.
"""

from __future__ import annotations

import base64
import hashlib
import pickle
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from agreement.models.sweep import IouPoint
from agreement.report.blocks import capitalised
from agreement.report.html.charts import heat_step
from agreement.report.numbers import equal_runs, percent, rounded
from agreement.report.sections import course, judgements, models, people
from agreement.report.summary import MOST_LISTED
from agreement.resampling.estimate import Estimate
from agreement.score.detection import Detection
from panelwise.domain import GLOSSARY
from panelwise.runtime import counted, write_whole

_TEMPLATES = Path(__file__).parent / "templates"
#: What HTML cannot represent: control characters but tab and line ends, halves of surrogate pairs, non-characters;
#: and bidirectional overrides, which make a text read as another one.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(template: str, values: Mapping[str, Any]) -> str:
    """Render the page, with a final newline."""
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'"
    text = _environment().get_template(template).render(**values, style=Markup(style), policy=policy)
    return text.strip() + "\n"


def shown(text: str) -> str:
    """Return the text with characters that browsers can't show escaped as in Python."""
    return _UNSHOWABLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def exact(value: float, digits: int = 3) -> Markup:
    """Format a number with its exact value for machines: .945 for scores, 1.000 from 1 on."""
    return Markup('<data value="{}">{}</data>').format(repr(value), rounded(value, digits))


def signed(value: float, digits: int = 3) -> Markup:
    """Format as `exact` does, with a plus sign above 0: for differences."""
    sign = "+" if value > 0.0 else ""
    return Markup('<data value="{}">{}{}</data>').format(repr(value), sign, rounded(value, digits))


def px(value: float) -> str:
    """Format a length for SVG: two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def day(moment: datetime) -> str:
    """Format a time in UTC to the minute."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def box_runs(boxes: Detection, thresholds: Sequence[float]) -> list[tuple[str, float]]:
    """Return the rows of a table of boxes: the name of its thresholds and the first of them."""
    values = [(boxes.precision(each), boxes.recall(each), boxes.f1(each)) for each in thresholds]
    return [(name, thresholds[place]) for name, place in equal_runs(thresholds, values)]


def sweep_runs(sweeps: Sequence[Sequence[IouPoint]]) -> list[tuple[str, int]]:
    """Return the rows of a table of scores by box match threshold: their thresholds, index of the first."""
    thresholds = [point.min_iou for point in sweeps[0]]
    return equal_runs(thresholds, [tuple(point.score for point in points) for points in zip(*sweeps, strict=True)])


@lru_cache(maxsize=1)
def _style() -> str:
    return (_TEMPLATES / "report.css").read_text(encoding="utf-8")


class _Compiled(BytecodeCache):
    """Compiled templates in `__pycache__` beside them, as Python keeps modules: compiling outlasts rendering.

    Jinja looks whether a template has changed. Where nothing can be written they are compiled each time.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template's code into the bucket, if it is there and whole."""
        with suppress(OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
            bucket.bytecode_from_string(self._path(bucket).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a template's code."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                write_whole(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> Path:
        versions = f"{sys.implementation.cache_tag}.{version('jinja2')}"
        return _TEMPLATES / "__pycache__" / f"{bucket.key}.{versions}.jinja"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        bytecode_cache=_Compiled(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown(value) if type(value) is str else value,
    )
    environment.globals.update(MOST_LISTED=MOST_LISTED, GLOSSARY=GLOSSARY)
    environment.filters.update(
        exact=exact, signed=signed, heat_step=heat_step, percent=percent, px=px, day=day, counted=counted
    )
    environment.filters.update(capitalised=capitalised)
    environment.tests.update(estimate=lambda value: isinstance(value, Estimate))
    environment.globals.update(box_runs=box_runs, sweep_runs=sweep_runs)
    environment.globals.update(course=course, judgements=judgements, models=models, people=people)
    return environment
