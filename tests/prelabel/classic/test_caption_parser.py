import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.caption import Caption, Span
from prelabel.classic.caption_parser import parse_caption
from prelabel.classic.markers import expand, read_scheme


def texts(caption: str) -> dict[str, str]:
    """What the parser gives to each label; "|" between spans."""
    cut = Caption.cut(caption)
    return {
        label: " | ".join(caption[span.start : span.end] for span in cut.spans_of(tokens))
        for label, tokens in parse_caption(cut).tokens.items()
    }


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Title. (A) Left lung. (B) Right lung.", {"A": "(A) Left lung.", "B": "(B) Right lung."}),
        ("Title. A) Left lung. B) Right lung.", {"A": "A) Left lung.", "B": "B) Right lung."}),
        ("Title. A. Left lung. B. Right lung.", {"A": "A. Left lung.", "B": "B. Right lung."}),
        ("Title. A: Left lung. B: Right lung.", {"A": "A: Left lung.", "B": "B: Right lung."}),
        ("Title. A, Left lung. B, Right lung.", {"A": "A, Left lung.", "B": "B, Right lung."}),
        ("Title. a Left lung. b Right lung.", {"a": "a Left lung.", "b": "b Right lung."}),
        ("Title. (a) Left lung; (b) right lung.", {"a": "(a) Left lung;", "b": "(b) right lung."}),
        ("Mice (a), rats (b), cats (c).", {"a": "Mice (a)", "b": "rats (b)", "c": "cats (c)."}),
        (
            "Lateral views (a, b), skull (c).",
            {"a": "Lateral views (a, b)", "b": "Lateral views (a, b)", "c": "skull (c)."},
        ),
        (
            "T. (A) One. (B–D) Three of them. (E) Last.",
            {
                "A": "(A) One.",
                "B": "(B–D) Three of them.",
                "C": "(B–D) Three of them.",
                "D": "(B–D) Three of them.",
                "E": "(E) Last.",
            },
        ),
        (
            "A soil with a diesel oil and b waste oil",
            {"a": "a diesel oil", "b": "b waste oil"},
        ),
    ],
)
def test_markers_of_every_style_take_their_text(caption: str, expected: dict[str, str]) -> None:
    assert texts(caption) == expected


def test_titles_and_closing_notes_belong_to_no_panel() -> None:
    caption = (
        "Growth is slow. (A) Curves. They rise. (B) Bars. Scale bar, 5 mm. Data are means ± SD. WT, wild type."
    )
    assert texts(caption) == {"A": "(A) Curves. They rise.", "B": "(B) Bars."}


def test_text_on_some_panels_belongs_to_each_and_text_on_all_to_none() -> None:
    found = texts("T. (a–c) SEM images of the film (a), foil (b) and wire (c). (d) Chart.")
    assert found["a"] == "(a–c) SEM images of the film (a)"
    assert found["b"] == "(a–c) SEM images of the | foil (b)"
    assert found["d"] == "(d) Chart."
    assert texts("T. (a, b) Cells alive (a) and dead (b).")["b"].endswith("dead (b).")
    assert "Cells" not in texts("T. (a, b) Cells in a row: alive ones (a) and dead ones (b).")["b"]


def test_a_caption_without_panels_has_no_labels_and_no_subcaption() -> None:
    for caption in ("", "A map of the site.", "Results (n = 3) for type A cells.", "See (b) elsewhere."):
        assert parse_caption(caption).labels == ()


def test_letters_of_significance_are_no_panels() -> None:
    caption = "Yield (a) and loss (b). Different letters (a–e) indicate significant differences."
    assert parse_caption(caption).labels == ("a", "b")


def test_ranges_and_lists_are_put_in_order() -> None:
    assert parse_caption("T. (b–d) Fields. (a) Map. (c) Again.").labels == ("a", "b", "c", "d")
    assert expand("a, b and c") == ("a", "b", "c")
    assert expand("B to D") == ("B", "C", "D")
    assert expand("A1-A3") == ("A1", "A2", "A3")
    assert expand("d-b") == ()


pieces = st.lists(
    st.sampled_from(
        ["(A)", "(B)", "(C)", "(a-c)", "((b) and (c))", "a", "b,", "A.", "B:", "and", "the", "left", "lung.", ";",
         "\n", "(", ")", "Scale bars", "😀", "𝛼-tubulin", "(A, left; blue)", "n = 3.", "é", "(a", "A–",
         "(Fig. 1a)", "肺"]
    ),
    max_size=40,
).map(" ".join)  # fmt: skip


@given(st.one_of(pieces, st.text(max_size=80)))
def test_any_text_gives_tokens_of_the_caption_and_the_same_ones_again(caption: str) -> None:
    cut = Caption.cut(caption)
    parsed = parse_caption(cut)
    assert parse_caption(caption) == parsed
    assert set(parsed.tokens) == set(parsed.labels)
    assert len(set(parsed.labels)) == len(parsed.labels)
    for tokens in parsed.tokens.values():
        assert all(0 <= token < len(cut.tokens) for token in tokens)
        cut.spans_of(tokens)


@given(pieces)
def test_markers_lie_in_the_text_and_name_known_labels(caption: str) -> None:
    scheme = read_scheme(caption)
    for marker in scheme.markers:
        Span(marker.start, marker.end)
        assert marker.end <= len(caption)
        assert set(marker.labels) <= set(scheme.labels)


@pytest.mark.parametrize(
    "piece",
    [
        "(a) text, ",
        "((((((",
        "a, b, c, ",
        "(a (b (c ",
        "A. B: C) ",
        "a-b-c-",
        "and (b",
        "; ; ; ",
        "x. A. ",
        "(a, bb ",
    ],
)
@pytest.mark.slow
def test_time_grows_with_the_length_and_not_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            parse_caption(text)
            best = min(best, time.process_time() - start)
        return best

    # Eight times the text: 8 where time is linear, 64 where it is quadratic.
    assert seconds(32_000) < 24 * max(seconds(4_000), 0.002)


@pytest.mark.slow
def test_labels_of_real_captions_are_found(shared_data: Path) -> None:
    right = total = 0
    with (shared_data / "captions.jsonl").open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record.get("labels_contiguous") and record["panel_labels"]:
                total += 1
                right += sorted(parse_caption(record["caption"]).labels) == sorted(set(record["panel_labels"]))
    assert right / total > 0.95


def test_text_of_real_captions_is_found(shared_data: Path) -> None:
    scores = []
    with (shared_data / "gold_annotations.jsonl").open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            caption = Caption.cut(record["caption"] or "")
            parsed = parse_caption(caption)
            for subfigure in record["subfigures"]:
                gold = caption.tokens_in(Span(*span) for span in subfigure["subcaption"]) & caption.counted
                if gold:
                    tokens = parsed.tokens.get(subfigure["label"], frozenset()) & caption.counted
                    scores.append(2 * len(gold & tokens) / (len(gold) + len(tokens)))
    assert sum(scores) / len(scores) > 0.83
