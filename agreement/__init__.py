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

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
