"""Captions of simulated figures: the truth they carry, their variety, and that a seed gives the same again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.caption import Caption
from panelwise_simulator.captions.grammar import CaptionRequest, PanelFacts, WrittenCaption, write_caption
from panelwise_simulator.captions.markers import Markers
from panelwise_simulator.captions.phrases.catalogue import PHRASES, SHORT
from panelwise_simulator.captions.phrases.common import COMMON, COMMON_AXES, ORDERED
from panelwise_simulator.captions.phrases.domains import DOMAINS, draw_topic
from panelwise_simulator.captions.phrases.language import Dice, Topic, agreed, capitalised, is_plural, parsed
from panelwise_simulator.captions.positions import Positions, clockwise
from prelabel.captions.parser import parse_caption

#: Hundreds of captions: seconds in all.
pytestmark = pytest.mark.slow

DRAWERS = sorted(PHRASES)
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
LABELLINGS = {
    "upper": tuple("ABCDEFGHIJKL"),
    "lower": tuple("abcdefghijkl"),
    "roman": ROMAN,
    "numbers": tuple(str(number) for number in range(1, 13)),
    "A1": tuple(f"{letter}{number}" for letter in "ABCDEF" for number in (1, 2)),
    "Ai": tuple(f"{letter}{number}" for letter in "ABCD" for number in ROMAN[:3]),
}


def a_request(
    rng: np.random.Generator, difficulty: str, *, labelling: str = "", lettered: bool | None = None
) -> CaptionRequest:
    """A figure of 1 to 9 panels in rows, of few drawers, with runs of one group."""
    count = int(rng.integers(1, 10))
    columns = int(rng.integers(1, 5))
    drawers = [DRAWERS[int(place)] for place in rng.integers(len(DRAWERS), size=int(rng.integers(1, 4)))]
    labels = LABELLINGS[labelling or list(LABELLINGS)[int(rng.integers(len(LABELLINGS)))]]
    group, drawer = 0, drawers[0]
    panels = []
    for place in range(count):
        if place and rng.random() < 0.5:
            group += 1
            drawer = drawers[int(rng.integers(len(drawers)))]
        row = place // columns
        panels.append(
            PanelFacts(
                label=labels[place],
                drawer=drawer,
                row=row,
                column=place % columns,
                rows=-(-count // columns),
                columns=min(columns, count - row * columns),
                group=group,
            )
        )
    return CaptionRequest(
        panels=tuple(panels),
        lettered=bool(rng.random() < 0.85) if lettered is None else lettered,
        parentheses=bool(rng.random() < 0.3),
        number=int(rng.integers(1, 10)),
        difficulty=difficulty,
    )


def a_caption(seed: int, difficulty: str) -> tuple[CaptionRequest, WrittenCaption]:
    rng = np.random.default_rng(seed)
    request = a_request(rng, difficulty)
    return request, write_caption(rng, request)


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
@given(seed=st.integers(0, 2**32))
def test_spans_lie_on_borders_of_tokens_and_hold_words(difficulty, seed):
    request, written = a_caption(seed, difficulty)
    caption = Caption.cut(written.text)
    labels = {panel.label for panel in request.panels}
    assert set(written.spans) <= labels
    starts = {token.start for token in caption.tokens}
    ends = {token.end for token in caption.tokens}
    for spans in written.spans.values():
        assert spans
        for span in spans:
            assert span.start in starts
            assert span.end in ends
            assert any(sign.isalnum() for sign in written.text[span.start : span.end])
        assert all(one.end < other.start for one, other in pairwise(spans))


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
@given(seed=st.integers(0, 2**32))
def test_no_word_belongs_to_all_panels_of_several(difficulty, seed):
    request, written = a_caption(seed, difficulty)
    caption = Caption.cut(written.text)
    found = [caption.tokens_in(written.spans.get(panel.label, ())) for panel in request.panels]
    if len(found) == 1:
        assert not found[0]
    else:
        assert not frozenset.intersection(*found) & caption.counted


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
@given(seed=st.integers(0, 2**32))
def test_text_is_whole(difficulty, seed):
    _, written = a_caption(seed, difficulty)
    for text in (written.text, *written.references):
        assert text == text.strip()
        assert not set("{}$~\n") & set(text)
    assert 1 <= len(written.references) <= 4


@given(seed=st.integers(0, 2**32))
def test_the_same_seed_writes_the_same_caption(seed):
    assert a_caption(seed, "hard") == a_caption(seed, "hard")


@given(seed=st.integers(0, 2**32))
def test_easy_captions_give_each_panel_one_span_that_begins_with_its_marker(seed):
    rng = np.random.default_rng(seed)
    request = a_request(rng, "easy", lettered=True)
    written = write_caption(rng, request)
    if len(request.panels) > 1:
        assert set(written.spans) == {panel.label for panel in request.panels}
    for label, spans in written.spans.items():
        (span,) = spans
        assert written.text[span.start :].startswith(f"({label}) ")


@given(seed=st.integers(0, 2**32), difficulty=st.sampled_from(["easy", "medium", "hard"]))
def test_every_labelled_panel_is_cited_by_its_own_marker_only(seed, difficulty):
    rng = np.random.default_rng(seed)
    request = a_request(rng, difficulty, lettered=True)
    written = write_caption(rng, request)
    if written.style == "none":
        assert not written.spans
    elif len(request.panels) > 1:
        assert set(written.spans) == {panel.label for panel in request.panels}


def test_medium_and_hard_captions_share_and_scatter_text():
    for difficulty, low, high in (("medium", 0.05, 0.4), ("hard", 0.2, 0.6)):
        scattered = []
        for seed in range(250):
            request, written = a_caption(seed, difficulty)
            caption = Caption.cut(written.text)
            for panel in request.panels:
                tokens = caption.tokens_in(written.spans.get(panel.label, ()))
                if tokens:
                    scattered.append(len(caption.spans_of(tokens)) > 1)
        assert low < sum(scattered) / len(scattered) < high


def test_hardness_is_what_a_parser_feels():
    scores = {}
    for difficulty in ("easy", "medium", "hard"):
        found = []
        for seed in range(200):
            rng = np.random.default_rng(seed)
            request = a_request(rng, difficulty, labelling="upper", lettered=True)
            written = write_caption(rng, request)
            caption = Caption.cut(written.text)
            told = parse_caption(caption).tokens
            for label, spans in written.spans.items():
                true, guess = caption.tokens_in(spans), told.get(label, frozenset())
                found.append(2 * len(true & guess) / (len(true) + len(guess)))
        scores[difficulty] = sum(found) / len(found)
    assert scores["easy"] > 0.93
    assert scores["easy"] > scores["medium"] > scores["hard"]
    assert scores["hard"] < 0.95


def test_captions_hardly_repeat_each_other():
    texts = [a_caption(seed, "medium")[1].text for seed in range(300)]
    assert len(set(texts)) == len(texts)
    sentences = [part for text in texts for part in text.split(". ") if len(part) > 30]
    assert len(set(sentences)) > 0.85 * len(sentences)


def test_all_ways_of_naming_panels_occur():
    styles = {a_caption(seed, difficulty)[1].style for seed in range(400) for difficulty in ("medium", "hard")}
    assert {"(A)", "(A) after", "A)", "A ", "A:", "A,", "A.", "places", "after places", "none"} <= styles


def test_a_figure_without_panels_or_with_a_label_twice_is_refused():
    rng = np.random.default_rng(1)
    panel = PanelFacts("A", "bars", 0, 0, 1, 2, 0)
    for panels in ((), (panel, panel)):
        with pytest.raises(ValueError, match="own label"):
            write_caption(rng, CaptionRequest(panels, True, False, 1, "easy"))


def test_an_unknown_drawer_is_written_on_in_general_words():
    rng = np.random.default_rng(2)
    panels = tuple(PanelFacts(label, "no such drawer", 0, at, 1, 2, at) for at, label in enumerate("AB"))
    assert set(write_caption(rng, CaptionRequest(panels, True, False, 1, "easy")).spans) == {"A", "B"}


@pytest.mark.parametrize("name", sorted(DOMAINS))
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 10))])
def test_every_phrase_of_every_drawer_is_filled_in_every_domain(name, seed):
    domain = DOMAINS[name]
    dice = Dice(np.random.default_rng(seed))
    topic = Topic(dice, {**COMMON, **domain.words}, {**COMMON_AXES, **domain.axes}, ORDERED)
    for phrases in PHRASES.values():
        for phrase in (*phrases.nouns, *phrases.series, *phrases.findings, *phrases.notes):
            text = topic.fill(phrase)
            assert not set("{}|@#") & set(text)
            assert "  " not in text


def test_every_drawer_has_a_series_and_a_short_name():
    assert set(SHORT) == set(PHRASES)
    for name, phrases in PHRASES.items():
        topic, _ = draw_topic(Dice(np.random.default_rng(3)), [name])
        assert all(topic.series(phrase, 2) is not None for phrase in phrases.series), name


@pytest.mark.parametrize(
    ("labels", "joined"),
    [
        ("A", "A"),
        ("AB", "A, B"),
        ("ABC", "A–C"),
        ("ACD", "A, C, D"),
        ("ABCEF", "A–C, E, F"),
        (("i", "ii", "iii"), "i–iii"),
        (("iv", "v", "vi", "ix"), "iv–vi, ix"),
        (("Ai", "Aii", "Aiii"), "Ai–iii"),
        (("A1", "A2", "A3", "B1"), "A1–A3, B1"),
        (("9", "10", "11"), "9–11"),
        ("hij", "h–j"),
    ],
)
def test_lists_of_labels_have_ranges(labels, joined):
    markers = Markers("(A)", after=False, dash="–", comma=", ", last=", ", coupled=False)
    assert markers.joined(tuple(labels)) == joined
    assert markers.before(tuple(labels)) == f"({joined})"


def test_markers_of_several_parentheses():
    markers = Markers("(A)", after=False, dash="–", comma=", ", last=", ", coupled=True)
    assert markers.within(("b", "c")) == "((b) and (c))"
    assert markers.within(("b", "c", "d")) == "((b)–(d))"
    assert markers.within(("b",)) == "(b)"


def test_places_of_panels():
    positions = Positions("upper", "lower", "middle")
    assert [positions.of(0, column, 1, 2) for column in range(2)] == ["left", "right"]
    assert [positions.of(row, 0, 3, 1) for row in range(3)] == ["upper", "middle", "lower"]
    assert positions.of(1, 2, 2, 3) == "lower right"
    assert positions.of(1, 2, 4, 5) == "second row, third from left"
    assert clockwise([(0, 0), (0, 1), (1, 0), (1, 1)]) == [0, 1, 3, 2]
    assert clockwise([(0, 0), (0, 1), (0, 2), (0, 3)]) is None


@pytest.mark.parametrize("phrase", ["a {b", "a } b", "{#x-3}", "{{a}{b}}"])
def test_phrases_with_broken_places_are_refused(phrase):
    with pytest.raises(ValueError, match=r"phrase|place|number"):
        parsed(phrase)


def test_grammar_of_nouns_and_first_letters():
    for noun in ("CT images of the liver", "emission spectra of wine", "height and weight of men"):
        assert is_plural(noun)
    for noun in ("analysis of cells", "axial CT of the lungs", "chest X-ray"):
        assert not is_plural(noun)
    assert agreed("The arrows marks a abscess") == "The arrows mark an abscess"
    assert agreed("The inset show a unit") == "The inset shows a unit"
    assert [capitalised(text) for text in ("survival", "mRNA level", "t-SNE map", "α cells")] == [
        "Survival",
        "mRNA level",
        "t-SNE map",
        "α cells",
    ]
