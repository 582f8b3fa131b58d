from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import click
import pytest
from PIL import Image
from scale_cases import FirstWords, Halves, Sees, draw_figures, jobs_of, tiny_detector, tiny_tagger, whole

from annotator.cli.parameters import SignatureCommand
from annotator.cli.prelabel.model_options import RecipeOptions
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, Items
from prelabel.classic.prelabeller import CLASSIC
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import Recipe
from prelabel.runs.predict import Job, predict


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> list[Job]:
    return jobs_of(draw_figures(tmp_path_factory.mktemp("figures"), 6))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    folder = tmp_path_factory.mktemp("models")
    tagger = tiny_tagger(folder / "tagger")
    return Recipe(str(tiny_detector(folder / "detector")), tagger, device="cpu", threshold=0.5)


def test_without_trained_models_it_is_the_classic_prelabeller(jobs: list[Job]) -> None:
    model = FigureModel(Recipe())
    assert model.version == CLASSIC.version
    assert model(jobs) == [predict(figure, path) for figure, path in jobs]


def test_a_detectors_boxes_are_called_and_described_as_the_caption_has_them(jobs: list[Job]) -> None:
    found = FigureModel(Recipe(), detector=Halves())(jobs[:2])
    assert [[each.label for each in one.subfigures] for one in found] == [["a", "b"], ["a", "b"]]
    high, wide = found
    assert [each.box.as_list() for each in high.subfigures] == [[0, 0, 60, 60], [0, 60, 60, 120]]
    assert [each.box.as_list() for each in wide.subfigures] == [[0, 0, 60, 60], [60, 0, 120, 60]]
    words = wide.figure.caption.words
    assert "left" in {words[token] for token in wide.subfigures[0].subcaption}
    assert "right" in {words[token] for token in wide.subfigures[1].subcaption}
    assert wide.model_version == "halves-1+classic-8"
    assert 0 < wide.scores[1] < wide.scores[0] < 0.9


def test_a_tagger_gives_the_words_and_what_it_is_unsure_of_lowers_the_score(jobs: list[Job]) -> None:
    (found,) = FigureModel(Recipe(), detector=Halves(), tagger=FirstWords())(jobs[:1])
    assert found.model_version == "halves-1+words-1"
    assert [each.subcaption for each in found.subfigures] == [{0}, {1}]
    assert found.scores == (0.45, 0.4)


def test_a_tagger_alone_takes_the_splitters_boxes(jobs: list[Job]) -> None:
    figure, path = jobs[1]
    (found,) = FigureModel(Recipe(), tagger=FirstWords())([(figure, path)])
    assert found.model_version == "classic-8+words-1"
    assert [each.box for each in found.subfigures] == [each.box for each in predict(figure, path).subfigures]
    assert [each.subcaption for each in found.subfigures] == [{0}, {1}]


def test_a_figure_without_caption_keeps_its_boxes_and_gets_no_words(jobs: list[Job]) -> None:
    figure, path = jobs[0]
    bare = replace(figure, caption=Caption.cut(""))
    (found,) = FigureModel(Recipe(), detector=Halves(), tagger=FirstWords())([(bare, path)])
    assert [each.label for each in found.subfigures] == ["1", "2"]
    assert all(not each.subcaption for each in found.subfigures)


def test_where_nothing_is_found_there_is_one_box_over_the_whole_that_nothing_speaks_for(jobs: list[Job]) -> None:
    (found,) = FigureModel(Recipe(), detector=Sees())(jobs[:1])
    assert [each.box for each in found.subfigures] == [whole(60, 120)]
    assert found.scores == (0.0,)


def test_boxes_beyond_the_edge_are_cut_and_slivers_are_none(jobs: list[Job]) -> None:
    sees = Sees((-5, -5, 30, 60), (10, 10, 10.5, 50), (70, 130, 80, 140), score=1.2)
    (found,) = FigureModel(Recipe(), detector=sees)(jobs[:1])
    assert [each.box.as_list() for each in found.subfigures] == [[0, 0, 30, 60]]
    assert found.scores[0] <= 1


def test_boxes_are_in_pixels_of_the_figure_also_where_the_image_has_others(jobs: list[Job]) -> None:
    figure, path = jobs[0]
    double = Figure("double", figure.image, 120, 240, figure.caption)
    (found,) = FigureModel(Recipe(), detector=Sees((0, 0, 30, 60)))([(double, path)])
    assert found.subfigures[0].box.as_list() == [0, 0, 60, 120]


def test_a_figure_that_fails_is_told_and_costs_no_other(tmp_path: Path) -> None:
    jobs = jobs_of(draw_figures(tmp_path, 5, bad=[2]))
    halves = Halves(fails_on=3)
    found = FigureModel(Recipe(), detector=halves)(jobs)
    assert [isinstance(each, str) for each in found] == [False, False, True, True, False]
    assert "f002" in found[2]
    assert "no image that can be read" in found[2]
    assert found[3].startswith(
        'figure "f003": the model failed on it (RuntimeError: weights of lead, at scale_cases.py:'
    )
    assert halves.calls == [4, 1, 1, 1, 1]


def test_types_are_told_beside_the_subfigures(jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    class Types:
        version = "types-1"

        def items(self, images: list[Image.Image]) -> list[Items]:
            return [Items(FigureKind(image.width > 60)) for image in images]

    monkeypatch.setattr("prelabel.runs.opening.open_classifier", lambda folder, **_: Types(), raising=False)
    model = FigureModel(Recipe(classifier=Path("types")), detector=Halves())
    assert model.version == "halves-1+classic-8+types-1"
    assert [each.items.kind.compound for each in model(jobs[:2])] == [False, True]


def test_the_version_names_all_that_the_output_depends_on(trained: Recipe) -> None:
    versions = {
        FigureModel(each).version
        for each in (
            trained,
            replace(trained, threshold=0.7),
            replace(trained, threshold=0.25),
            replace(trained, decode="span"),
            replace(trained, tagger=None),
            replace(trained, detector=None),
            Recipe(),
        )
    }
    assert len(versions) == 7
    assert FigureModel(replace(trained, batch=1)).version == FigureModel(trained).version


def test_real_models_give_the_same_wherever_they_are_unpickled(trained: Recipe, jobs: list[Job]) -> None:
    model = FigureModel(trained)
    found = model(jobs)
    assert all(each.subfigures for each in found)
    again = pickle.loads(pickle.dumps(model))
    assert again.version == model.version
    assert again(jobs) == found


def test_models_at_hand_cannot_be_sent_elsewhere() -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        pickle.dumps(FigureModel(Recipe(), detector=Halves()))


def test_one_figure_with_its_image_at_hand_is_done_like_one_of_many(trained: Recipe, jobs: list[Job]) -> None:
    model = FigureModel(trained)
    figure, path = jobs[1]
    with Image.open(path) as image:
        alone = model.predict(figure, image)
    (of_many,) = model([(figure, path)])
    assert alone.subfigures == of_many.subfigures


@pytest.mark.parametrize("what", ["detector", "tagger"])
def test_a_folder_that_holds_no_such_model_is_told_in_one_line(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    recipe = Recipe(detector=str(folder)) if what == "detector" else Recipe(tagger=folder)
    with pytest.raises(AnnotatorError) as told:
        FigureModel(recipe)
    assert str(folder) in str(told.value)
    assert "\n" not in str(told.value)


def test_a_detector_given_for_a_tagger_is_refused(trained: Recipe) -> None:
    with pytest.raises(FormatError, match="detector"):
        FigureModel(Recipe(tagger=Path(str(trained.detector))))


@pytest.mark.parametrize("amp", [True, False])
def test_mixed_precision_is_for_all_models_or_for_none(
    trained: Recipe, amp: bool, monkeypatch: pytest.MonkeyPatch, jobs: list[Job]
) -> None:
    from prelabel.detectors import batched
    from prelabel.models.devices import amp_of
    from prelabel.taggers import decoding

    asked: list[bool] = []

    def noted(device: object, *, enabled: bool = True) -> object:
        asked.append(enabled)
        return amp_of(device, enabled=enabled)  # type: ignore[arg-type]

    for module in (batched, decoding):
        monkeypatch.setattr(module, "amp_of", noted)
    FigureModel(replace(trained, amp=amp))(jobs[:1])
    assert len(asked) >= 2
    assert set(asked) == {amp}


def test_the_command_passes_full_precision_on() -> None:
    found: list[Recipe] = []

    @click.command(cls=SignatureCommand)
    def command(models: RecipeOptions) -> None:
        found.append(models.recipe())

    for words in ([], ["--no-amp"]):
        command(words, standalone_mode=False)
    assert [each.amp for each in found] == [True, False]
