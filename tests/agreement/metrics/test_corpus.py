from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from agreement_builders import annotations, campaigns
from agreement_corpora import work_on
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.columns.contents import content_digest
from agreement.columns.corpus import STATUSES, Corpus, microseconds, split_superseded
from agreement.columns.raw import RawAnnotation, Submitted, panels_of
from agreement.pairs.pairwise import latest, pair_scores
from agreement.primitives.rules import Common
from agreement.primitives.token_sets import WORD
from panelwise.domain.annotation import Annotation, Panel, Status
from panelwise.domain.errors import InvalidAnnotation

Q = (0.0, 0.0, 10.0, 10.0)
corpora = st.builds(
    lambda seed, raw: work_on(3, random.Random(seed), raw=raw), st.integers(0, 2**32), st.booleans()
)


def panels(corpus: Corpus, row: int) -> list[tuple[list[float], list[int]]]:
    """The panels of a row as columns hold them: boxes, and ids as often as they were listed."""
    words = corpus.rows[row].figure.caption.words
    order = sorted(range(len(words)), key=lambda token: (not words[token].isalnum(), token))
    found = []
    for panel in range(int(corpus.panel_starts[row]), int(corpus.panel_starts[row + 1])):
        begin, end = corpus.text.starts[panel : panel + 2].tolist()
        places = [
            WORD * number + bit
            for number, word in enumerate(corpus.text.words[begin:end].tolist())
            for bit in range(WORD)
            if word >> bit & 1
        ]
        places += corpus.repeated_places[corpus.repeated_panels == panel].tolist()
        found.append((corpus.boxes[panel].tolist(), sorted(order[place] for place in places)))
    return found


def assert_holds(corpus: Corpus, work: list[Submitted]) -> None:
    assert len(corpus) == len(work)
    assert list(corpus) == work
    for row, each in enumerate(work):
        assert corpus.annotators[corpus.annotator[row]] == each.annotator
        assert corpus.phases[corpus.phase[row]] == each.phase
        assert corpus.figures[corpus.figure[row]] == each.figure.id
        assert STATUSES[corpus.status[row]] is each.status
        assert bool(corpus.seeded[row]) == (each.seeded_by is not None)
        assert int(corpus.saved_at[row]) == microseconds(each.saved_at)
        assert int(corpus.revision[row]) == each.figure.revision
        content = corpus.content[row]
        assert int(corpus.tokens[content]) == len(each.figure.caption.words)
        assert int(corpus.counted[content]) == len(each.figure.caption.counted)
        assert panels(corpus, row) == [(list(panel.box), sorted(panel.tokens)) for panel in panels_of(each)]


@given(corpora)
def test_columns_hold_what_the_annotations_hold(work: list[Submitted]) -> None:
    corpus = Corpus.of(work)
    assert_holds(corpus, work)
    assert Corpus.of(corpus) is corpus
    same = {(each.figure.caption.text, each.figure.width) for each in work}
    assert len(corpus.digests) == len(same)


@given(corpora, st.randoms())
def test_some_rows_in_another_order_hold_the_same(work: list[Submitted], source: random.Random) -> None:
    rows = source.sample(range(len(work)), source.randint(0, len(work)))
    taken = Corpus.of(work).take(np.array(rows, dtype=np.int64))
    chosen = [work[row] for row in rows]
    assert_holds(taken, chosen)
    assert list(taken.rows[1:3]) == chosen[1:3]
    for common in Common:
        scores = [[pair.score for pair in pair_scores(each, common=common)] for each in (taken, chosen)]
        assert scores[0] == scores[1]


@given(corpora, st.randoms())
def test_some_panels_alone_are_as_if_no_others_had_been_drawn(
    work: list[Submitted], source: random.Random
) -> None:
    corpus = Corpus.of(work)
    kept = np.array([source.random() < 0.5 for _ in corpus.boxes], dtype=np.bool_)
    marks = iter(kept.tolist())
    part = corpus.with_panels(kept)
    for row, each in enumerate(work):
        expected = [(list(panel.box), sorted(panel.tokens)) for panel in panels_of(each) if next(marks)]
        assert panels(part, row) == expected


def test_contents_are_told_apart_by_text_tokens_and_size() -> None:
    contents = [("a b", (0, 1, 2, 3), 5, 6), ("a c", (0, 1, 2, 3), 5, 6), ("a b", (0, 3), 5, 6)]
    contents += [("a b", (0, 1, 2, 3), 6, 5), ("", (), 5, 6), ("\udc80", (), 5, 6)]
    assert len({content_digest(*each) for each in contents}) == len(contents)
    assert content_digest(*contents[0]) == content_digest("a b", [0, 1, 2, 3], 5, 6)


def test_times_are_counted_from_1970_to_the_microsecond() -> None:
    assert microseconds(datetime(1970, 1, 1, 0, 0, 1, 7, tzinfo=UTC)) == 1_000_007
    assert microseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1


@pytest.mark.parametrize("token", [-1, 3])
def test_a_token_that_the_caption_lacks_is_refused(token: int) -> None:
    figure = a_figure("f9", caption="one two three")
    raw = RawAnnotation(figure, "A", "1", Status.ACCEPTED, (Panel(Q, (0, token)),), (), an_annotation().saved_at)
    with pytest.raises(InvalidAnnotation, match=f'figure "f9" by A: token {token} of 3 in a subcaption'):
        Corpus.of([an_annotation(), raw])


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_coordinate_that_is_no_number_is_refused(bad: float) -> None:
    box = (0.0, 0.0, bad, 1.0)
    figure = a_figure("f9", caption="one two three")
    raw = RawAnnotation(figure, "A", "1", Status.ACCEPTED, (Panel(box, ()),), (), an_annotation().saved_at)
    with pytest.raises(InvalidAnnotation, match=r'figure "f9" by A: box .* not a finite number'):
        pair_scores([an_annotation(), raw])


@given(st.lists(annotations(), max_size=9), st.lists(st.integers(0, 2), min_size=9, max_size=9))
def test_of_a_corpus_the_same_annotations_hold_as_of_a_list(work: list[Annotation], minutes: list[int]) -> None:
    work = [
        replace(each, saved_at=an_annotation(minutes=minute).saved_at)
        for each, minute in zip(work, minutes, strict=False)
    ]
    for found, expected in zip(split_superseded(Corpus.of(work)), latest(work), strict=True):
        assert list(map(id, found)) == list(map(id, expected))


@pytest.mark.slow
@given(campaigns)
def test_a_corpus_in_which_all_hold_is_taken_as_it_is(work: list[Annotation]) -> None:
    corpus = Corpus.of(work)
    holding, superseded = split_superseded(corpus)
    assert holding is corpus
    assert len(superseded) == 0


def test_nothing_is_a_corpus_too() -> None:
    corpus = Corpus.of([])
    assert (len(corpus), len(corpus.panels), corpus.boxes.shape, corpus.common) == (0, 0, (0, 4), None)
    assert [len(each) for each in split_superseded(corpus)] == [0, 0]


def test_common_tokens_are_kept_where_raw_work_lists_its_subcaptions() -> None:
    figure = a_figure("f1", caption="one two three")
    work = an_annotation(figure, subfigures=(a_subfigure(tokens=(0, 1)),))
    raw = RawAnnotation(figure, "A", "1", Status.ACCEPTED, (Panel(Q, (0, 1)),), ((0, 1), (1, 2)), work.saved_at)
    corpus = Corpus.of([work, raw])
    assert corpus.common is not None
    assert corpus.common.words.tolist() == [0b11, 0b10]
