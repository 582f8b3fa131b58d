from __future__ import annotations

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation

from annotator.store.rows.records import QueuePlace, Revisions
from annotator.store.store import Store
from panelwise.domain.errors import StoreError
from panelwise.domain.figure import LARGEST


def test_a_figure_comes_back_as_it_went_in(store: Store) -> None:
    figure = a_figure(references=("As Fig 1 shows.",), source={"document": "d", "n": [1, 2.5]}, extra={"x": None})
    with store.transaction() as tx:
        assert tx.figures.add(figure)
    with store.read() as tx:
        assert tx.figures.get("f1") == figure
        assert tx.figures.has("f1")
        assert tx.figures.count() == 1


def test_adding_the_same_figure_again_changes_nothing(store: Store) -> None:
    with store.transaction() as tx:
        assert tx.figures.add(a_figure(extra={"a": 1, "b": 2}))
        assert not tx.figures.add(a_figure(extra={"b": 2, "a": 1}))
        assert tx.figures.count() == 1


def test_another_figure_under_the_same_id_is_refused_with_what_differs(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        with pytest.raises(
            StoreError, match=r'^figure "f1" is in the store with another size, another caption; give .*$'
        ):
            tx.figures.add(a_figure(caption="Another.", width=9))


@pytest.mark.slow
def test_an_unknown_figure_is_told_with_what_to_do(store: Store) -> None:
    with store.read() as tx:
        assert not tx.figures.has("x")
        with pytest.raises(StoreError, match=r'^figure "x" is not in the store; import it first$'):
            tx.figures.get("x")


@pytest.mark.usefixtures("small_pages")
def test_figures_come_by_id_in_code_point_order_across_pages(store: Store) -> None:
    odd = ["a", "B", "_", "é", "a b", "😀", "aa", "A"]
    ids = odd + [f"f{number}" for number in range(20 - len(odd))]
    with store.transaction() as tx:
        for name in ids:
            tx.figures.add(a_figure(name))
    with store.read() as tx:
        assert [figure.id for figure in tx.figures.all()] == sorted(ids)
        assert tx.figures.count() == 20


@pytest.mark.usefixtures("small_pages")
def test_figures_may_be_written_to_while_they_are_read(store: Store) -> None:
    with store.transaction() as tx:
        for number in range(23):
            tx.figures.add(a_figure(f"f{number:04}"))
        for figure in tx.figures.all():
            tx.queue.put_places([QueuePlace(figure.id, None, 0)])
        assert tx.queue.counts().total == 23


def test_a_replaced_figure_is_a_new_revision_and_old_work_stays_on_the_old_one(store: Store) -> None:
    old = a_figure()
    with store.transaction() as tx:
        tx.figures.add(old)
        tx.annotations.add(an_annotation(old))
        tx.predictions.put(a_prediction(old))
        new = tx.figures.replace(a_figure(caption="Short."))
        assert new.revision == 2
        assert tx.figures.get("f1") == new
        assert list(tx.figures.all()) == [new]
        assert [annotation.figure for annotation in tx.annotations.all(revisions=Revisions.OTHER)] == [old]
        assert [prediction.figure for prediction in tx.predictions.all(revisions=Revisions.OTHER)] == [old]
        assert tx.predictions.of(["f1"]).get("f1") is None
        assert tx.figures.count() == 1
        tx.annotations.add(an_annotation(new, subfigures=(), minutes=1))
        assert [annotation.figure for annotation in tx.annotations.all()] == [new]
        assert [annotation.figure.revision for annotation in tx.annotations.history("f1", "ann1", "1")] == [1, 2]


def test_replacing_a_figure_by_itself_makes_no_revision(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        assert tx.figures.replace(a_figure(revision=7)) == a_figure()


def test_going_back_to_an_earlier_content_takes_its_revision_up_again(store: Store) -> None:
    old = a_figure()
    with store.transaction() as tx:
        tx.figures.add(old)
        tx.annotations.add(an_annotation(old))
        tx.decisions.add(a_decision(old))
        tx.queue.put_places([QueuePlace("f1", 1.0, 1)])
        new = tx.figures.replace(a_figure(caption="Short."))
        assert tx.figures.revisions("f1") == [old, new]
        assert (tx.decisions.get("f1"), list(tx.decisions.all()), tx.decisions.last_version("f1")) == (None, [], 1)
        assert [decision.figure for decision in tx.decisions.all(revisions=Revisions.OTHER)] == [old]
        assert (tx.queue.counts().decided, tx.queue.page()[0].version) == (0, 0)
        again = tx.figures.replace(a_figure(references=("See it.",)))
        assert (again.revision, again.references) == (1, ("See it.",))
        assert tx.decisions.get("f1") == a_decision(again)
        assert list(tx.annotations.all()) == [an_annotation(again)]
        assert tx.queue.counts().decided == 1
        assert tx.figures.replace(a_figure(caption="A third.")).revision == 3
        tx.decisions.add(a_decision(tx.figures.get("f1"), version=2, subfigures=()))
        assert [decision.version for decision in tx.decisions.history("f1")] == [1, 2]
        assert [decision.version for decision in tx.decisions.all(revisions=Revisions.ALL)] == [1, 2]


def test_what_boxes_and_tokens_do_not_depend_on_is_changed_in_place(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        changed = a_figure(references=("See.",), source={"document": "d"}, extra={"x": 1}, document="d")
        assert tx.figures.replace(changed) == changed
        assert tx.figures.revisions("f1") == [changed]
        assert tx.figures.replace(a_figure(image_sha256="aa")).revision == 1
        assert tx.figures.replace(a_figure(image="", extra={"y": 2})).image_sha256 == "aa"
        assert tx.figures.replace(a_figure(image_sha256="bb")).revision == 2
        assert tx.figures.replace(a_figure(image="", width=9, caption="")).image_sha256 == ""


def test_each_revision_keeps_its_current_annotation_and_prediction(store: Store) -> None:
    old = a_figure(image_sha256="aa")
    with store.transaction() as tx:
        tx.figures.add(old)
        new = tx.figures.replace(a_figure(image_sha256="bb"))
        for figure, minutes in ((new, 1), (old, 2), (old, 3)):
            assert tx.annotations.add(an_annotation(figure, minutes=minutes, seconds=minutes, phase="1"))
            tx.predictions.put(a_prediction(figure))
            if minutes == 2:
                assert not tx.annotations.add(an_annotation(figure, minutes=9))
                assert tx.annotations.add(an_annotation(figure, minutes=2.5, subfigures=()))
        found = {
            which: [(each.figure.revision, each.saved_at.minute) for each in tx.annotations.all(revisions=which)]
            for which in Revisions
        }
        assert found == {"present": [(2, 1)], "other": [(1, 3)], "all": [(1, 3), (2, 1)]}
        for which, numbers in (("present", [2]), ("other", [1]), ("all", [1, 2])):
            predictions = tx.predictions.all(revisions=Revisions(which))
            assert [each.figure.revision for each in predictions] == numbers
        assert tx.figures.get("f1", revision=1) == old
        with pytest.raises(StoreError, match='"f1" has no revision 3 in the store'):
            tx.figures.get("f1", revision=3)
        with pytest.raises(StoreError, match='figure "x" is not in the store'):
            tx.figures.get("x", revision=1)
        assert tx.figures.revisions("x") == []


@pytest.mark.usefixtures("small_pages")
def test_pages_of_work_on_several_revisions_lose_nothing(store: Store) -> None:
    with store.transaction() as tx:
        for number in range(7):
            tx.figures.add(a_figure(f"f{number}"))
            for round in range(3):
                figure = tx.figures.replace(a_figure(f"f{number}", image_sha256=f"a{round}"))
                tx.annotations.add(an_annotation(figure))
                tx.predictions.put(a_prediction(figure))
        for which, count in ((Revisions.PRESENT, 7), (Revisions.OTHER, 14), (Revisions.ALL, 21)):
            assert len(list(tx.annotations.all(revisions=which))) == count
            assert len(list(tx.predictions.all(revisions=which))) == count
            assert len(list(tx.predictions.all(revisions=which, model_version="classic-1"))) == count


def test_work_on_another_caption_or_revision_is_refused(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        with pytest.raises(StoreError, match=r"another size, caption or tokens"):
            tx.annotations.add(an_annotation(a_figure(width=801)))
        with pytest.raises(StoreError, match=r'"f1" has no revision 2 in the store \(the last is 1\)'):
            tx.predictions.put(a_prediction(a_figure(revision=2)))
        with pytest.raises(StoreError, match=r'figure "x" is not in the store; import it first'):
            tx.annotations.add(an_annotation(a_figure("x")))


def test_a_model_version_has_one_prediction_a_figure(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f2"))
        tx.figures.add(a_figure("f1"))
        for figure in ("f1", "f2"):
            tx.predictions.put(a_prediction(a_figure(figure), model_version="m1"))
            tx.predictions.put(a_prediction(a_figure(figure), model_version="m2"))
        again = a_prediction(a_figure("f1"), model_version="m1", scores=(0.1, 1 / 3))
        tx.predictions.put(again)
    with store.read() as tx:
        assert [(p.figure.id, p.model_version) for p in tx.predictions.all()] == [
            ("f1", "m1"), ("f1", "m2"), ("f2", "m1"), ("f2", "m2")
        ]  # fmt: skip
        assert [p.figure.id for p in tx.predictions.all(model_version="m2")] == ["f1", "f2"]
        assert tx.predictions.of(["f1"]).get("f1") == again
        assert tx.predictions.of(["f2"]).get("f2") == a_prediction(a_figure("f2"), model_version="m2")
        assert tx.predictions.of(["none"]).get("none") is None


@pytest.mark.parametrize("width", [1, LARGEST])
def test_a_figure_of_any_size_can_be_kept(store: Store, width: int) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure(width=width))
        assert tx.figures.get("f1").width == width
