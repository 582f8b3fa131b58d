"""Select work on one revision of each figure and phase: boxes and token ids differ between revisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from agreement.columns import Column, Corpus, Submitted, numbered
from agreement.primitives import Indices, Mask
from annotator.consensus.outdated import listed
from panelwise.runtime import counted

Warn = Callable[[str], None]


def on_one_revision(
    annotations: Sequence[Submitted], present: Mapping[str, int], warn: Warn | None = None
) -> list[Submitted]:
    """Return the annotations on the selected revision of their figure and phase.

    That is the current revision if any annotator worked on it, else the last. present: current revision of figures
    with work on others; for a file, its numbers are used. warn: called with messages about left-out annotations
    and figures compared on an earlier revision.
    """
    figures, figure = numbered([each.figure.id for each in annotations])
    _, phase = numbered([each.phase for each in annotations])
    _, annotator = numbered([each.annotator for each in annotations])
    revision = np.array([each.figure.revision for each in annotations], dtype=np.int64)
    right = _right(figures, figure, phase, annotator, revision, present, warn)
    return [each for each, kept in zip(annotations, right.tolist(), strict=True) if kept]


def rows_on_one_revision(
    corpus: Corpus, rows: Indices, present: Mapping[str, int], warn: Warn | None = None
) -> Indices:
    """Mark the annotations that `on_one_revision` would return."""
    figure, phase, annotator = (each[rows] for each in (corpus.figure, corpus.phase, corpus.annotator))
    right = _right(corpus.figures, figure, phase, annotator, corpus.revision[rows], present, warn)
    kept: Indices = rows[right]
    return kept


def _right(
    figures: Sequence[str],
    figure: Column,
    phase: Column,
    annotator: Column,
    revision: Indices | Column,
    present: Mapping[str, int],
    warn: Warn | None,
) -> Mask:
    """Return a mask (A,) of annotations on the selected revision. figures: names, indexed by `figure`; the other
    columns are any integers.
    """
    phases, people = (int(each.max(initial=0)) + 1 for each in (phase, annotator))
    key = figure.astype(np.int64) * phases + phase
    groups, first, group = np.unique(key, return_index=True, return_inverse=True)
    used: Indices = np.zeros(len(groups), dtype=np.int64)
    np.maximum.at(used, group, revision)
    names = [figures[place] for place in (groups // phases).tolist()] if present else []
    wanted = np.array([present.get(name, 0) for name in names] or np.zeros(len(groups)), dtype=np.int64)
    there = np.zeros(len(groups), dtype=np.bool_)
    there[group[revision == wanted[group]]] = True
    used = np.where(there, wanted, used)
    right: Mask = revision == used[group]
    if warn is None:
        return right
    author = key * people + annotator
    left = figure[~right & ~np.isin(author, author[right])]
    if len(left):
        warn(
            f"left out {counted(len(left), 'annotation')} on another revision than the others of their figures: "
            f"{listed(figures[place] for place in left.tolist())}"
        )
    past = np.flatnonzero((wanted > 0) & (used != wanted))
    past = past[np.argsort(first[past], kind="stable")]
    if len(past):
        warn(
            f"compared {counted(len(past), 'figure')} on an outdated caption or image, because no annotator "
            f"worked on the current one: {listed(names[place] for place in past.tolist())}"
        )
    return right
