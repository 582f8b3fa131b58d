"""Small valid things for tests: say only what a test is about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from panelwise.domain.annotation import Annotation, Prediction, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.decision import Decision, Gold, GoldSource, Provenance
from panelwise.domain.figure import Figure
from panelwise.domain.items import FIGURE_TYPES, FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.formats.scivqa import split_items

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
CAPTION = "Fig 1: (A) left lung. (B) right lung. (C) 😀 the heart,\nseen from above."


def a_figure(
    id: str = "f1", *, caption: str = CAPTION, width: int = 800, height: int = 600, **more: Any
) -> Figure:
    extra, imported = split_items(f'figure "{id}"', more.pop("extra", {}))
    fields: dict[str, object] = {"image": f"images/{id}.png", "document": "doi:10.1/x", "extra": extra, **more}
    fields.setdefault("imported", imported)
    return Figure(id=id, width=width, height=height, caption=Caption.cut(caption), **fields)


def a_subfigure(
    label: str = "A", *, box: tuple[float, ...] = (0, 0, 400, 600), tokens: object = (4, 6, 7)
) -> Subfigure:
    return Subfigure(label, Box(*box), frozenset(tokens))


def an_annotation(
    figure: Figure | None = None,
    *,
    annotator: str = "ann1",
    phase: str = "1",
    status: Status = Status.ACCEPTED,
    subfigures: tuple[Subfigure, ...] | None = None,
    minutes: float = 0,
    **more: Any,
) -> Annotation:
    if subfigures is None:
        subfigures = (a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)))
    saved_at = NOON + timedelta(minutes=minutes)
    return Annotation(figure or a_figure(), annotator, phase, status, subfigures, saved_at, **more)


def a_prediction(
    figure: Figure | None = None, *, model_version: str = "classic-1", scores: object = None
) -> Prediction:
    subfigures = an_annotation(figure).subfigures
    chosen = tuple(scores) if scores is not None else (0.9,) * len(subfigures)
    return Prediction(figure or a_figure(), model_version, subfigures, chosen)


def a_decision(
    figure: Figure | None = None,
    *,
    reviewer: str = "rev1",
    version: int = 1,
    status: Status = Status.ACCEPTED,
    subfigures: tuple[Subfigure, ...] | None = None,
    **more: Any,
) -> Decision:
    if subfigures is None:
        subfigures = an_annotation(figure).subfigures
    fields: dict[str, object] = {"based_on": ("ann1",), "decided_at": NOON, **more}
    return Decision(figure or a_figure(), reviewer, version, status, subfigures, **fields)


# ---- strategies ---------------------------------------------------------------------------------

names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=8
)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
captions = st.one_of(
    texts,
    st.lists(
        st.sampled_from(["(A)", "left", "lung.", "😀", "e\u0301", "שלום", "肺", "\n", "a_b", "3.5%"]), max_size=12
    ).map(" ".join),
)
times = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))


@st.composite
def figures(draw: st.DrawFn, *, caption: st.SearchStrategy[str] = captions) -> Figure:
    return Figure(
        id=draw(names),
        image=draw(st.sampled_from(["images/a.png", "images/b_1.jpg"])),
        width=draw(st.integers(2, 5000)),
        height=draw(st.integers(2, 5000)),
        caption=Caption.cut(draw(caption)),
        references=tuple(draw(st.lists(texts, max_size=2))),
        document=(document := draw(st.sampled_from(["", "doi:10.1/x"]))),
        source={"document": document} if document else {},
        extra=draw(
            st.dictionaries(st.sampled_from(["licence", "page", "Ünit"]), st.integers() | texts, max_size=2)
        ),
    )


@st.composite
def boxes(draw: st.DrawFn, figure: Figure) -> Box:
    def pair(size: int) -> tuple[float, float]:
        low = draw(st.floats(0, size - 1.0, allow_subnormal=False))
        # Readers refuse boxes that all lie within the first pixel or percent: they are fractions of the image.
        least = max(low + 0.5, 1.5, size / 80)
        high = draw(st.floats(min(least, size), size, allow_subnormal=False))
        return (low, high)

    (x0, x1), (y0, y1) = pair(figure.width), pair(figure.height)
    return Box(x0, y0, x1, y1)


@st.composite
def subfigure_lists(draw: st.DrawFn, figure: Figure) -> tuple[Subfigure, ...]:
    labels = draw(st.lists(st.sampled_from(["A", "B", "C", "Ai", "(d)", "é"]), unique=True, max_size=4))
    ids = st.sets(st.integers(0, len(figure.caption.tokens) - 1)) if figure.caption.tokens else st.just(set())
    return tuple(Subfigure(label, draw(boxes(figure)), frozenset(draw(ids))) for label in labels)


qa_items = st.builds(
    QAItem,
    names,
    texts,
    st.sampled_from(QAKind),
    st.lists(texts, max_size=4).map(tuple),
    texts,
    st.frozensets(names, max_size=2),
)
item_sets = st.builds(
    Items,
    st.none()
    | st.builds(
        FigureKind,
        st.none() | st.booleans(),
        st.none() | st.integers(0, 60),
        st.frozensets(st.sampled_from(FIGURE_TYPES)),
        texts,
    ),
    st.lists(
        st.builds(QAVerdict, names, st.sampled_from(Verdict), st.none() | qa_items, texts),
        max_size=2,
        unique_by=lambda verdict: verdict.item,
    ).map(tuple),
    st.lists(
        st.builds(HumanAnswer, names, st.none() | texts, texts), max_size=2, unique_by=lambda answer: answer.item
    ).map(tuple),
)


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    figure = draw(figures())
    return Annotation(
        figure=figure,
        annotator=draw(names),
        phase=draw(names),
        status=draw(st.sampled_from(Status)),
        subfigures=draw(subfigure_lists(figure)),
        saved_at=draw(times),
        items=draw(item_sets),
        seeded_by=draw(st.none() | names),
        guideline=draw(texts),
        seconds=draw(st.none() | st.floats(0, 1e6)),
        reason=draw(texts),
        viewed=draw(st.none() | st.lists(names, max_size=3).map(tuple)),
        unchanged=draw(st.booleans()),
    )


@st.composite
def golds(draw: st.DrawFn) -> Gold:
    figure = draw(figures())
    return Gold(
        figure=figure,
        status=draw(st.sampled_from(Status)),
        subfigures=draw(subfigure_lists(figure)),
        provenance=Provenance(
            draw(st.sampled_from(GoldSource)),
            draw(names),
            tuple(draw(st.lists(names, max_size=2))),
            draw(times),
            draw(texts),
        ),
        items=draw(item_sets),
    )
