"""Layouts of other tools that are not read: each is recognised, and refused in one line that says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.imports.exports_of_others import read_any
from annotator.jobs.commands import _layouts_of
from annotator.measurement.items import AnswerSources
from annotator.measurement.sources import layout_of
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.files.other_layouts import OTHER_LAYOUTS
from panelwise.files.tables import is_table
from panelwise.formats.detect import check_figures, check_layout, looks_of
from panelwise.formats.figures import read_figures
from panelwise.formats.layout import Contents
from panelwise.formats.registry import LAYOUTS
from prelabel.training.data.gold_files import EVERYBODY, read_gold_figures

RECTANGLE = {
    "shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 3, "height": 4},
    "region_attributes": {},
}
VIA_IMAGE = {"filename": "a.png", "size": 77, "regions": [RECTANGLE], "file_attributes": {}}
VIA_3 = {"project": {"pid": "p"}, "config": {}, "attribute": {}, "file": {"1": {"fname": "a.png"}}, "metadata": {}}
SHAPE = {"label": "A", "points": [[0, 0], [9, 9]], "shape_type": "rectangle", "flags": {}}
LS_ROW = "image,id,panels,annotator,annotation_id,created_at,updated_at,lead_time\na.png,5,[],1,2,t,t,3.5\n"

#: File name, content (JSON unless a text) and title.
SAMPLES: list[tuple[str, Any, str]] = [
    ("a.json", {"version": "5.5.0", "flags": {}, "shapes": [SHAPE], "imagePath": "a.png"}, "labelme's JSON"),
    ("p.json", {"_via_settings": {}, "_via_img_metadata": {"a.png77": VIA_IMAGE}}, "VIA's project"),
    ("p3.json", {**VIA_3, "view": {}}, "VIA's project"),
    ("via.json", {"a.png77": VIA_IMAGE}, "VIA's JSON"),
    ("via1.json", {"a.png77": {**VIA_IMAGE, "regions": {"0": RECTANGLE}}}, "VIA's JSON"),
    (
        "via.csv",
        "filename,file_size,region_count,region_id,region_shape_attributes,region_attributes\na.png,7,1,0,{},{}\n",
        "VIA's CSV",
    ),
    ("s.json", {"tags": [], "size": {"height": 6, "width": 8}, "objects": []}, "Supervisely's JSON"),
    (
        "c.xml",
        '<?xml version="1.0"?>\n<!-- x -->\n<annotations><version>1.1</version></annotations>',
        "CVAT's XML",
    ),
    ("m.json", [{"image": "a.png", "annotations": [{"label": "A", "coordinates": {"x": 1}}]}], "CreateML's JSON"),
    ("d.json", {"infos": {}, "categories": {"label": {}}, "items": []}, "Datumaro's JSON"),
    ("f.json", {"samples": [{"filepath": "a.png"}]}, "FiftyOne's JSON"),
    ("v.json", {"version": "2.0", "item": {"name": "a.png"}, "annotations": []}, "V7 Darwin's JSON"),
    ("l.ndjson", {"data_row": {"id": "x"}, "media_attributes": {}, "projects": {}}, "Labelbox's export"),
    (
        "g.manifest",
        {"source-ref": "s3://b/a.png", "panels": {}, "panels-metadata": {}},
        "a manifest of SageMaker Ground Truth",
    ),
    ("b.json", [{"name": "a.png", "labels": [{"box2d": {"x1": 0}}]}], "Scalabel's JSON"),
    ("y.jsonl", {"image": "a.png", "_input_hash": 1, "_task_hash": 2, "spans": []}, "Prodigy's JSONL"),
    ("metadata.jsonl", {"file_name": "a.png", "objects": {"bbox": [[0, 0, 9, 9]]}}, "a data set's metadata.jsonl"),
    ("ls.csv", LS_ROW, "Label Studio's CSV"),
    ("ls.tsv", LS_ROW.replace(",", "\t"), "Label Studio's CSV"),
    ("notes.json", {"categories": [{"id": 0, "name": "A"}], "info": {}}, "Label Studio's list of classes"),
    ("boxes.csv", "ImageID,LabelName,XMin,XMax,YMin,YMax\na,/m/1,0.1,0.2,0.1,0.2\n", "a table of boxes"),
    ("e.json", {"schema_name": "DoclingDocument", "texts": [], "pictures": []}, "docling's JSON"),
    ("e0.json", {"texts": [], "pictures": [], "tables": []}, "docling's JSON"),
    ("o.json", {"paper_id": "1", "pdf_parse": {"body_text": []}}, "an article in S2ORC's JSON"),
    ("o2.json", {"paper_id": "1", "body_text": [], "ref_entries": {}}, "an article in S2ORC's JSON"),
    ("o3.jsonl", {"corpusid": 1, "content": {"text": "", "annotations": {}}}, "an article in S2ORC's JSON"),
    ("m.jsonl", {"paper_id": "1", "title": "T", "has_pdf_parse": True}, "metadata of S2ORC's papers"),
    ("j.xml", "<!DOCTYPE article PUBLIC '-//NLM'>\n<article><front/></article>", "an article in JATS XML"),
    ("set.xml", "<pmc-articleset><article/></pmc-articleset>", "a set of articles in JATS XML"),
    ("t.xml", '<tei:TEI xmlns:tei="http://www.tei-c.org/ns/1.0"/>', "an article in TEI"),
    ("k.xml", "<collection><source>PMC</source></collection>", "a BioC collection"),
]
FORMS: dict[str, Callable[[Any], str]] = {
    "in one line": json.dumps,
    "indented": lambda made: json.dumps(made, indent=2),
}


def write(folder: Path, name: str, content: Any, form: str = "in one line") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else FORMS[form](content), "utf-8")
    return path


def read_gold(path: Path) -> None:
    list(read_gold_figures(path, Problems(), figures=None, images=None, chosen=EVERYBODY, read=read_any))


def read_list(path: Path) -> None:
    check_figures(path)
    list(read_figures(path, Problems()))


def read_sources(path: Path) -> None:
    AnswerSources([path], [], Problems())
    layout_of(path)


READERS: dict[str, Callable[[Path], object]] = {
    **{f"import as {layout}": (lambda path, layout=layout: check_layout(path, layout)) for layout in LAYOUTS},
    "import of figures": read_list,
    "agreement": read_sources,
    "training": read_gold,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "content", "title"), SAMPLES, ids=[name for name, *_ in SAMPLES])
def test_every_command_names_what_a_file_of_another_tool_is_and_what_to_do(
    name: str, content: Any, title: str, form: str, tmp_path: Path
) -> None:
    path = write(tmp_path, name, content, form)
    for reader, read in READERS.items():
        with pytest.raises(FormatError) as refused:
            read(path)
        told = str(refused.value)
        assert told.startswith(f"{path}: looks like {title}, which is not read here; "), reader
        assert "\n" not in told


def test_there_is_a_sample_of_each_layout() -> None:
    assert {title for *_, title in SAMPLES} == {layout.title for layout in OTHER_LAYOUTS}


def test_an_image_within_labelmes_json_does_not_hide_what_it_is(tmp_path: Path) -> None:
    held = {"imageData": "A" * (5 << 20), "version": "5", "shapes": [SHAPE], "imagePath": "a.png"}
    with pytest.raises(FormatError, match="looks like labelme's JSON"):
        looks_of(write(tmp_path, "a.json", held, "indented"))


def test_the_import_job_leaves_a_file_of_another_tool_to_the_message_of_the_import(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", {"shapes": [SHAPE], "imagePath": "a.png"})
    assert _layouts_of(path) == frozenset()


@pytest.mark.parametrize(
    "record", [{"shapes": [], "imagePath": "x"}, {"name": "n", "labels": []}, {"samples": [1]}]
)
def test_keys_of_other_tools_in_a_record_of_ours_do_not_matter(record: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path, "figures.jsonl", {"figure_id": "f", "image": "f.png", "caption": "", **record})
    (layout,) = looks_of(path).layouts
    assert Contents.FIGURES in layout.contents


def test_boxes_of_yolo_beside_an_image_are_not_its_caption(tmp_path: Path) -> None:
    from PIL import Image

    for name in ("a", "b"):
        Image.new("RGB", (9, 9)).save(tmp_path / f"{name}.png")
    write(tmp_path, "a.txt", "0 0.5 0.5 0.25 0.125\n")
    write(tmp_path, "b.txt", "3 of 5 mice, 0.5 s")
    problems = Problems()
    assert [(each.figure_id, each.caption.text) for each in read_figures(tmp_path, problems)] == [
        ("b", "3 of 5 mice, 0.5 s")
    ]
    assert [line.split(";")[0] for line in problems.lines] == [
        f"{tmp_path / 'a.txt'}: looks like YOLO's text, which is not read here"
    ]


def test_a_table_of_figures_with_columns_of_a_box_and_captions_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "f.csv", "image,caption,xmin,ymin,xmax,ymax\na.png,One,0,0,9,9\n")
    assert is_table(path)
    assert [each.caption.text for each in read_figures(path, Problems())] == ["One"]


def test_other_xml_and_other_tables_are_no_work(tmp_path: Path) -> None:
    for name, content, told in (
        ("x.xml", "<html><body/></html>", "is a web page"),
        ("y.xml", "<records/>", "is XML (<records>), which is not read here"),
        ("z.csv", "figure,box\nf1,3\n", "is a table, which can hold figures"),
    ):
        with pytest.raises(FormatError) as refused:
            looks_of(write(tmp_path, name, content))
        assert told in str(refused.value)


def test_pairs_are_sent_to_the_commands_that_read_them(tmp_path: Path) -> None:
    pair = {"instance_id": "q", "figure_id": "f", "qa_pair_type": "unanswerable", "question": "?"}
    for content in ([pair], pair):
        path = write(tmp_path, "pairs.json", content)
        for layout in LAYOUTS:
            with pytest.raises(FormatError, match=r"looks like question-answer pairs.*import figures --qa"):
                check_layout(path, layout)
