from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from PIL import Image

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import from_decision
from annotator.imports.annotations import import_annotations, import_predictions
from annotator.imports.exports_of_others import import_from
from annotator.imports.figures import Origin, import_figures
from annotator.imports.replace import revise_figures
from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.store.rows.records import Revisions
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.errors import StoreError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.coco import write_coco
from panelwise.formats.label_studio_export import task_record
from panelwise.formats.losses import Losses
from panelwise.formats.medicat import gold_record
from panelwise.formats.registry import MEDICAT
from panelwise.settings.campaign_toml import FILE_NAME


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        Image.new("RGB", (80, 60), "white").save(folder / name)
    return folder


def run(home: Home, store: Store, folder: Path, records: list[Any]) -> tuple[int, int, list[str]]:
    write_lines(folder / "figures.jsonl", records)
    problems = Problems()
    tally = None
    *_, tally = (tally, *import_figures(home, store, folder / "figures.jsonl", problems))
    assert tally is None or tally.added + tally.unchanged <= len(records)
    return (tally.added, tally.unchanged, problems.lines) if tally else (0, 0, problems.lines)


FIRST = {"figure_id": "f/1 ä", "image": "a.png", "caption": "One.", "licence": "CC0", "source": {"document": "d"}}
SECOND = {"figure_id": "f2", "image": "b.png", "caption": None, "references": ["See."]}


@pytest.mark.parametrize("bring", [import_figures, revise_figures])
def test_figures_without_pairs_are_noted_where_a_phase_asks_about_pairs(
    home: Home, store: Store, folder: Path, bring: Callable[..., Iterator[Any]]
) -> None:
    write_lines(folder / "figures.jsonl", [FIRST, {**SECOND, "caption": "Two."}])
    pair = {
        "figure_id": "f2",
        "instance_id": "q",
        "qa_pair_type": "unanswerable",
        "question": "Why?",
        "answer": "So.",
    }
    write_lines(folder / "pairs.jsonl", [pair])

    def notes() -> list[str]:
        problems = Problems()
        list(bring(Home.find(home.path), store, folder / "figures.jsonl", problems, qa=folder / "pairs.jsonl"))
        assert problems.lines == []
        return [note for note in problems.notes if "pairs" in note]

    assert notes() == []
    for task_type in ("figure-qa", "human-eval"):
        (home.path / FILE_NAME).write_text(
            f'name = "C"\nlabels = ["A"]\n[[phases]]\nname = "asking"\ntask_type = "{task_type}"\n'
        )
        (note,) = notes()
        assert "1 figure without question-answer pairs, which phase asking asks about; import the pairs" in note


def test_figures_come_in_with_their_images_and_twice_changes_nothing(
    home: Home, store: Store, folder: Path
) -> None:
    assert run(home, store, folder, [FIRST, SECOND]) == (2, 0, [])
    assert run(home, store, folder, [FIRST, SECOND]) == (0, 2, [])
    with store.read() as tx:
        first = tx.figures.get("f/1 ä")
    assert (first.width, first.height, first.document, first.extra) == (80, 60, "d", {"licence": "CC0"})
    with Image.open(home.image_path(first)) as image:
        assert image.size == (80, 60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda f: (f / "b.png").unlink(), "no such image"),
        (lambda f: (f / "b.png").write_bytes(b"not an image"), "is no image"),
        (lambda f: (f / "b.png").write_bytes((f / "a.png").read_bytes()[:-40]), "damaged"),
        (lambda f: ((f / "b.png").unlink(), (f / "b.png").mkdir()), "directory"),
        (lambda f: (f / "b.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"), "is no image"),
    ],
)
def test_a_bad_image_is_named_and_the_other_figure_comes_in(
    home: Home, store: Store, folder: Path, spoil: Any, complaint: str
) -> None:
    spoil(folder)
    added, _, problems = run(home, store, folder, [FIRST, SECOND])
    assert added == 1
    assert len(problems) == 1
    assert problems[0].startswith(f"{folder / 'figures.jsonl'}:2: {folder / 'b.png'}: ")
    assert complaint in problems[0].lower()


def test_a_mended_image_comes_in_on_the_second_run(home: Home, store: Store, folder: Path) -> None:
    good = (folder / "b.png").read_bytes()
    (folder / "b.png").write_bytes(b"")
    assert run(home, store, folder, [FIRST, SECOND])[0] == 1
    (folder / "b.png").write_bytes(good)
    assert run(home, store, folder, [FIRST, SECOND]) == (1, 1, [])


def test_a_wrong_size_is_named(home: Home, store: Store, folder: Path) -> None:
    _, _, problems = run(home, store, folder, [{**FIRST, "width": 81}])
    assert "width is 81, but the upright image has 80 pixels" in problems[0]


def test_an_image_too_large_to_be_true_is_refused(home: Home, store: Store, folder: Path) -> None:
    settings = home.path / "campaign.toml"
    settings.write_text(settings.read_text() + "[images]\nmax_pixels = 1000\n")
    _, _, problems = run(Home.find(home.path), store, folder, [FIRST])
    assert "more than 1,000 pixels" in problems[0]
    assert "max_pixels under [images] in campaign.toml" in problems[0]


def test_a_turned_photograph_is_stored_upright(home: Home, store: Store, folder: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (80, 60), "red").save(folder / "a.jpg", exif=exif)
    assert run(home, store, folder, [{**FIRST, "image": "a.jpg"}]) == (1, 0, [])
    with store.read() as tx:
        figure = tx.figures.get("f/1 ä")
    assert (figure.width, figure.height) == (60, 80)
    with Image.open(home.image_path(figure)) as image:
        assert image.size == (60, 80)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["CMYK", "I;16", "F", "LA", "P", "1"])
def test_images_of_any_mode_are_stored_as_browsers_show_them(
    home: Home, store: Store, folder: Path, mode: str
) -> None:
    Image.new(mode, (80, 60)).save(folder / "a.tiff")
    assert run(home, store, folder, [{**FIRST, "image": "a.tiff"}]) == (1, 0, [])
    with store.read() as tx:
        stored = home.image_path(tx.figures.get("f/1 ä"))
    with Image.open(stored) as image:
        assert image.format == "PNG"
        assert image.mode in ("1", "L", "LA", "P", "RGB", "RGBA")


def test_a_figure_whose_caption_changed_is_named_not_replaced(home: Home, store: Store, folder: Path) -> None:
    run(home, store, folder, [FIRST])
    added, known, problems = run(home, store, folder, [{**FIRST, "caption": "Two."}])
    assert (added, known) == (0, 0)
    assert problems[0].startswith(f"{folder / 'figures.jsonl'}:1: ")
    assert "f/1 ä" in problems[0]
    with store.read() as tx:
        assert tx.figures.get("f/1 ä").caption.text == "One."


def test_annotations_follow_the_stored_figure_and_unknown_ones_are_named(store: Store, tmp_path: Path) -> None:
    figure = a_figure()
    with store.transaction() as tx:
        tx.figures.add(figure)
    good = annotation_record(an_annotation(figure))
    write_lines(
        tmp_path / "a.jsonl", [good, {**good, "figure_id": "f9"}, {**good, "caption": good["caption"] + "!"}]
    )
    problems = Problems()
    *_, tally = import_annotations(store, tmp_path / "a.jsonl", problems)
    assert (tally.added, tally.unchanged) == (1, 0)
    assert problems.lines[0].startswith(f"{tmp_path / 'a.jsonl'}:2: ")
    assert 'figure "f9" is not in the store' in problems.lines[0]
    assert problems.lines[1].startswith(f"{tmp_path / 'a.jsonl'}:3: ")
    assert "caption differs" in problems.lines[1]
    *_, tally = import_annotations(store, tmp_path / "a.jsonl", Problems())
    assert (tally.added, tally.unchanged) == (0, 1)
    with store.read() as tx:
        assert list(tx.annotations.all()) == [an_annotation(figure)]


def test_who_settled_a_gold_record_has_no_place_in_an_annotation_and_that_is_told(
    store: Store, tmp_path: Path
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
    write_lines(tmp_path / "gold.jsonl", [gold_record(from_decision(a_decision()))])
    problems = Problems()
    *_, tally = import_annotations(store, tmp_path / "gold.jsonl", problems, layout=MEDICAT)
    assert (tally.added, problems.count) == (1, 0)
    assert problems.notes == [
        f'{tmp_path / "gold.jsonl"}: annotations can\'t represent "provenance" (1 record); left out, '
        "keep the file if you need them"
    ]


def test_predictions_come_in_with_their_scores(store: Store, tmp_path: Path) -> None:
    from builders import a_prediction

    prediction = a_prediction(scores=[0.2, 0.7])
    with store.transaction() as tx:
        tx.figures.add(prediction.figure)
    write_lines(tmp_path / "p.jsonl", [prediction_record(prediction), {"figure_id": "f1"}])
    problems = Problems()
    *_, tally = import_predictions(store, tmp_path / "p.jsonl", problems)
    assert tally.added == 1
    assert problems.count == 1
    with store.read() as tx:
        assert tx.predictions.of(["f1"]).get("f1") == prediction


LEAST = {"figure_id": "f1", "annotator": "m"}


@pytest.mark.parametrize("kind", ["predictions", "annotations"])
@pytest.mark.parametrize("lacking", [("caption", "tokens"), ("width", "height"), ("caption",), ()])
def test_work_without_size_or_caption_takes_those_of_the_figure(
    store: Store, tmp_path: Path, kind: str, lacking: tuple[str, ...]
) -> None:
    figure = a_figure("f1")
    with store.transaction() as tx:
        tx.figures.add(figure)
    part = a_subfigure(tokens=(4, 6))
    whole = prediction_record(Prediction(figure, "m", (part,), (0.5,)))
    if kind == "annotations":
        whole = annotation_record(an_annotation(figure, annotator="m", subfigures=(part,)))
    dropped = lacking or whole.keys() - LEAST.keys() - {"subfigures"}
    least = {key: value for key, value in whole.items() if key not in dropped}
    write_lines(tmp_path / "work.jsonl", [least])
    problems = Problems()
    bring_in = import_predictions if kind == "predictions" else import_annotations
    *_, tally = bring_in(store, tmp_path / "work.jsonl", problems)
    assert (tally.added, problems.lines) == (1, [])
    with store.read() as tx:
        work = tx.predictions.of(["f1"])["f1"] if kind == "predictions" else next(iter(tx.annotations.all()))
    assert (work.figure, work.subfigures) == (figure, (part,))


def test_work_without_a_caption_that_the_figure_cannot_give_is_named_with_its_line(
    store: Store, tmp_path: Path
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    part = {"label": "A", "box": [0, 0, 9, 9], "subcaption": [[0, 3]], "score": 0.5}
    records = [
        {**LEAST, "figure_id": "elsewhere", "subfigures": [part]},
        {**LEAST, "subfigures": [{**part, "subcaption": [[0, 3000]]}]},
        {**LEAST, "subfigures": [{**part, "box": [0, 0, 9000, 9]}]},
        {**LEAST, "tokens": [[0, 9000]], "subfigures": [part]},
        {**LEAST, "subfigures": [part]},
    ]
    write_lines(tmp_path / "p.jsonl", records)
    problems = Problems()
    *_, tally = import_predictions(store, tmp_path / "p.jsonl", problems)
    assert tally.added == 1
    expected = ('"elsewhere"', "ends beyond the caption's", "leaves the image", "token 0 ends at 9000")
    assert len(problems.lines) == len(expected)
    for number, (line, text) in enumerate(zip(problems.lines, expected, strict=True), start=1):
        assert line.startswith(f"{tmp_path / 'p.jsonl'}:{number}: ")
        assert text in line


@pytest.mark.parametrize(("number", "added"), [(1, 1), (2, 1), (3, 0)])
def test_work_without_a_caption_is_on_the_revision_that_it_names(
    store: Store, tmp_path: Path, number: int, added: int
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1", caption="Left lung."))
        tx.figures.replace(a_figure("f1", caption="Another left lung."))
    part = {"label": "A", "box": [0, 0, 9, 9], "subcaption": [[0, 4]]}
    write_lines(tmp_path / "work.jsonl", [{**LEAST, "revision": number, "subfigures": [part]}])
    problems = Problems()
    imported = max(
        (each.added for each in import_annotations(store, tmp_path / "work.jsonl", problems)), default=0
    )
    assert (imported, sum("no revision 3" in line for line in problems.lines)) == (added, 1 - added)
    with store.read() as tx:
        stored = [each.figure.revision for each in tx.annotations.all(revisions=Revisions.ALL)]
    assert stored == [number] * added


@pytest.mark.slow
def test_all_the_real_figures_come_in(home: Home, store: Store, shared_data: Path) -> None:
    problems = Problems()
    *_, tally = import_figures(home, store, shared_data / "figures.jsonl", problems)
    assert (tally.added, problems.lines) == (215, [])
    with store.read() as tx:
        assert sum(figure.caption.text == "" for figure in tx.figures.all()) == sum(
            not json.loads(line)["caption"] for line in (shared_data / "figures.jsonl").read_text().splitlines()
        )


def test_a_name_that_no_file_can_bear_costs_only_its_own_record(home: Home, store: Store, folder: Path) -> None:
    added, _, problems = run(home, store, folder, [FIRST, {**SECOND, "image": "b\0.png"}])
    assert added == 1
    assert 'figures.jsonl:2: the text "b\\x00.png" holds NUL (U+0000), which cannot be stored' in problems[0]


def bring(home: Home, store: Store, folder: Path, records: list[Any], **options: Any) -> tuple[int, int, Problems]:
    write_lines(folder / "figures.jsonl", records)
    problems = Problems()
    *_, tally = import_figures(home, store, folder / "figures.jsonl", problems, **options)
    return tally.added, tally.unchanged, problems


def test_several_frames_and_deep_greys_are_noted_and_no_fault(home: Home, store: Store, folder: Path) -> None:
    frames = [Image.new("L", (80, 60), value) for value in (0, 255)]
    second = {**SECOND, "caption": "Two."}
    frames[0].save(folder / "a.gif", save_all=True, append_images=frames[1:])
    Image.new("I;16", (80, 60), 700).save(folder / "b.png")
    added, _, problems = bring(home, store, folder, [{**FIRST, "image": "a.gif"}, second])
    assert (added, problems.lines, problems.count) == (2, [], 0)
    assert problems.notes[0] == (
        f"{folder / 'figures.jsonl'}:1: {folder / 'a.gif'}: has 2 frames; the first was taken, "
        "give others as figures of their own"
    )
    assert "16-bit grey values are all 700" in problems.notes[1]


def test_figures_come_in_without_images(home: Home, store: Store, folder: Path) -> None:
    records = [{**FIRST, "width": 7, "height": 5}, {**SECOND, "image": None, "width": 9, "height": 8}]
    assert bring(home, store, folder, records, without_images=True)[:2] == (2, 0)
    assert bring(home, store, folder, records, without_images=True)[:2] == (0, 2)
    with store.read() as tx:
        first, second = tx.figures.get("f/1 ä"), tx.figures.get("f2")
    assert (first.image, first.width, first.height, first.extra) == (
        "",
        7,
        5,
        {"licence": "CC0", "given_image": "a.png"},
    )
    assert (second.image, second.width, second.extra) == ("", 9, {})
    assert list(home.images.iterdir()) == []


@pytest.mark.parametrize("missing", ["width", "height"])
def test_without_images_a_size_must_be_given(home: Home, store: Store, folder: Path, missing: str) -> None:
    record = {**FIRST, "width": 7, "height": 5, missing: None}
    _, _, problems = bring(home, store, folder, [record, {**SECOND, "width": 1, "height": 1}], without_images=True)
    (line,) = problems.lines
    assert line.startswith(f'{folder / "figures.jsonl"}:1: figure "f/1 ä": {missing} is missing')


def test_a_record_that_names_no_image_is_told_where_images_are_wanted(
    home: Home, store: Store, folder: Path
) -> None:
    added, _, problems = run(home, store, folder, [FIRST, {"figure_id": "f2", "caption": "x"}])
    assert added == 1
    assert '"image" is missing' in problems[0]


def test_an_id_given_twice_is_told_with_both_places(home: Home, store: Store, folder: Path) -> None:
    added, _, problems = run(home, store, folder, [FIRST, SECOND, FIRST])
    file = folder / "figures.jsonl"
    assert added == 2
    assert problems == [
        f'{file}:3: figure "f/1 ä" was given before ({file}:1); kept the first, give each figure an id of its own'
    ]


#: Texts that no database keeps, one field of a record each.
NUL = {
    "the id": {"figure_id": "a\0b"},
    "the caption": {"caption": "One.\0"},
    "a reference": {"references": ["See.", "\0"]},
    "the source": {"source": {"document": "d\0"}},
    "an unknown key": {"licence\0": "CC0"},
    "what an unknown key holds": {"licence": ["CC0\0"]},
}


@pytest.mark.parametrize("revise", [False, True])
@pytest.mark.parametrize("field", NUL)
def test_nul_costs_its_own_record_only_and_no_image_is_copied_for_it(
    home: Home, store: Store, folder: Path, field: str, revise: bool
) -> None:
    bad = {"figure_id": "bad", "image": "b.png", "caption": "Two."} | NUL[field]
    write_lines(folder / "figures.jsonl", [FIRST, bad, {**SECOND, "image": "a.png"}])
    problems = Problems()
    work = revise_figures if revise else import_figures
    *_, tally = work(home, store, folder / "figures.jsonl", problems)
    [line] = problems.lines
    assert (tally.added, line.startswith(f"{folder / 'figures.jsonl'}:2: the text ")) == (2, True)
    assert "holds NUL (U+0000), which cannot be stored; remove it there" in line
    assert not [image for image in home.images.iterdir() if image.name.startswith(("bad", "a_b"))]


def test_the_other_control_characters_come_in_as_they_are(home: Home, store: Store, folder: Path) -> None:
    odd = "".join(chr(code) for code in (*range(1, 32), *range(127, 160), 0x202E, 0x2028))
    record = {"figure_id": f"f{odd}", "image": "a.png", "caption": odd, "references": [odd], odd: odd}
    assert run(home, store, folder, [record]) == (1, 0, [])
    with store.read() as tx:
        [figure] = tx.figures.all()
    assert (figure.id, figure.caption.text, figure.references, figure.extra) == (
        f"f{odd}",
        odd,
        (odd,),
        {odd: odd},
    )


def test_of_a_figure_with_nul_in_its_id_the_store_refuses_only_that_one(store: Store) -> None:
    with store.transaction() as tx:
        first, second = tx.figures.add_many([a_figure("a\0b"), a_figure("f2")])
    assert isinstance(first, StoreError)
    assert second is True


def crowded() -> Annotation:
    """Work of four boxes on one another."""
    return an_annotation(a_figure(), subfigures=tuple(a_subfigure(label) for label in "ABCD"))


LIMIT = "has 4 boxes, more than the 3 that max_boxes in campaign.toml allows; remove boxes, or raise the setting"


@pytest.mark.parametrize("layout", ["jsonl", "medicat", "label-studio", "coco", "predictions"])
def test_work_with_too_many_boxes_is_named_with_its_place_and_the_rest_comes_in(
    store: Store, tmp_path: Path, layout: str
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.figures.add(a_figure("f2"))
    file, problems = tmp_path / "work", Problems()
    works = [crowded(), an_annotation(a_figure("f2"))]
    if layout == "predictions":
        made = [Prediction(each.figure, "m", each.subfigures, (0.5,) * len(each.subfigures)) for each in works]
        write_lines(file, map(prediction_record, made))
        tallies = import_predictions(store, file, problems, max_boxes=3)
    else:
        campaign = Campaign("c", (Phase("1"),), ("A", "B"), max_boxes=3)
        golds = [from_decision(a_decision(each.figure, subfigures=each.subfigures)) for each in works]
        if layout == "jsonl":
            write_lines(file, map(annotation_record, works))
        elif layout == "medicat":
            write_lines(file, map(gold_record, golds))
        elif layout == "coco":
            write_coco(file, golds, Losses("coco"))
        else:
            file.write_text(
                json.dumps([task_record(task_data(each.figure), annotation_payload(each), each) for each in works])
            )
        tallies = import_from(layout, store, campaign, file, problems, annotator="" if layout == "jsonl" else "m")
    *_, tally = tallies
    [line] = problems.lines
    assert (tally.added, LIMIT in line) == (1, True)
    assert line.startswith(f"{file}:")
    assert 'figure "f1" by ' in line


def test_licence_and_article_are_those_of_records_that_state_none(
    home: Home, store: Store, folder: Path, tmp_path: Path
) -> None:
    records = [
        {"source": {"licence": "CC0", "document": "own"}},
        {"license": "MIT"},
        {"source": {"note": "kept"}},
    ]
    path = tmp_path / "origin.jsonl"
    common = {"caption": "x", "width": 10, "height": 10}
    path.write_text(
        "".join(json.dumps({"figure_id": f"o{n}", **common, **each}) + "\n" for n, each in enumerate(records)),
        "utf-8",
    )
    problems = Problems()
    given = Origin(licence="CC-BY-4.0", document="doi:9")
    list(import_figures(home, store, path, problems, without_images=True, origin=given))
    with store.read() as tx:
        found = [tx.figures.get(f"o{n}") for n in range(3)]
    assert [dict(each.source) for each in found] == [
        {"licence": "CC0", "document": "own"},
        {"document": "doi:9"},
        {"note": "kept", "licence": "CC-BY-4.0", "document": "doi:9"},
    ]
    assert [each.document for each in found] == ["own", "doi:9", "doi:9"]
    # Figures that are here get them when they are revised.
    again = Origin(licence="CC0-1.0", document="doi:9")
    list(revise_figures(home, store, path, problems, without_images=True, origin=again))
    with store.read() as tx:
        assert tx.figures.get("o2").source["licence"] == "CC0-1.0"
