"""What checking a store finds: each kind of damage by itself, and nothing where nothing is wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from sqlalchemy import text
from store.filled import counts, fill
from store.spoiling import spoil

from annotator.store.database.tables import VERSION_TABLE
from annotator.store.maintenance.check import MOST, Checked, Kind, check_store
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.errors import StoreError

#: What is done to the store; the kind of what is found, where, and what is said.
DAMAGE = {
    "a figure is cut off": (
        "UPDATE figure_revisions SET payload = '{' WHERE figure_id = 'f2'",
        (Kind.DAMAGED, "figure_revisions f2 1", 'figure "f2" in the store is damaged'),
    ),
    "a caption is another one": (
        "UPDATE figure_revisions SET payload = replace(payload, 'left', 'both') WHERE figure_id = 'f1'",
        (Kind.DAMAGED, "figure_revisions f1 1", "size, caption or tokens are not those"),
    ),
    "a box was moved": (
        "UPDATE annotations SET payload = replace(payload, '600.0', '500.0') WHERE id = 1",
        (Kind.DAMAGED, "annotations f1 1", "its hash differs"),
    ),
    "an annotation is empty": (
        "UPDATE annotations SET payload = '{}' WHERE id = 2",
        (Kind.DAMAGED, "annotations f1 2", 'by "ann2" in the store is damaged'),
    ),
    "a prediction is empty": (
        "UPDATE predictions SET payload = '[]' WHERE id = 1",
        (Kind.DAMAGED, "predictions f1 1", "the prediction of"),
    ),
    "a decision is no JSON": (
        "UPDATE decisions SET payload = 'x' WHERE id = 1",
        (Kind.DAMAGED, "decisions f1 1", 'decision 1 on figure "f1" in the store is damaged'),
    ),
    "a decision is flagged without a question": (
        "UPDATE decisions SET flagged = true WHERE id = 1",
        (Kind.DAMAGED, "decisions f1 1", "whether it is flagged for the guidelines is not what its payload says"),
    ),
    "a decision waits for nobody there is": (
        "UPDATE decisions SET awaits = 'third' WHERE id = 1",
        (Kind.DAMAGED, "decisions f1 1", "'third' is not a valid Awaits"),
    ),
    "a prediction has another certainty": (
        "UPDATE predictions SET certainty = 0.125 WHERE id = 1",
        (Kind.DAMAGED, "predictions f1 1", "its number of subfigures or its certainty is not that of its payload"),
    ),
    "a decision was removed": (
        "DELETE FROM decisions WHERE figure_id = 'f1' AND version = 2",
        (Kind.VERSION, "decisions f1", "number 2 is missing, number 3 is there"),
    ),
    "the first decision was removed": (
        "DELETE FROM decisions WHERE figure_id = 'f1' AND version = 1",
        (Kind.VERSION, "decisions f1", "number 1 is missing, number 2 is there"),
    ),
    "a decision of a bulk was removed": (
        "DELETE FROM decisions WHERE figure_id = 'f2'",
        (Kind.REFERENCE, "bulk_figures f2 1", "decision 1, which is not there"),
    ),
    "a figure is at a revision that is not there": (
        "UPDATE figures SET revision = 7 WHERE figure_id = 'f3'",
        (Kind.REFERENCE, "figures f3", "its revision 7 is not there"),
    ),
    "a revision was removed": (
        "DELETE FROM figure_revisions WHERE figure_id = 'f3' AND revision = 1",
        (Kind.VERSION, "figure_revisions f3", "has 1 revisions and the last is number 2"),
    ),
    "a figure was removed": (
        "DELETE FROM figures WHERE figure_id = 'f3'",
        (Kind.ORPHAN, "skips f3 rev1", "belongs to no row of figures"),
    ),
    "somebody has a role that there is not": (
        "UPDATE people SET roles = 'king' WHERE name = 'rev1'",
        (Kind.DAMAGED, "people rev1", 'person "rev1" in the store is damaged'),
    ),
    "a link holds no lists": (
        "UPDATE links SET annotation_ids = 'x'",
        (Kind.DAMAGED, "links f1 ann1 1", "are no lists"),
    ),
    "a project was removed": (
        "DELETE FROM projects",
        (Kind.REFERENCE, "links f1 ann1 1", "a project that is not known; run annotator push"),
    ),
    "a time is none": (
        "UPDATE leases SET until = 'soon'",
        (Kind.DAMAGED, "leases f1 rev1", "Invalid isoformat"),
    ),
    "what is given is no list": (
        "UPDATE given SET payload = '7'",
        (Kind.DAMAGED, "given f1 blind 1", 'what phase "blind" gives'),
    ),
    "the queue has another decision": (
        "UPDATE queue SET version = 9 WHERE figure_id = 'f1'",
        (Kind.QUEUE, "queue f1", "its version are not those of the decision that holds"),
    ),
    "a figure is in no list": (
        "DELETE FROM queue_facets WHERE figure_id = 'f3' AND kind = 'all'",
        (Kind.QUEUE, "queue f3", "is in no list"),
    ),
    "a list has a figure elsewhere": (
        "UPDATE queue_facets SET place = 0.9 WHERE figure_id = 'f1' AND kind = 'loss'",
        (Kind.QUEUE, "queue_facets f1 loss no box", "stands elsewhere than its figure"),
    ),
    "a list has another number": (
        "UPDATE queue_counts SET open = 5 WHERE kind = 'all'",
        (Kind.QUEUE, "queue_counts all ", "is another number"),
    ),
    "a list is not counted": (
        "DELETE FROM queue_counts WHERE kind = 'all'",
        (Kind.QUEUE, "queue_counts all ", "is another number"),
    ),
    "what is counted is not there": (
        "INSERT INTO queue_counts (kind, value, open, decided) VALUES ('loss', 'z', 1, 0)",
        (Kind.QUEUE, "queue_counts loss z", "is another number"),
    ),
}


@pytest.fixture
def filled(store: Store) -> Store:
    fill(store)
    return store


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("filled") / "store.sqlite"
    with Store.open(file, create=True) as store:
        fill(store)
    with closing(sqlite3.connect(file)) as plain:
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.read_bytes()


@pytest.fixture
def file(template: bytes, tmp_path: Path) -> Path:
    """A filled store in a file of its own."""
    file = tmp_path / "filled.sqlite"
    file.write_bytes(template)
    return file


def test_nothing_is_wrong_with_what_this_program_wrote(filled: Store, url: str) -> None:
    checked = Checked()
    assert list(check_store(url, checked)) == []
    assert checked.rows == counts(filled)
    assert sorted(checked.images) == ["images/f\t4.png", "images/f1.png", "images/f2.png", "images/f3.png"]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.slow
def test_each_damage_is_found_where_it_is(file: Path, damage: str) -> None:
    statement, (kind, where, said) = DAMAGE[damage]
    with Store.open(file) as store:
        spoil(store, statement)
    found = [each for each in check_store(file) if (each.kind, each.where) == (kind, where)]
    assert len(found) == 1, list(map(str, check_store(file)))
    assert said in found[0].message
    assert ";" in found[0].message, "it says what to do"


@pytest.mark.parametrize("backend", [pytest.param("postgresql", marks=pytest.mark.live)])
def test_postgresql_finds_the_same_together(filled: Store, url: str) -> None:
    apart = ("the first decision was removed", "a figure is cut off")
    spoil(filled, *(statement for name, (statement, _) in DAMAGE.items() if name not in apart))
    found = {(each.kind, each.where) for each in check_store(url)}
    # What others of these took away cannot be found any more.
    gone = {"queue_facets f1 loss no box", "queue_counts all ", "decisions f1 1", "queue f3", "figures f3"}
    wanted = {(kind, where) for name, (_, (kind, where, _)) in DAMAGE.items() if name not in apart}
    assert {each for each in wanted if each[1] not in gone} <= found


def test_of_much_damage_the_first_is_told(store: Store, url: str) -> None:
    with store.transaction() as tx:
        for number in range(MOST + 5):
            tx.figures.add(a_figure(f"f{number:02}"))
            tx.decisions.add(a_decision(a_figure(f"f{number:02}")))
    spoil(store, "UPDATE decisions SET payload = 'x'")
    found = list(check_store(url))
    assert len(found) == MOST + 1
    assert str(found[-1]) == "damaged: decisions: has more of these; only the first are listed"


def test_a_trigger_that_is_away_is_told(filled: Store, url: str, backend: str) -> None:
    with filled.transaction() as tx:
        if backend == "sqlite":
            tx.figures._write(text("DROP TRIGGER decisions_no_delete"))
        else:
            tx.figures._write(text("ALTER TABLE decisions DISABLE TRIGGER decisions_append_only"))
    [fault] = check_store(url)
    assert fault.kind is Kind.TRIGGER
    assert fault.where.startswith("decisions_")


def test_missing_tables_and_columns_are_told_and_nothing_else_is_asked(filled: Store, url: str) -> None:
    with filled.transaction() as tx:
        tx.figures._write(text("DROP TABLE skips"))
        tx.figures._write(text("ALTER TABLE tasks DROP COLUMN batch"))
    checked = Checked()
    found = [str(each) for each in check_store(url, checked)]
    assert found == [
        "schema: skips: this table is missing; restore a backup",
        "schema: tasks.batch: this column is missing; restore a backup",
    ]
    assert checked.rows == {}


@pytest.mark.parametrize(
    ("revision", "mend"), [("0002", "run annotator store upgrade"), ("9999", "upgrade Panelwise")]
)
def test_a_store_of_another_program_is_told_and_left_alone(file: Path, revision: str, mend: str) -> None:
    with closing(sqlite3.connect(file)) as plain, plain:
        plain.execute(f"UPDATE {VERSION_TABLE} SET version_num = '{revision}'")
    before = file.read_bytes()
    [fault] = check_store(file)
    assert fault.kind is Kind.SCHEMA
    assert mend in fault.message
    assert file.read_bytes() == before


def test_a_text_that_cannot_be_found_by_its_words_is_told(file: Path) -> None:
    with closing(sqlite3.connect(file)) as plain, plain:
        plain.execute("INSERT INTO queue_words (queue_words) VALUES ('delete-all')")
    assert [each.where for each in check_store(file)] == ["queue_texts f1", "queue_texts f2"]


def test_an_overwritten_page_is_told_as_damage(file: Path) -> None:
    with closing(sqlite3.connect(file)) as plain:
        size = plain.execute("PRAGMA page_size").fetchone()[0]
        root = plain.execute("SELECT rootpage FROM sqlite_master WHERE name = 'annotations'").fetchone()[0]
    data = bytearray(file.read_bytes())
    data[(root - 1) * size : root * size] = b"\xff" * size
    file.write_bytes(data)
    found = list(check_store(file))
    assert {each.kind for each in found} == {Kind.DAMAGED}
    assert "the database is damaged; restore a backup" in found[-1].message


def test_what_is_no_store_cannot_be_checked(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store here"):
        list(check_store(tmp_path / "none.sqlite"))
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as plain:
        plain.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError, match="holds no Panelwise store"):
        list(check_store(tmp_path / "other.sqlite"))


def box_of_an_earlier_version() -> Box:
    """A box that was let in before a box needed an area."""
    box = object.__new__(Box)
    for edge, value in zip(("x0", "y0", "x1", "y1"), (0.0, 0.0, 1e-170, 1e-170), strict=True):
        object.__setattr__(box, edge, value)
    return box


def test_stored_boxes_without_area_are_left_out_on_reading_and_noted(store: Store, url: str) -> None:
    figure = a_figure()
    drawn = (Subfigure("A", box_of_an_earlier_version()), a_subfigure("B"))
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, subfigures=drawn))
        tx.predictions.put(Prediction(figure, "classic-1", drawn, (0.2, 0.7)))
        tx.decisions.add(a_decision(figure, subfigures=drawn))
    with store.read() as tx:
        [annotation], prediction, decision = (
            tx.annotations.all(),
            tx.predictions.of(["f1"]).get("f1"),
            tx.decisions.get("f1"),
        )
    assert prediction is not None
    assert decision is not None
    for work in (annotation, prediction, decision):
        assert [each.label for each in work.subfigures] == ["B"]
    assert prediction.scores == (0.7,)
    checked = Checked()
    assert list(check_store(url, checked)) == []
    left_out = "1 box without area, left out wherever it is read"
    assert checked.notes == [f"annotations f1 1: {left_out}", f"predictions f1 1: {left_out}"]


def test_an_annotation_with_more_boxes_than_the_campaign_allows_is_noted(filled: Store, url: str) -> None:
    checked = Checked(max_boxes=1)
    assert list(check_store(url, checked)) == []
    assert checked.notes
    assert checked.notes[0] == (
        "annotations f1 1: 2 boxes, more than the 1 that max_boxes in campaign.toml allows; it does not count"
    )
