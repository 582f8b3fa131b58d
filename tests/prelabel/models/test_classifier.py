from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from annotator.prelabels.classify import TypeFilter, type_filter
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.items import NO_ITEMS, FigureKind
from prelabel.models.checkpoints import About, save_checkpoint
from prelabel.models.classifier import Answers, FigureClassifier, Kinds, TrainedClassifier, cropped, squared
from prelabel.runs.opening import open_classifier

ORDER = tuple((name, likely) for name, likely in zip("abcdef", (0.9, 0.6, 0.4, 0.3, 0.2, 0.1), strict=True))
ANSWERS = Answers(True, ("bar chart", "tree"))


def model(answers: Answers = ANSWERS, **more: object) -> TrainedClassifier:
    torch.manual_seed(0)
    return TrainedClassifier(
        FigureClassifier("resnet18", answers, side=32), version="c-1", device=torch.device("cpu"), **more
    )


def test_a_figure_is_kept_if_the_type_is_among_the_top_4() -> None:
    kinds = Kinds(None, ORDER)
    assert [kinds.keeps({name}) for name in "abcdef"] == [True, True, True, True, False, False]
    assert [kinds.keeps({name}, top=1) for name in "ab"] == [True, False]
    assert kinds.keeps({"f", "d"})
    assert not kinds.keeps({"g"})
    assert not kinds.keeps(())


def test_people_find_filled_in_what_is_likely_and_nothing_else() -> None:
    assert Kinds(0.5, ORDER).kind() == FigureKind(compound=True, types=frozenset("ab"))
    assert Kinds(0.4, ()).kind() == FigureKind(compound=False)
    assert Kinds(None, ORDER[2:]).kind() is None


def test_images_of_any_mode_and_shape_are_laid_in_the_middle_of_white() -> None:
    wide = squared(Image.new("L", (200, 100), 0), 32)
    assert wide.shape == (32, 32, 3)
    assert (wide[8:24] == 0).all()
    assert (wide[:8] == 255).all()
    assert (wide[24:] == 255).all()
    assert squared(Image.new("RGB", (1, 900), "red"), 32).shape == (32, 32, 3)


def test_a_centre_crop_is_the_middle_of_the_image() -> None:
    """As ImageNet's networks are tested: the shorter side 8/7 of the square's, and its middle."""
    image = np.zeros((80, 160, 3), dtype=np.uint8)
    image[:, 45:115] = 255
    assert (cropped(Image.fromarray(image), 70) == 255).all()
    # At 70 pixels the image of 80 is not scaled: its middle is from 45 to 115, and from 5 to 75.
    image[5, 45] = 9
    assert (cropped(Image.fromarray(image), 70)[0, 0] == 9).all()
    assert cropped(Image.new("L", (1, 900)), 32).shape == (32, 32, 3)


def test_types_that_exclude_each_other_add_up_to_one() -> None:
    images = [Image.new("RGB", (50, 40), colour) for colour in ("red", "white")]
    for found in model(Answers(True, ("bar chart", "tree", "map"), softmax=True)).kinds(images):
        assert sum(likely for _, likely in found.types) == pytest.approx(1)
        assert 0 <= found.compound <= 1


def test_what_is_said_of_an_image_does_not_depend_on_those_beside_it() -> None:
    rng = np.random.default_rng(0)
    images = [Image.fromarray(rng.integers(0, 256, (40 + n, 60, 3), dtype=np.uint8)) for n in range(5)]
    whole, alone = model().kinds(images), [model(batch=1).kinds([each])[0] for each in images]
    for one, other in zip(whole, alone, strict=True):
        assert one.compound == pytest.approx(other.compound, abs=1e-4)
        assert dict(one.types) == pytest.approx(dict(other.types), abs=1e-4)
    assert model().kinds([]) == []


def test_out_of_memory_halves_the_batch_and_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    tight = model(warn=told.append, batch=4)
    forward = tight.module.forward

    def small(pixels: torch.Tensor) -> torch.Tensor:
        if len(pixels) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(pixels)

    monkeypatch.setattr(tight.module, "forward", small)
    assert len(tight.kinds([Image.new("RGB", (40, 40))] * 4)) == 4
    assert len(told) == 1
    assert "batch of 4" in told[0]


def test_nothing_known_is_no_items(monkeypatch: pytest.MonkeyPatch) -> None:
    types_only = model(Answers(False, ("bar chart", "tree")))
    monkeypatch.setattr(types_only, "kinds_of", lambda pixels: [Kinds(None, (("tree", 0.1),))] * len(pixels))
    assert types_only.items([Image.new("RGB", (9, 9))]) == [NO_ITEMS]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    module = FigureClassifier("resnet18", ANSWERS, side=32)
    save_checkpoint(tmp_path / "c", module, About("classifier", "classifier", module.architecture))
    return tmp_path / "c"


def test_a_checkpoint_opens_as_it_was_saved(saved: Path) -> None:
    opened = open_classifier(saved, device="cpu")
    assert opened.answers == ANSWERS
    assert opened.version.startswith("classifier-")
    assert len(opened.kinds([Image.new("RGB", (50, 40))])[0].types) == 2


def test_a_checkpoint_of_another_make_is_told_in_one_line(saved: Path) -> None:
    config = saved / "config.json"
    record = json.loads(config.read_text("utf-8"))
    for change, told in (
        ({"architecture": {"net": "alexnet"}}, "the architecture of a classifier is missing"),
        (
            {"architecture": {**record["architecture"], "types": [1]}},
            "the architecture of a classifier is missing",
        ),
        ({"architecture": {**record["architecture"], "types": ["a"]}}, "of another architecture"),
        ({"kind": "detector"}, 'holds a "detector"'),
    ):
        config.write_text(json.dumps({**record, **change}), "utf-8")
        with pytest.raises(FormatError, match=told):
            open_classifier(saved, device="cpu")


def test_only_what_the_classifier_was_asked_can_be_wanted() -> None:
    assert type_filter(model(), ["Bar Charts", "bar chart"], top=4, compound=True) == TypeFilter(
        ("bar chart",), 4, True
    )
    with pytest.raises(AnnotatorError, match='no type "pie chart" is known to c-1; it knows "bar chart", "tree"'):
        type_filter(model(), ["pie chart"], top=4, compound=None)
    with pytest.raises(AnnotatorError, match="not trained to recognise compound figures"):
        type_filter(model(Answers(False, ("a", "b"))), [], top=4, compound=False)


def test_compound_figures_only_or_the_others_only() -> None:
    sure, not_so = Kinds(0.9, ORDER), Kinds(0.1, ORDER)
    assert [TypeFilter(compound=wish).has(each) for wish in (True, False, None) for each in (sure, not_so)] == [
        True, False, False, True, True, True,
    ]  # fmt: skip
    assert not TypeFilter(("f",), compound=True).has(sure)


def test_a_name_that_is_no_network_is_refused() -> None:
    with pytest.raises(AnnotatorError, match='no classifier "vgg"; give resnet18, resnet50, resnet101'):
        FigureClassifier("vgg", ANSWERS)
