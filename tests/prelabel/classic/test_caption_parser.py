import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.caption import Caption, Span
from prelabel.captions.labels import expand
from prelabel.captions.markers import read_scheme
from prelabel.captions.parser import parse_caption


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
        ("Title. (a) Left lung; (b) right lung.", {"a": "(a) Left lung", "b": "(b) right lung."}),
        ("Mice (a), rats (b), cats (c).", {"a": "Mice (a)", "b": "rats (b)", "c": "cats (c)"}),
        (
            "Lateral views (a, b), skull (c).",
            {"a": "Lateral views (a, b)", "b": "Lateral views (a, b)", "c": "skull (c)"},
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


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        (
            "(a, b) Axial and coronal CT images, respectively, of a cyst. (c) Histology.",
            {
                "a": "(a, b) Axial and | CT images, respectively, of a cyst.",
                "b": "(a, b) | and coronal CT images, respectively, of a cyst.",
                "c": "(c) Histology.",
            },
        ),
        (
            "(A) Yield. (B, C) Loss; gain in oak and ash, respectively.",
            {
                "A": "(A) Yield.",
                "B": "(B, C) Loss; gain in oak and | , respectively.",
                "C": "(B, C) Loss; gain in | and ash, respectively.",
            },
        ),
        (
            "(a, b) Two of oak, ash and elm, respectively. (c) Map.",
            {label: "(a, b) Two of oak, ash and elm, respectively." for label in "ab"} | {"c": "(c) Map."},
        ),
        (
            "(A, C) Control. (B, D) Drought. (A, B) Roots; and (C, D) stems.",
            {
                "A": "(A, C) Control. | (A, B) Roots",
                "B": "(B, D) Drought. (A, B) Roots",
                "C": "(A, C) Control. | (C, D) stems.",
                "D": "(B, D) Drought. | (C, D) stems.",
            },
        ),
    ],
)
def test_lists_of_several_panels_are_handed_out_to_each(caption: str, expected: dict[str, str]) -> None:
    assert texts(caption) == expected


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Рис. 1. Лист: а – вид; б – срез.", {"а": "а – вид", "б": "б – срез."}),
        ("Печень. (А) Контроль. (Б) Опыт.", {"А": "(А) Контроль.", "Б": "(Б) Опыт."}),
        ("Скорость (а) и время (б).", {"а": "Скорость (а)", "б": "время (б)"}),
        ("Τομογραφία. (α) Πριν. (β) Μετά.", {"α": "(α) Πριν.", "β": "(β) Μετά."}),
        ("صدر. (أ) قبل العلاج. (ب) بعد العلاج.", {"أ": "(أ) قبل العلاج.", "ب": "(ب) بعد العلاج."}),
        ("胚胎发育。（a）野生型；（b）突变体。", {"a": "（a）野生型", "b": "（b）突变体。"}),
        ("胸部：Ａ：入院時。Ｂ：退院時。", {"A": "Ａ：入院時。", "B": "Ｂ：退院時。"}),
        ("Learning rate (α) and decay (β).", {}),
        ("Лист. (i) Вид. (ii) Срез. Угол α.", {"i": "(i) Вид.", "ii": "(ii) Срез. Угол α."}),
        ("Growth of Oaks (A and B) Roots (A) and leaves (B). (C) Bark.",
         {"A": "(A and B) Roots (A)", "B": "(A and B) | leaves (B)", "C": "(C) Bark."}),
        ("Fig. 2 (a) Spectra of oak. (b) Bark.", {"a": "(a) Spectra of oak.", "b": "(b) Bark."}),
        ("Fit. (A) Data. (B) Rest (n = 5). https://doi.org/10.1/x", {"A": "(A) Data.", "B": "(B) Rest (n = 5)."}),
        ("(A) Data. (B) Rest, see e.g. https://doi.org/10.1/x",
         {"A": "(A) Data.", "B": "(B) Rest, see e.g. https://doi.org/10.1/x"}),
        ("(a) Trap. Panels (b) and (c) show the phase.",
         {"a": "(a) Trap.", "b": "Panels (b) and (c) show the phase.", "c": "Panels (b) and (c) show the phase."}),
        ("肝脏：A.平扫；B.动脉期", {"A": "A.平扫", "B": "B.动脉期"}),
        ("Aus bus, male A habitus, dorsal view B head C palp. Scale bars: 1 mm (A); 2 mm (B, C).",
         {"A": "A habitus, dorsal view", "B": "B head", "C": "C palp."}),
        ("Vitamin A levels B cells C peptide.", {}),
        ("Mice. (A) αβ T cells. (B) TNF-α, and TGF-β, fell.",
         {"A": "(A) αβ T cells.", "B": "(B) TNF-α, and TGF-β, fell."}),
        ("Έλεγχος. (A) Πριν. (B) Η γωνία α, β.", {"A": "(A) Πριν.", "B": "(B) Η γωνία α, β."}),
        ("A) roble, B) haya y C) acebo.", {"A": "A) roble", "B": "B) haya", "C": "C) acebo."}),
    ],
)  # fmt: skip
def test_panels_are_read_in_captions_of_other_languages_and_publishers(
    caption: str, expected: dict[str, str]
) -> None:
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
    assert texts("T. (a, b) Cells alive (a) and dead (b).")["b"].endswith("dead (b)")
    assert "Cells" not in texts("T. (a, b) Cells in a row: alive ones (a) and dead ones (b).")["b"]


def test_a_caption_without_panels_has_no_labels_and_no_subcaption() -> None:
    for caption in ("", "A map of the site.", "Results (n = 3) for type A cells.", "See (b) elsewhere."):
        assert parse_caption(caption).labels == ()


@pytest.mark.parametrize(
    ("caption", "labels"),
    [
        # All lists name more than the run of labels has: none of them may count.
        ("B1, B2, D. rerio on day 3.", ()),
        ("A1, A2, D. rerio on day 3.", ()),
        ("Worms: A1, A2, C. elegans; flies.", ()),
        ("Ai, Aii, E) roots", ()),
        ("A1, A2, D. rerio. (a) Larva. (b) Adult.", ("a", "b")),
        ("A1, A2, D. rerio: male A habitus B head C palp.", ("A", "B", "C")),
        ("A′ and A/B, C. elegans A&B to iii 1", ()),
        ("A-C or B2 through treatment Ａ", ()),
        ("A/B or A′ A,B 0 left panel ,", ()),
        ("B'' or A/B b treatment — and", ()),
        # One panel alone is none.
        ("a in hii, bii': roots", ()),
        # Numerals of one letter end a range as others do.
        ("(i–v) Roots. (vi) Leaf.", ("i", "ii", "iii", "iv", "v", "vi")),
        ("Sections (I-III). (I) Root. (II) Leaf. (III) Bark.", ("I", "II", "III")),
        ("Counts are in (1-3).", ()),
    ],
)
def test_lists_beyond_the_run_of_labels_name_no_panels(caption: str, labels: tuple[str, ...]) -> None:
    assert parse_caption(caption).labels == labels


def test_letters_of_significance_are_no_panels() -> None:
    caption = "Yield (a) and loss (b). Different letters (a–e) indicate significant differences."
    assert parse_caption(caption).labels == ("a", "b")


def test_ranges_and_lists_are_put_in_order() -> None:
    assert parse_caption("T. (b–d) Fields. (a) Map. (c) Again.").labels == ("a", "b", "c", "d")
    assert expand("a, b and c") == ("a", "b", "c")
    assert expand("B to D") == ("B", "C", "D")
    assert expand("A1-A3") == ("A1", "A2", "A3")
    assert expand("d-b") == ()


def given_to(caption: str, label: str) -> str:
    return texts(caption)[label]


@pytest.mark.parametrize(
    ("caption", "label", "expected"),
    [
        # What has its opposite in the next panel stands before its marker.
        ("Scans before (a) and after (b) surgery.", "a", "before (a)"),
        ("Leaves with (A) and without (B) rust.", "B", "without (B)"),
        # A semicolon ends what is said of the panel before.
        (
            "Oak (A) and ash (B) trees in May; the bark of the oak and the ash (C).",
            "C",
            "the bark of the oak and the ash (C)",
        ),
        # Panels of which only the parts have letters of their own, beside others.
        ("T. (Ai–ii) Roots in soil (i) and sand (ii). (B) Leaves.", "B", "(B) Leaves."),
        # A sentence without a marker goes on about the panel before it.
        ("T. (A) Roots. They branch. (B) Leaves.", "A", "(A) Roots. They branch."),
        # A note between panels is left out, and what follows it goes on.
        ("T. (A) Roots. Scale bar, 1 cm. They branch. (B) Leaf.", "A", "(A) Roots. | They branch."),
        # After the last panel a note closes what belongs to panels.
        ("T. (A) Roots. They branch. (B) Leaf. Bars, 1 cm. Plants were watered.", "B", "(B) Leaf."),
        # Scale bars are on no panel, also where they name theirs, and before a panel in one sentence.
        ("T. (A) Roots. (B) Leaf. Scale bars, 1 cm in (A), 2 mm in (B).", "B", "(B) Leaf."),
        ("T. (A) Roots; (B) leaf. Bar, 1 cm; (C) stem and (D) bark.", "C", "(C) stem"),
        # Panels named together after a preposition.
        (
            "T. (a) Oak. (b) Ash. (c) Elm. The axis in (a) and (b) is time.",
            "a",
            "(a) Oak. | The axis in (a) and (b) is time.",
        ),
        # A word and its abbreviation, and a marker after a short word, a stop or a comma.
        ("Leaves of control (C) trees. (A) Oak. (B) Ash. (C) Elm.", "C", "(C) Elm."),
        ("Bark seen (A) in spring and (B) in dry, (C) in wet, (D) in cold summers.", "D", "(D) in cold summers."),
        # A clause before a semicolon and a head goes on about the panel before.
        ("T. (b) Ash. Note its buds; (c) Elm. (a) Oak.", "b", "(b) Ash. Note its buds;"),
        ("T. (b) Ash. Note its buds; (c) elm and (d) yew. (a) Oak.", "d", "(d) yew."),
        # What goes on behind a row is on the row, and what is added on the next panel.
        ("Axial (a) and coronal (b) MRI of oak, confirmed by CT (c).", "b", "coronal (b) MRI of oak"),
        ("Axial (a) and coronal (b) MRI of oak, confirmed by CT (c).", "c", "confirmed by CT (c)"),
        # A marker within parentheses stands behind their text.
        (
            "T. Content of putrescine (PUT, A), spermidine (SPD, B) and spermine (SPM, C).",
            "B",
            "spermidine (SPD, B)",
        ),
        (
            "T. (A) Oak. (B, C) Fraction (EF, B) and shortening (FS, C) fell.",
            "C",
            "(B, C) | shortening (FS, C) fell.",
        ),
        # An abbreviation ends a sentence where a head follows.
        ("T. A) Oak. Error bars are S.E.M. B) Ash.", "B", "B) Ash."),
        # Credits in parentheses are a note.
        ("T. (a) Oak. (b) Ash. (credit: work by the park)", "b", "(b) Ash."),
        # Abbreviations behind the last panel.
        ("T. (A) Roots; (B) leaf; C, cortex; P, pith; X, xylem.", "B", "(B) leaf"),
        # Heads within a sentence, and cut off from their text.
        ("T. (a), Roots of oak; (b), leaves of ash; (c), bark.", "b", "(b), leaves of ash"),
        ("T. (a). Roots of oak. (b). Leaves of ash.", "b", "(b). Leaves of ash."),
        ("T. (a) Oak is tall. It is far from the wall, (b) The ash is small.", "b", "(b) The ash is small."),
        # A marker before its text; the beginning is on all panels, and so is the end.
        ("T. Growth in (a) light or (b) shade, when plants were watered daily.", "a", "(a) light"),
        ("T. Growth in (a) light or (b) shade, when plants were watered daily.", "b", "(b) shade"),
        ("Rates of uptake: (a) iron ions (b) zinc ions (c) copper ions of two kinds.", "b", "(b) zinc ions"),
        # After it; what is on a proper subset belongs to each of its members.
        ("T. (a) Map. Growth of oak (b) and ash (c) in spring.", "c", "Growth of | ash (c) in spring."),
        ("Growth of oak (a) and ash (b) in spring.", "b", "ash (b)"),
        (
            "Weight of the roots of oak (a) and ash (b), and the total length of leaves of oak (c) and ash (d).",
            "d",
            "the total length of leaves of | ash (d)",
        ),
        ("Root length (A), leaf count (B), and (C) a map of the sites.", "C", "(C) a map of the sites."),
        ("T: fresh weight (A), dry weight (B).", "A", "fresh weight (A)"),
        # Clauses set off by semicolons.
        ("Test one, in graph A, in May; test two, in graph B, in June.", "B", "test two, in graph B, in June."),
        # References to panels described before.
        (
            "T. (A) Roots. They grow. (B) Leaf. Arrows in (A) indicate tips.",
            "A",
            "(A) Roots. They grow. | Arrows in (A) indicate tips.",
        ),
        (
            "Trees. a Roots. They grow. b Leaf. In a, dots are tips.",
            "a",
            "a Roots. They grow. | In a, dots are tips.",
        ),
        ("T. (A) Roots. (B) Leaf, as in (A). It is green.", "A", "(A) Roots."),
        (
            "T. (A) Roots. Long. (B) Leaf. The same as in (A) was seen.",
            "B",
            "(B) Leaf. The same as in (A) was seen.",
        ),
    ],
)
def test_each_rule_gives_a_panel_its_words(caption: str, label: str, expected: str) -> None:
    assert given_to(caption, label) == expected


def test_a_marker_that_names_all_panels_within_a_sentence_adds_nothing() -> None:
    found = texts("Effect of the doses (A–C) on growth. (A) Low, (B) middle, and (C) high.")
    assert found == {"A": "(A) Low", "B": "(B) middle", "C": "(C) high."}


def test_what_follows_a_row_of_all_panels_is_on_none() -> None:
    assert given_to("Growth in (a) light and (b) shade. The lines are fitted curves.", "b") == "(b) shade."


def test_text_on_left_and_right_stays_with_its_panel() -> None:
    found = texts("T. (A) Oak (left) and ash (right). (B) Elm on the left, beech on the right.")
    assert found == {"A": "(A) Oak (left) and ash (right).", "B": "(B) Elm on the left, beech on the right."}


def test_confidence_falls_with_what_is_uncertain() -> None:
    plain = parse_caption("T. (A) Roots. (B) Leaves. (C) Bark.")
    mixed = parse_caption("T. a Roots of oak. Leaves (b) and bark (c).")
    filled = parse_caption("Growth of a oak and b ash.")
    nothing = parse_caption("Growth of oak.")
    assert 1.0 > plain.confidence > mixed.confidence > filled.confidence > nothing.confidence > 0.0
    assert plain.lettered
    assert plain.layout == ()


def test_places_are_panels_where_no_letters_are() -> None:
    parsed = parse_caption("Oak (left) and ash (right) in spring.")
    assert parsed.labels == ("left", "right")
    assert parsed.layout == (("left", "left"), ("right", "right"))
    assert not parsed.lettered
    assert given_to("Oak (left) and ash (right) in spring.", "right") == "ash (right)"


def test_a_given_tokenisation_is_kept_to() -> None:
    caption = Caption("(A) Oak. (B) Ash.", (Span(0, 3), Span(4, 8), Span(9, 12), Span(13, 17)))
    assert parse_caption(caption).tokens == {"A": frozenset({0, 1}), "B": frozenset({2, 3})}


@pytest.mark.parametrize("count", [30, 50])
def test_captions_with_many_panels_are_read(count: int) -> None:
    caption = "Sections. " + " ".join(f"({number}) Slice {number} of the stack." for number in range(1, count + 1))
    assert parse_caption(caption).labels == tuple(str(number) for number in range(1, count + 1))


pieces = st.lists(
    st.sampled_from(
        ["(A)", "(B)", "(C)", "(a-c)", "((b) and (c))", "a", "b,", "A.", "B:", "and", "the", "left", "lung.",
         ";", "\n", "(", ")", "Scale bars", "😀", "𝛼-tubulin", "(A, left; blue)", "n = 3.", "é", "(a", "A–",
         "(i)", "ii)", "(Fig. 1a)", "肺", "(left)", "Right:", "top row,", "(Ai-ii)", "A1", "1.", "(2)",
         "in", "respectively", ",", "A′", "B''", "A/B", "A&B", "A-C", "B2", "a1", "Ａ", "iii", "[A]", "or", "to",
         "through", "C. elegans", "e.g.", "day 1"]
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


@given(st.one_of(pieces, st.text(max_size=80)))
def test_default_tokens_are_counted_as_they_are_cut(caption: str) -> None:
    given_ranges = Caption.of_ranges(caption, Caption.cut(caption).ranges)
    assert not given_ranges.uncut
    assert parse_caption(caption) == parse_caption(given_ranges)


@given(pieces)
def test_markers_lie_in_the_text_and_name_known_labels(caption: str) -> None:
    scheme = read_scheme(caption)
    for marker in scheme.markers:
        Span(marker.start, marker.end)
        assert marker.end <= len(caption)
        assert set(marker.labels) <= set(scheme.labels)


@pytest.mark.parametrize(
    "piece",
    ["(a) text, ", "((((((", "))))", "a, b, c, ", "a, ", "(a (b (c ", "A. B: C) ", "a-b-c-", "and (b",
     "; ; ; ", "x. A. ", "(a, bb ", "b c d e ", "(A) x (B) y (C) z ", "(1) ", "ii, iii ", "Ai ", "a' ", "(left) ",
     "top row, ", "In a ", "black black ", "E, eye; T, toe; ", "(a)-", ". . ", "\n", "mean ± SD ",
     "(", "A) ", "and ", " ", "- ", "(A; ", "Fig. ", "(aaa "],
)  # fmt: skip
@pytest.mark.slow
def test_time_grows_with_the_length_and_not_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        start = time.process_time()
        parse_caption(text)
        return time.process_time() - start

    # Eight times the text: 8 where time is linear, 64 where it is quadratic. One try may meet a busy machine.
    limit = 24 * max(min(seconds(4_000) for _ in range(3)), 0.002)
    assert any(seconds(32_000) < limit for _ in range(5))


@pytest.mark.slow
def test_labels_of_real_captions_are_found(shared_data: Path) -> None:
    right = total = 0
    with (shared_data / "captions.jsonl").open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record.get("labels_contiguous") and record["panel_labels"]:
                total += 1
                right += list(parse_caption(record["caption"]).labels) == sorted(set(record["panel_labels"]))
    assert right / total >= 0.98


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
