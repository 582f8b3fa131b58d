from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.errors import FormatError
from prelabel.training.data.splits import SHARES, Split, read_split_keys, split_documents, split_named

NAMES = st.sets(st.text("abcdefghij", min_size=1, max_size=6), min_size=1, max_size=40)


def test_many_documents_fall_into_the_papers_shares() -> None:
    found = Counter(split_documents([f"doi/{number}" for number in range(5000)]).values())
    assert found == {Split.TRAIN: 3250, Split.VAL: 750, Split.TEST: 1000}


@given(NAMES, st.integers(0, 5))
def test_order_does_not_matter(names: set[str], seed: int) -> None:
    ordered = sorted(names)
    assert split_documents(ordered, seed=seed) == split_documents(reversed(ordered), seed=seed)


@given(st.lists(st.integers(1, 6), min_size=10, max_size=60), st.integers(0, 5))
def test_shares_are_of_figures_as_nearly_as_whole_documents_allow(sizes: list[int], seed: int) -> None:
    documents = [f"d{number}" for number, size in enumerate(sizes) for _ in range(size)]
    found = split_documents(documents, seed=seed)
    counts = Counter(found[name] for name in documents)
    for split, share in SHARES.items():
        assert abs(counts[split] - share * len(documents)) <= max(sizes)


def test_what_must_be_in_the_test_counts_in_its_share() -> None:
    names = [f"doi/{number}" for number in range(1000)]
    few = Counter(split_documents(names, test=names[:100]).values())
    assert [few[split] for split in Split] == [650, 150, 200]
    many = Counter(split_documents(names, test=names[:600]).values())
    assert [many[split] for split in Split] == [325, 75, 600]
    assert Counter(split_documents(names, test=names).values()) == {Split.TEST: 1000}


@given(NAMES, st.integers(0, 5))
def test_three_documents_or_more_leave_no_split_empty(names: set[str], seed: int) -> None:
    found = split_documents(names, seed=seed)
    assert found.keys() == names
    assert len(set(found.values())) == min(3, len(names))


@given(NAMES, st.integers(0, 5), st.data())
def test_what_must_be_in_the_test_is_there(names: set[str], seed: int, data: st.DataObject) -> None:
    forced = data.draw(st.sets(st.sampled_from(sorted(names))))
    found = split_documents(names, test=forced, seed=seed)
    assert all(found[name] is Split.TEST for name in forced)
    if len(names - forced) >= (2 if forced else 3):
        assert {Split.TRAIN, Split.VAL} <= set(found.values())


@given(NAMES, st.integers(0, 5))
def test_a_document_that_is_added_moves_two_others_at_most(names: set[str], seed: int) -> None:
    first = split_documents([*names, *"xyz"], seed=seed)
    more = split_documents([*names, *"xyz", "new"], seed=seed)
    assert sum(more[name] is not split for name, split in first.items()) <= 2


def test_another_seed_draws_other_documents() -> None:
    names = [f"doi/{number}" for number in range(60)]
    assert split_documents(names, seed=1) != split_documents(names, seed=2)


@pytest.mark.parametrize(
    ("text", "split"),
    [("train", Split.TRAIN), ("Valid", Split.VAL), ("dev", Split.VAL), (" test ", Split.TEST), ("holdout", None)],
)
def test_splits_are_known_by_their_usual_names(text: str, split: Split | None) -> None:
    assert split_named(text) is split


def test_the_datasets_split_keys_are_read(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text(
        json.dumps(
            {
                "train": [{"pdf_hash": "aa", "fig_key": "Figure1"}],
                "valid": ["bb_Figure_2"],
                "test": [{"pdf_hash": "cc", "fig_key": "Figure3", "fig_uri": "3.png"}],
            }
        )
    )
    assert read_split_keys(file) == {
        ("aa", "Figure1"): Split.TRAIN,
        ("bb", "Figure_2"): Split.VAL,
        ("cc", "Figure3"): Split.TEST,
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "holds no splits"),
        ("{}", "holds no splits"),
        ('{"holdout": []}', '"holdout" is no split; give train, val and test'),
        ('{"train": {}}', '"train" is no list'),
        ('{"train": [3]}', r'"train[0]" has no pdf_hash and fig_key'),
        ('{"train": [{"pdf_hash": "a"}]}', r'"train[0]" has no pdf_hash and fig_key'),
        ('{"train": ["ab"]}', r'"train[0]" has no pdf_hash and fig_key'),
        ('{"train": ["a_b"], "test": ["a_b"]}', '"test[0]" (a_b) is in "train" too; keep it in one'),
    ],
)
def test_bad_split_keys_are_one_line(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "keys.json"
    file.write_text(content)
    with pytest.raises(FormatError) as caught:
        read_split_keys(file)
    assert said in str(caught.value)
    assert str(file) in str(caught.value)
