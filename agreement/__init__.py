"""Agreement between annotators: pure functions on boxes, token sets and annotations.

Plain Python values are enough, no store and no campaign is needed:

>>> from agreement import annotations_from, report_on
>>> work = {
...     "ann1": {"fig1": [([0, 0, 100, 100], {4, 6, 7, 8})]},
...     "ann2": {"fig1": [([0, 0, 100, 90], {4, 6, 7, 12})]},
... }
>>> words = {"fig1": "Fig 1: (a) left lung lesion (b) right lung"}
>>> report_on(annotations_from(work, words=words)).iaa
0.75

One figure alone is `score_figure`; each number of a report has a function of its own, which the report calls.
What is undefined is None, and says why; nothing is rounded.

Names are imported on first use: `import agreement` loads no numpy.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

#: Public name -> its module, from the type stub beside this file, which lists each once.
_HOMES = {
    words[3]: words[1]
    for line in Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
    if (words := line.split())[:1] == ["from"]
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
