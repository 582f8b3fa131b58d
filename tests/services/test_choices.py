from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, an_annotation

from annotator.campaign.choices import check_among
from annotator.campaign.home import Home
from annotator.gold.exports.label_studio import label_studio_tasks
from annotator.gold.records import Exported, annotation_records
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import write_lines
from panelwise.formats.losses import Losses

Export = Callable[..., Iterator[dict[str, Any]]]


def as_records(home: Home, store: Store, **choice: str) -> Iterator[dict[str, Any]]:
    return annotation_records(home, store, Exported(), **choice)


def as_tasks(home: Home, store: Store, **choice: str) -> Iterator[dict[str, Any]]:
    return label_studio_tasks(home, store, Exported(losses=Losses("tasks")), **choice)


@pytest.mark.slow
@pytest.mark.parametrize("export", [as_records, as_tasks])
@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        ({"phase": "nope"}, 'has no phase "nope"; choose one of 1, 2 with --phase$'),
        ({"annotator": "nobody"}, 'has no annotator "nobody"; choose one of ann1, ruth with --annotator$'),
    ],
)
def test_a_slip_in_a_choice_leaves_the_file_that_is_there(
    home: Home, store: Store, tmp_path: Path, export: Export, choice: dict[str, str], complaint: str
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation(phase="2"))
        tx.people.put(Person("ruth", frozenset({Role.ANNOTATOR})))
    out = tmp_path / "out.jsonl"
    out.write_text("as it was")
    with pytest.raises(AnnotatorError, match=complaint):
        write_lines(out, export(home, store, **choice))
    assert out.read_text() == "as it was"


@pytest.mark.parametrize("export", [as_records, as_tasks])
def test_a_known_phase_or_person_without_work_exports_nothing(home: Home, store: Store, export: Export) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("ruth", frozenset({Role.ANNOTATOR})))
    assert list(export(home, store, phase="1", annotator="ruth")) == []


def test_a_message_names_the_first_of_many_and_the_way_out_of_none() -> None:
    with pytest.raises(AnnotatorError, match=r"^f: .* one of 0, 1, 2, 3, 4, 5, 6, 7 and 2 more with --phase$"):
        check_among("x", [str(number) for number in range(10)], "phase", "f")
    with pytest.raises(AnnotatorError, match=r'^f: has no phase "x", nor any other; leave out --phase$'):
        check_among("x", [], "phase", "f")
