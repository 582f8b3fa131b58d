from pathlib import Path

import pytest
from builders import a_figure, a_subfigure, an_annotation

from annotator.campaign.home import Home
from annotator.demo.figures import FIGURES, write_sample
from annotator.imports.figures import import_figures
from annotator.prelabels.evaluate import Apart, Drawing, GoldFiles, effort_of_sources, evaluate_source
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Decision
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record, read_annotations, rebased

UNDRAWN = Drawing(resamples=0)


def test_articles_are_kept_apart_by_name_by_the_end_of_it_or_by_hash() -> None:
    documents = ["https://doi.org/10.1/a", "https://doi.org/10.1/b", "c"]
    assert Apart(("c",)).among(documents) == {"c"}
    assert Apart(("10.1/a",)).among(documents) == {"https://doi.org/10.1/a"}
    one, two = (Apart(least=number).among(documents) for number in (1, 2))
    assert len(one) == 1
    assert one < two
    assert Apart(least=2).among([*reversed(documents), *documents]) == two
    with pytest.raises(AnnotatorError, match=r"10\.1/x"):
        Apart(("10.1/x",)).among(documents)


@pytest.mark.slow
def test_a_campaign_s_decisions_are_gold_with_images_of_its_own(tmp_path: Path) -> None:
    write_sample(FIGURES, tmp_path / "drawn")
    drawn = list(read_annotations(tmp_path / "drawn" / "annotations.jsonl", Problems()))
    home = Home.create(tmp_path / "home", name="c")
    with home.open_store() as store:
        list(import_figures(home, store, tmp_path / "drawn" / "figures.jsonl", Problems()))
        with store.transaction() as tx:
            truths = [rebased(each, tx.figures.get(each.figure.id)) for each in drawn[:3]]
            for truth in truths:
                figure = truth.figure
                tx.decisions.add(
                    Decision(
                        figure, "rev", 1, Status.ACCEPTED, truth.subfigures, based_on=(), decided_at=truth.saved_at
                    )
                )
    problems = Problems()
    found = evaluate_source(GoldFiles(home.path), problems, processes=1, drawing=Drawing(resamples=10))
    assert len(found.figures) == 3
    assert found.documents == len({each.figure.document for each in truths})
    assert problems.count == 0


def write(path: Path, *annotations: object) -> Path:
    write_lines(path, (annotation_record(each) for each in annotations))
    return path


def test_rejected_figures_of_the_gold_are_no_work(tmp_path: Path) -> None:
    one, two = a_figure("f1"), a_figure("f2")
    gold = write(
        tmp_path / "gold.jsonl", an_annotation(one), an_annotation(two, status=Status.REJECTED, subfigures=())
    )
    found = effort_of_sources(GoldFiles(gold), gold, Problems(), drawing=UNDRAWN)
    assert [each.figure_id for each in found.figures] == ["f1"]


def test_gold_without_an_accepted_figure_is_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", an_annotation(status=Status.REJECTED, subfigures=()))
    with pytest.raises(AnnotatorError, match="no accepted figure"):
        effort_of_sources(GoldFiles(gold), gold, Problems())


def test_several_people_on_either_side_have_to_be_chosen_from(tmp_path: Path) -> None:
    figure = a_figure("f1")
    both = write(tmp_path / "both.jsonl", an_annotation(figure), an_annotation(figure, annotator="ann2"))
    gold = write(tmp_path / "gold.jsonl", an_annotation(figure))
    with pytest.raises(AnnotatorError, match="--gold-annotator"):
        effort_of_sources(GoldFiles(both), gold, Problems())
    with pytest.raises(AnnotatorError, match="choose one with --annotator"):
        effort_of_sources(GoldFiles(gold), both, Problems())
    found = effort_of_sources(GoldFiles(both, "ann1"), both, Problems(), annotator="ann2", drawing=UNDRAWN)
    assert found.needed.box_operations == 0


def test_a_prediction_on_another_image_or_caption_is_told_and_left_out(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", an_annotation(a_figure("f1")))
    other = write(
        tmp_path / "other.jsonl",
        an_annotation(a_figure("f1", width=900), subfigures=(a_subfigure(),)),
    )
    problems = Problems()
    found = effort_of_sources(GoldFiles(gold), other, problems, drawing=UNDRAWN)
    assert found.missing == ("f1",)
    assert "900 x 600" in problems.lines[0]


def test_gold_of_a_file_without_images_asks_for_them(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", an_annotation())
    with pytest.raises(AnnotatorError, match="--figures"):
        evaluate_source(GoldFiles(gold), Problems())


def test_a_figure_of_the_gold_that_has_no_record_is_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", an_annotation(a_figure("f1")))
    (tmp_path / "figures.jsonl").write_text('{"figure_id": "f9", "image": "x.png", "caption": ""}', "utf-8")
    problems = Problems()
    found = evaluate_source(
        GoldFiles(gold, figures=tmp_path / "figures.jsonl"), problems, processes=1, drawing=UNDRAWN
    )
    assert found.missing == ("f1",)
    assert found.rows
    assert 'figure "f1": is not among the figures' in problems.lines[0]
