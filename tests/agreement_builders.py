"""Annotations of small campaigns, as hypothesis draws them: few places and tokens, so that much coincides."""

from __future__ import annotations

from builders import a_figure, an_annotation
from hypothesis import strategies as st

from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box

WORDS = "Fig 1 : ( a ) left lung lesion ( b ) right lung"
_sides = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3))
_boxes = _sides.map(lambda v: Box(100 * v[0], 100 * v[1], 100 * (v[0] + v[2]), 100 * (v[1] + v[3])))
subfigures = st.lists(
    st.builds(Subfigure, st.sampled_from("ABC"), _boxes, st.frozensets(st.integers(0, 13), max_size=5)), max_size=4
).map(tuple)
_figures = st.sampled_from(
    [a_figure(name, caption=WORDS, width=600, height=600) for name in ("f1", "f2", "f3")]
    + [a_figure("f3", caption=WORDS, width=601, height=600)]
)
_statuses = st.sampled_from([Status.ACCEPTED] * 4 + [Status.REJECTED, Status.IGNORED])


@st.composite
def annotations(draw: st.DrawFn, figures: st.SearchStrategy[object] = _figures) -> Annotation:
    return an_annotation(
        draw(figures),
        annotator=draw(st.sampled_from(["ann1", "ann2", "ann3"])),
        status=draw(_statuses),
        subfigures=draw(subfigures),
        seeded_by=draw(st.sampled_from([None, None, "model-1"])),
    )


#: At most one annotation per figure and annotator, of one phase.
campaigns = st.lists(annotations(), max_size=9, unique_by=lambda each: (each.figure.id, each.annotator))
#: Several annotators' work on one figure.
one_figure = st.lists(
    annotations(st.just(a_figure("f1", caption=WORDS, width=600, height=600))),
    max_size=3,
    unique_by=lambda each: each.annotator,
)
