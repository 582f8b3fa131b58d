import pytest
from hypothesis import given
from hypothesis import strategies as st

from prelabel.captions.labels import Kind, expand, expand_plain, in_order, label_at, numeral_kind, place_of


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("a", "a"),
        ("a-c, e", "a b c e"),
        ("A, B and D", "A B D"),
        ("B to D", "B C D"),
        ("A through C", "A B C"),
        ("A1-A3", "A1 A2 A3"),
        ("Ai", "Ai"),
        ("Ai-ii", "Ai Aii"),
        ("Ai-iii, B", "Ai Aii Aiii B"),
        ("a′", "a'"),
        ("A & A\u2019", "A A'"),
        ("A–A″", "A A' A''"),
        ("a–c", "a b c"),
        ("A~C", "A B C"),
        ("A∼C, E", "A B C E"),
        ("a-i", "a b c d e f g h i"),
    ],
)
def test_lists_and_ranges_of_letters_are_written_out(written: str, labels: str) -> None:
    assert expand(written) == tuple(labels.split())


@pytest.mark.parametrize("written", ["c-a", "A-c", "A1-B3", "a-a"])
def test_what_is_no_range_names_nothing(written: str) -> None:
    assert expand(written) == ()


def test_numbers_and_numerals_are_written_out() -> None:
    assert expand_plain("1-3, 5") == ("1", "2", "3", "5")
    assert expand_plain("ii–iv") == ("ii", "iii", "iv")
    assert expand_plain("i–v") == ("i", "ii", "iii", "iv", "v")
    assert expand_plain("I-X")[-1] == "X"
    assert expand_plain("3-1") == ()
    assert expand_plain("1-iv") == ()


def test_labels_are_put_in_the_order_of_their_kind() -> None:
    assert in_order(["B", "A10", "A2", "A1"], Kind.UPPER) == ("A1", "A2", "A10", "B")
    assert in_order(["Biii", "Bi", "Bii"], Kind.UPPER) == ("Bi", "Bii", "Biii")
    assert in_order(["10", "9", "10"], Kind.DIGIT) == ("9", "10")
    assert in_order(["v", "iv", "ix"], Kind.SMALL_ROMAN) == ("iv", "v", "ix")


@given(kind=st.sampled_from(list(Kind)), place=st.integers(1, 15))
def test_a_label_tells_its_kind_or_place(kind: Kind, place: int) -> None:
    label = label_at(kind, place)
    if kind in (Kind.UPPER, Kind.LOWER):
        assert label == chr(ord(kind) + place - 1)
    else:
        assert place_of(label) == place
        assert numeral_kind(label) is kind
