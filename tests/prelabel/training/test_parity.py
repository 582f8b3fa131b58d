"""Targets, batches, decoding and oracles as MedICaT's code has them, written anew from what it is known to do.

Its readers work on a figure's caption tokens and its subcaptions, lists of token positions; its tags are strings.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives import Common, Mode
from annotator.prelabels.results_table import Models, Scores, table_source
from annotator.prelabels.train import Material, examples_of
from panelwise.files.jsonl import Problems
from prelabel.evaluation.paper_table.table import Column
from prelabel.taggers.crf import LinearChainCRF
from prelabel.taggers.decoding import BIOUL, Emissions, read_single_spans
from prelabel.taggers.spans import spans_of, tags_of
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.tasks import box_crf, text_crf
from prelabel.training.tasks.registry import Options

TAGS = "OBILU"
OPTIONS = Options(encoder="tiny", batch=8)


@pytest.fixture(scope="module")
def gold(request: pytest.FixtureRequest) -> list[Example]:
    """The 32 gold figures, all to train with."""
    folder: Path = request.getfixturevalue("shared_data")
    material = Material(folder / "gold_annotations.jsonl", folder / "figures.jsonl")
    found = examples_of(material, Problems())
    return [Example(each.figure, each.image, each.subfigures, Split.TRAIN) for each in found]


def official_subcaptions(example: Example) -> list[tuple[list[float], list[int]]]:
    """Boxes with the tokens that its reader hands out: none that all subcaptions have. Boxes without any are left
    out, and so are figures with one subcaption."""
    texted = [each for each in example.subfigures if len(each.subcaption) > 0]
    times = Counter(token for each in texted for token in each.subcaption)
    found = []
    for each in texted:
        own = [token for token in sorted(each.subcaption) if times[token] < len(texted)]
        if own:
            found.append((each.box.as_list(), own))
    return found


def official_runs(tokens: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for token in tokens:
        if runs and runs[-1][-1] == token - 1:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def official_tags(runs: list[list[int]], length: int) -> str:
    tags = ["O"] * length
    for run in runs:
        for token in run:
            tags[token] = "I"
        tags[run[0]], tags[run[-1]] = "B", "L"
        if len(run) == 1:
            tags[run[0]] = "U"
    return "".join(tags)


def official_text_tags(example: Example) -> str:
    """Of each subcaption in turn its longest run without a token that an earlier one took."""
    taken: set[int] = set()
    chosen = []
    for _, tokens in official_subcaptions(example):
        free = [run for run in official_runs(tokens) if not taken.intersection(run)]
        if free:
            longest = max(free, key=len)
            taken.update(longest)
            chosen.append(longest)
    return official_tags(chosen, len(example.figure.caption.ranges))


def shown(tags: torch.Tensor, length: int) -> str:
    return "".join(TAGS[tag] for tag in tags[:length].tolist())


def test_tags_are_written_in_this_order() -> None:
    """Outside, begin, inside, last, unit."""
    assert "".join(TAGS[tag] for tag in tags_of([(1, 4), (5, 6)], 7)) == "OBILOUO"


def test_the_text_tagger_learns_what_the_official_reader_hands_out(gold: list[Example]) -> None:
    task = text_crf.make_task(gold, OPTIONS, Problems())
    ours = Counter(
        shown(row, length)
        for batch in task.batches("train", 1, 0)
        for row, length in zip(batch.tags, batch.captions.lengths.tolist(), strict=True)
    )
    theirs = Counter(official_text_tags(each) for each in gold if official_subcaptions(each))
    assert ours == theirs
    assert theirs.total() > 25


def test_the_box_tagger_learns_the_same_as_the_official_one_in_batches_of_8_boxes(
    gold: list[Example],
) -> None:
    """An instance is one caption with one box, given by its shares of the image."""
    task = box_crf.make_task(gold, OPTIONS, Problems())
    ours: Counter[tuple[str, tuple[float, ...]]] = Counter()
    sizes = []
    for batch in task.batches("train", 1, 0):
        lengths = [
            length
            for length, count in zip(batch.captions.lengths.tolist(), batch.counts, strict=True)
            for _ in range(count)
        ]
        sizes.append(len(batch.boxes))
        for row, box, length in zip(batch.tags, batch.boxes.tolist(), lengths, strict=True):
            ours[shown(row, length), tuple(round(each, 4) for each in box)] += 1
    theirs: Counter[tuple[str, tuple[float, ...]]] = Counter()
    for each in gold:
        wide, high = each.figure.width, each.figure.height
        for (x0, y0, x1, y1), tokens in official_subcaptions(each):
            place = tuple(round(side, 4) for side in (x0 / wide, y0 / high, x1 / wide, y1 / high))
            theirs[official_tags(official_runs(tokens), len(each.figure.caption.ranges)), place] += 1
    assert ours == theirs
    # As many steps an epoch as the official batcher takes: full batches of 8 boxes and one with what is left.
    whole, rest = divmod(theirs.total(), 8)
    assert sorted(sizes, reverse=True) == [8] * whole + [rest] * (rest > 0)


@given(st.lists(st.sampled_from(["O", "U", "BL", "BIL", "BIIIL"]), max_size=12).map("".join))
def test_tags_are_decoded_as_the_official_code_does(tags: str) -> None:
    """A span is a unit, or whatever stands from a begin to a last; the rest is none."""
    spans, begun = [], None
    for place, tag in enumerate(tags):
        if tag == "U":
            spans.append((place, place + 1))
        elif tag == "B":
            begun = place
        elif tag == "L":
            assert begun is not None
            spans.append((begun, place + 1))
    assert spans_of([TAGS.index(tag) for tag in tags]) == spans


@given(st.lists(st.integers(1, 7), min_size=1, max_size=3), st.integers(0, 1000))
def test_the_best_single_span_is_that_of_appendix_c(lengths: list[int], seed: int) -> None:
    """Of all pairs of a start and an end not before it, the one whose two probabilities add up to most."""
    torch.manual_seed(seed)
    crf = LinearChainCRF(BIOUL)
    rows = Emissions(torch.randn(len(lengths), max(lengths), 5), torch.tensor(lengths))
    chances = crf.marginals(rows.values, rows.lengths)
    begin, last, unit = (TAGS.index(tag) for tag in "BLU")
    for row, length, found in zip(chances, lengths, read_single_spans(crf, rows), strict=True):
        sums = {
            (start, end + 1): float(row[start, begin] + row[start, unit] + row[end, last] + row[end, unit])
            for start in range(length)
            for end in range(start, length)
        }
        assert sums[found.spans[0]] == pytest.approx(max(sums.values()), abs=1e-5)


def test_oracles_are_the_official_ones(gold: list[Example], shared_data: Path) -> None:
    """The official code on the 32 gold figures: .9209 with the heuristic, .7878 of single spans with it."""
    scores: list[float] = []
    for single in (False, True):
        f1s = []
        for example in gold:
            f1s += official_f1s(example, single)
        scores.append(sum(f1s) / len(f1s))
    assert scores == pytest.approx([0.9209, 0.7878], abs=0.001)
    material = Material(
        shared_data / "gold_annotations.jsonl", shared_data / "figures.jsonl", shared_data / "none"
    )
    table = table_source(
        material,
        Problems(),
        models=Models(),
        scores=Scores(columns=(Column.ALL,), mode=Mode.OFFICIAL, common=Common.NONE, resamples=0),
    )
    ours = {row.system.key: row.scores[Column.ALL].value for row in table.rows}
    assert [ours["oracle_heuristic"], ours["oracle_single_span_heuristic"]] == pytest.approx(scores, abs=0.001)


def official_f1s(example: Example, single: bool) -> list[float]:
    """Boxes row by row, each with the next subcaption of the caption's order.

    A box joins the first row that has a box with a top less than 50 pixels from its own; else it begins a row,
    before the first that is wholly below it.
    """
    words = [(each.box.as_list(), each.subcaption) for each in example.subfigures if each.subcaption]
    rows: list[list[Any]] = []
    for each in words:
        top = each[0][1]
        for row in rows:
            if any(abs(other[0][1] - top) < 50 for other in row):
                row.append(each)
                break
        else:
            below = [at for at, row in enumerate(rows) if all(top < other[0][1] for other in row)]
            rows.insert(below[0] if below else len(rows), [each])
    ordered = [each for row in rows for each in sorted(row, key=lambda each: each[0][0])]
    found = [set(own) for _, own in words]
    if single:
        taken: set[int] = set()
        spans = []
        for own in found:
            free = [run for run in official_runs(sorted(own)) if not taken.intersection(run)]
            if free:
                taken.update(max(free, key=len))
                spans.append(set(max(free, key=len)))
        found = spans
    found = sorted(found, key=sorted)
    counted = example.figure.caption.counted
    f1s = []
    for place, (_, own) in enumerate(ordered):
        answer = found[min(place, len(found) - 1)] & counted
        wanted = own & counted
        if wanted:
            f1s.append(2 * len(wanted & answer) / (len(wanted) + len(answer)))
    return f1s
