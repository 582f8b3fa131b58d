import pytest

from prelabel.captions.markers import NO_SCHEME, confidence, find_candidates, read_scheme
from prelabel.captions.parser import parse_caption
from prelabel.captions.surroundings import Style


def labels(caption: str) -> str:
    return " ".join(read_scheme(caption).labels)


STYLES = ["({})", "{})", "{}.", "{}:", "[{}]", "Panel {}:", "Panel {}.", "(Panel {})"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("named", ["A B C", "a b c", "1 2 3", "i ii iii", "Ai Aii B", "A1 A2 B1"])
def test_every_style_is_read_with_every_kind_of_label(style: str, named: str) -> None:
    things = ("Roots of oak.", "Leaves of ash.", "Bark of elm.")
    written = " ".join(
        f"{style.format(label)} {thing}" for label, thing in zip(named.split(), things, strict=True)
    )
    assert labels(f"Growth of trees. {written}") == named


@pytest.mark.parametrize(
    ("caption", "named"),
    [
        ("T. a Roots. b Leaves. c Bark.", "a b c"),
        ("T. a, Roots. b, Leaves. c, Bark.", "a b c"),
        ("T. A and B, Roots. C, Leaves.", "A B C"),
        ("T. (a) and (b) Roots. (c) Leaves.", "a b c"),
        ("T. (a)–(c) Roots. (d) Leaves.", "a b c d"),
        ("Roots (weight, A) and leaves (count, B).", "A B"),
        ("Roots (A, left; red) and leaves (B, right).", "A B"),
        ("Trees in spring (a: oak; b: ash; c: elm).", "a b c"),
        ("Trees in spring (A for oak, B for ash, C for elm).", "A B C"),
        # Several styles in one caption.
        ("Growth of a Oak and (b) ash. c Map of sites. Height (d) and girth (e). f Chart.", "a b c d e f"),
        ("Trees of a Oakland, b Ashton and c Elmira.", "a b c"),
        ("Trees. A Oaks B Ashes C Elms.", "A B C"),
        ("Trees showing a the height of oak, and b the height of ash.", "a b"),
        # The order in the text is not that of the labels.
        ("T. (b, d) Roots. (a, c) Leaves.", "a b c d"),
        # A unit or an initial at the end of a sentence.
        ("T. (a) Kept for 3 h. (b) Kept at 20 °C. (c) Dried.", "a b c"),
        ("Kept for 24 h. a Roots of oak. b Leaves of ash.", "a b"),
    ],
)
def test_labels_are_read(caption: str, named: str) -> None:
    assert labels(caption) == named


@pytest.mark.parametrize(
    ("caption", "named"),
    [
        # Species, abbreviations, genomes, letters of significance, references to other things.
        ("Roots of E. coli hosts (A) and leaves (B), as C. elegans eats them.", "A B"),
        ("T. (A) Roots. (B) Leaves. C, cortex; P, pith; X, xylem.", "A B"),
        ("Cost (C) and gain (G) on slopes (A) and plains (B).", "A B"),
        ("Roots (a) and leaves (b). Different letters (a–d) indicate significant differences.", "a b"),
        ("Roots (a) and leaves (b); a, b, c, d are values that differ.", "a b"),
        ("Roots (A) and leaves (B) of plants with genome C or genome D.", "A B"),
        ("(A) Roots of oak (i) and ash (ii). (B) Leaves.", "A B"),
        ("(A) Roots (a) and tips (b). (B) Leaves (a) and stalks (b).", "A B"),
        ("T. (A) Roots. (B) Leaves for 5 d. Bars, 3 h.", "A B"),
    ],
)
def test_what_looks_like_a_label_and_is_none_is_left_out(caption: str, named: str) -> None:
    assert labels(caption) == named


@pytest.mark.parametrize(
    "caption",
    ["", "a", "A", "A tree.", "Type A cells and type B cells.", "Roots (a).", "A plant in (b).", "See Fig. 1 (a).",
     "Vitamin A and vitamin C.", "Plants (1, short; 2, tall) on a hill.", "Dose (1) is low."],
)  # fmt: skip
def test_captions_that_name_no_two_panels_have_no_scheme(caption: str) -> None:
    assert read_scheme(caption) is NO_SCHEME


def test_strong_markers_need_no_neighbours_and_the_article_is_none() -> None:
    found = {marker.style: marker.weight for marker in find_candidates("(A) Oak. B: Ash.")}
    assert found[Style.PARENTHESES] > found[Style.POINTED] > 1.0
    assert find_candidates("It is on a hill.") == []


def test_a_rival_reading_costs_confidence() -> None:
    alone = read_scheme("T. (A) Roots. (B) Leaves.")
    rivalled = read_scheme("T. (A) Roots (a) and tips (b). (B) Leaves (c).")
    assert rivalled.labels == alone.labels
    assert confidence(rivalled) < confidence(alone)


@pytest.mark.parametrize(
    "caption",
    [
        "Yield under treatment A in oak, treatment B in ash and treatment C in elm.",
        "Patient A, patient B and patient C at rest.",
        "Case A: fracture. Case B: none.",
        "Plot of treatment A (n = 3), treatment B (n = 4), and treatment C (n = 5).",
        "Patients A and B, and patient C at rest.",
        "Colonies of strain a, strain b and strain c on agar.",
        "Mice given drug A, drug B or drug C over time.",
        "Protein kinase A and protein kinase B, protein kinase C",
    ],
)
def test_letters_of_things_that_a_noun_names_are_no_panels(caption: str) -> None:
    assert parse_caption(caption).labels == ()


@pytest.mark.parametrize(
    ("caption", "labels"),
    [
        ("Yield under treatment A (a), treatment B (b) and treatment C (c).", ("a", "b", "c")),
        ("(A) Patient A at rest. (B) Patient B at rest.", ("A", "B")),
        ("Plate A: roots. Plate B: leaves.", ("A", "B")),
        ("Figure A: roots. Figure B: leaves.", ("A", "B")),
        ("Quadrant A: oak; quadrant B: ash", ("A", "B")),
        ("Slide A, slide B and slide C after staining.", ("A", "B", "C")),
        ("Stained control a, b, mutant c, d.", ("a", "b", "c", "d")),
        ("Shoots. A young flower B old flower C front view of a flower.", ("A", "B", "C")),
    ],
)
def test_letters_of_panels_stay_beside_nouns(caption: str, labels: tuple[str, ...]) -> None:
    assert parse_caption(caption).labels == labels
