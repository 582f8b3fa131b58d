"""Booleans, numbers and missing values mean what other libraries mean by them."""

from __future__ import annotations

import pytest

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Fields
from panelwise.files.values import as_flag, as_number, as_whole, first_name, is_missing, or_none, whole_id

NAN = float("nan")


@pytest.mark.parametrize("value", [True, "true", "True", " TRUE ", "yes", "Y", 1, 1.0, "1", "1.0", "np.True_"])
def test_true_in_any_spelling(value: object) -> None:
    assert as_flag(value) is True


@pytest.mark.parametrize("value", [False, "false", "False", "no", "n", 0, 0.0, "0", "0.0", "np.False_"])
def test_false_in_any_spelling_is_not_true(value: object) -> None:
    assert as_flag(value) is False


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ((None, "a"), "a"),
        (("NA", "None", " b "), "b"),
        ((7, "a"), "7"),
        ((float("nan"), "x"), "x"),
        (({"a": 1}, ["b"], ""), ""),
    ],
)
def test_the_first_of_several_names_is_no_missing_value(values: tuple[object, ...], name: str) -> None:
    assert first_name(*values) == name


@pytest.mark.parametrize(
    ("written", "whole"), [("1.0", "1"), ("007.0", "007"), ("1.00", "1.00"), ("1.5", "1.5"), ("a", "a")]
)
def test_an_id_written_as_a_float_is_its_whole_number(written: str, whole: str) -> None:
    assert whole_id(written) == whole


@pytest.mark.parametrize(
    "value", [None, "", "  ", NAN, "nan", "NaN", "NULL", "null", "<NA>", "#N/A", "None", "NA", r"\N"]
)
def test_missing_values_of_others_are_missing(value: object) -> None:
    assert (as_flag(value), as_number(value), as_whole(value)) == (None, None, None)


def test_the_word_none_and_zero_are_no_missing_texts() -> None:
    assert not any(map(is_missing, ("None", "0", 0, False, "NA", [], {})))


@pytest.mark.parametrize("value", ["maybe", 2, -1, 0.5, [], {}, "truely"])
def test_what_is_no_flag_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="neither true nor false"):
        as_flag(value)
    assert or_none(as_flag, value) is None


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (900, 900),
        (900.0, 900),
        ("900", 900),
        ("900.0", 900),
        (" 900 ", 900),
        ("9e2", 900),
        ("np.int64(900)", 900),
        ("numpy.float64(900.0)", 900),
        ("0900", 900),
        ("-3", -3),
    ],
)
def test_whole_numbers_in_any_spelling(value: object, number: int) -> None:
    assert as_whole(value) == number
    assert type(as_whole(value)) is int


@pytest.mark.parametrize(
    "value",
    ["1,200", "1.200,5", "900 px", "1_000", "inf", "1e999", "9" * 400, 10**400, True, False, [], "x", "0x1f", "٣"],
)
def test_ambiguous_and_endless_numbers_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not a number"):
        as_number(value)


def test_a_part_of_a_pixel_is_no_whole_number() -> None:
    assert as_number("0.5") == as_number(".5") == 0.5
    with pytest.raises(ValueError, match="not a whole number"):
        as_whole(900.5)


def test_fields_of_data_are_read_as_others_write_them() -> None:
    record = {"w": "900.0", "f": "false", "b": ["1", 2, "3.5", 4.0], "r": [[0.0, "4"]], "n": "", "k": {"a": None}}
    fields = Fields("f:1", record)
    assert (fields.size("w"), fields.flag("f", default=True), fields.flag("n", default=True)) == (900, False, True)
    assert (fields.numbers("b", 4), fields.ranges("r"), fields.optional_number("n")) == (
        [1, 2, 3.5, 4],
        [(0, 4)],
        None,
    )
    assert (fields.whole("w"), fields.whole("n"), fields.has_content("k")) == (900, None, False)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({"x": "1,200"}, '"x" holds a text, not a number'),
        ({"x": 10**400}, '"x" holds a number out of range'),
        ({"x": True}, '"x" holds true or false, not a number'),
    ],
)
def test_a_number_that_is_none_is_named(record: dict[str, object], complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        Fields("f:1", record).size("x")


@pytest.mark.parametrize(("value", "shown"), [(1.5, "1.5"), ("x", "a text"), (None, None)])
def test_a_whole_number_that_is_none_is_named(value: object, shown: str | None) -> None:
    fields = Fields("f:1", {"x": value})
    if shown is None:
        assert fields.whole("x") is None
        return
    with pytest.raises(FormatError, match=f'"x" holds {shown}, not a whole number'):
        fields.whole("x")


@pytest.mark.parametrize("pair", [[1], [1, 2, 3], [1, None], ["a", 2], [1.5, 2], 7, None])
def test_a_range_that_is_none_is_named(pair: object) -> None:
    with pytest.raises(FormatError, match=r'"r\[0\]" is not a pair of whole numbers'):
        Fields("f:1", {"r": [pair]}).ranges("r")


@pytest.mark.parametrize("numbers", [[1, 2, 3], [1, 2, 3, None], [1, 2, 3, "x"], [1, 2, 3, True]])
def test_numbers_are_all_there_or_named(numbers: list[object]) -> None:
    with pytest.raises(FormatError, match="is not a list of 4 numbers"):
        Fields("f:1", {"b": numbers}).numbers("b", 4)


def test_settings_are_exact() -> None:
    fields = Fields("c.toml", {"a": {"flag": "yes", "number": "3"}, "b": [{"flag": 1}]}, exact=True)
    (entry,) = fields.objects("b")
    for one in (fields.inside("a"), entry):
        with pytest.raises(FormatError, match="neither true nor false"):
            one.flag("flag", default=True)
    with pytest.raises(FormatError, match="holds a text, not a number"):
        fields.inside("a").optional_number("number")
    assert fields.flag("missing", default=True)
