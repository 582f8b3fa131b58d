"""Uploads on the lead's pages: in pieces, tables with any columns, hostile files, and the report of it all."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image
from services.test_uploads import png
from web.lead_client import client, ended, send

from annotator.campaign.home import Home
from annotator.imports.uploads import EXPIRES, remove_old
from annotator.jobs.folders import JobState
from annotator.store.store import Store


def test_a_file_comes_in_pieces_and_is_imported_by_a_job(home: Home, store: Store) -> None:
    lead = client(home, store)
    upload = lead.post("/campaign/uploads").get_json()["upload"]
    address = f"/campaign/uploads/{upload}"
    line = json.dumps({"figure_id": "f3", "image": "f3.png", "caption": "c", "width": 10, "height": 10}).encode()
    for offset in (0, 10, 10, 99):
        size = lead.post(f"{address}?name=figures.jsonl&offset={offset}", data=line[offset : offset + 10])
    assert size.get_json() == {"size": 20}
    assert lead.post(f"{address}?name=figures.jsonl&offset=20", data=line[20:]).get_json() == {"size": len(line)}
    for name in ("../x.png", "run.sh"):
        refused = lead.post(f"{address}?name={name}&offset=0", data=b"x")
        assert refused.status_code == 422
        assert name in refused.get_json()["error"]
    assert lead.post("/campaign/uploads/0123456789abcdef?name=a.png&offset=0", data=b"x").status_code == 422
    assert lead.post("/campaign/uploads/0123456789abcdef/import").status_code == 422
    begun = lead.post(f"{address}/import").get_json()
    assert begun == {"url": "/campaign/jobs/1"}
    job = ended(home)
    # Its image was not sent: the record is refused with its line, and the upload stays to be mended.
    assert job.state is JobState.FAILED
    page = lead.get("/campaign/jobs/1").get_data(as_text=True)
    assert "figures.jsonl:1" in page
    assert "next: " not in page
    lead.get("/campaign/figures")
    assert (home.path / "uploads" / upload).is_dir()


def test_columns_of_a_table_are_chosen_with_its_first_rows_before_it(home: Home, store: Store) -> None:
    lead = client(home, store)
    table = "Panel file;Legend;caption\nx.png;Lungs; right.;old\ny.png;Leaves.;old\n"
    address = send(lead, {"t.csv": table.encode().replace(b"Lungs; right.", b'"Lungs; right."'), "x.png": png()})
    url = lead.post(f"{address}/import?revise=1").get_json()["url"]
    assert url.startswith(f"{address}/columns")
    assert "Lungs; right." in lead.get(url).get_data(as_text=True)
    twice = {"image": "Panel file", "caption": "Panel file"}
    assert "column of its own" in lead.post(url, data=twice, follow_redirects=True).get_data(as_text=True)
    begun = lead.post(url, data={"image": "Panel file", "caption": "Legend"})
    assert begun.location == "/campaign/jobs/1"
    # The image of y was not sent.
    assert ended(home).state is JobState.FAILED
    with store.read() as tx:
        assert tx.figures.get("x").caption.text == "Lungs; right."
        assert not tx.figures.has("y")


def test_a_coco_file_brings_its_figures_and_the_boxes_on_them(home: Home, store: Store) -> None:
    lead = client(home, store)
    box = {"id": 1, "image_id": 7, "bbox": [1, 1, 5, 5], "category_id": 1}
    coco = {
        "images": [{"id": 7, "file_name": "x.png", "width": 20, "height": 10}],
        "annotations": [box],
        "categories": [{"id": 1, "name": "A"}],
    }
    address = send(lead, {"boxes.json": json.dumps(coco).encode(), "x.png": png()})
    assert lead.post(f"{address}/import?annotator=ann").get_json() == {"url": "/campaign/jobs/1"}
    job = ended(home)
    assert job.state is JobState.DONE, job.log()
    with store.read() as tx:
        (work,) = tx.annotations.all(figure="x")
    assert (work.annotator, len(work.subfigures)) == ("ann", 1)


RUBBISH = {
    "no bytes": {"a.png": b""},
    "another type": {"a.png": b"%PDF-1.4 no image"},
    "cut off": {"a.png": None},
    "too many pixels": {"a.png": b"bomb"},
    "rows of rubbish": {
        "t.csv": b"image,caption\n" + b"../../etc/passwd,x\n" * 50_000 + b"\xc3\xa4;;;\n" * 50_000
    },
    "no text": {"t.csv": bytes(range(256)) * 100},
    "no JSON": {"figures.jsonl": b"{]\n" * 1000},
}


@pytest.mark.slow
@pytest.mark.parametrize("what", RUBBISH)
def test_hostile_uploads_end_in_one_report_and_change_nothing(
    what: str, home: Home, store: Store, tmp_path: Path
) -> None:
    lead = client(home, store)
    (tmp_path / "secret.png").write_bytes(png())
    bomb = io.BytesIO()
    Image.new("1", (40_000, 40_000)).save(bomb, "PNG")
    made = {b"bomb": bomb.getvalue(), None: png()[:-30]}
    address = send(lead, {name: made.get(content, content) for name, content in RUBBISH[what].items()})
    before = {path for path in home.path.rglob("*") if not path.is_relative_to(home.path / "jobs")}
    begun = lead.post(f"{address}/import")
    if begun.status_code == 200:
        job = ended(home)
        assert job.state is JobState.FAILED
        assert "Traceback" not in job.log()
        with lead.get("/campaign/jobs/1/files/log.txt") as report:
            assert report.get_data(as_text=True).count("\n") >= 1
    else:
        assert begun.status_code == 422
        assert "\n" not in begun.get_json()["error"]
    with store.read() as tx:
        assert tx.figures.count() == 2
    after = {path for path in home.path.rglob("*") if not path.is_relative_to(home.path / "jobs")}
    assert {path.name for path in after - before} <= {"store.sqlite-wal", "store.sqlite-shm"}
    assert lead.post(f"{address}/remove").status_code == 200
    assert list((home.path / "uploads").iterdir()) == []


def test_the_report_names_what_was_refused_while_it_was_sent_and_when_it_was_read(
    home: Home, store: Store
) -> None:
    lead = client(home, store)
    files = {"a.png": png(), "a.txt": b"Lungs.", "b.png": png()[:-30], "c.png": png()}
    address = send(lead, files)
    for _ in range(2):  # as when the page is loaded again
        assert lead.post(f"{address}?name=notes.docx&offset=0", data=b"x").status_code == 422
    assert lead.post(f"{address}/import").get_json() == {"url": "/campaign/jobs/1"}
    assert ended(home).state is JobState.FAILED
    page = lead.get("/campaign/jobs/1").get_data(as_text=True)
    assert "done; 1 refused" in page
    for cell in ('<td class="place">b.png</td>', "notes.docx&#34; is no image", "<td>note</td>"):
        assert cell in page, cell
    assert str(home.path) not in page
    with lead.get("/campaign/jobs/1/files/report.csv") as answer:
        rows = list(csv.DictReader(io.StringIO(answer.get_data(as_text=True))))
    counts = {
        name: sum(int(row["count"]) for row in rows if row["result"] == name) for name in ("imported", "refused")
    }
    assert counts == {"imported": 2, "refused": 1}
    assert sum("notes.docx" in row["message"] for row in rows) == 1
    assert all(row["records"] == "figures" for row in rows)
    (home.path / "jobs" / "000001" / "files" / "report.csv").write_bytes(b"\xff\x00")
    assert lead.get("/campaign/jobs/1").status_code == 200


def test_an_upload_whose_page_is_closed_goes_on_or_is_removed_soon(home: Home, store: Store) -> None:
    lead = client(home, store)
    left, resumed = (send(lead, {"folder/a.zip": b"x" * 1000}) for _ in range(2))
    for each in (left, resumed):
        assert lead.post(f"{each}/leave").get_json() == {}
    remove_old(home)
    assert len(list((home.path / "uploads").iterdir())) == 2
    assert lead.get(resumed).get_json() == {"sizes": {"folder/a.zip": 1000}}
    # A quarter of an hour later.
    for each in (home.path / "uploads").rglob("*"):
        then = each.stat().st_mtime - 900
        os.utime(each, (then, then))
    assert EXPIRES > 2 * 900
    remove_old(home)
    assert [each.name for each in (home.path / "uploads").iterdir()] == [resumed.rpartition("/")[2]]
    assert lead.get(left).status_code == 422
    assert lead.post(f"{left}/leave").get_json() == {}


def test_an_uploaded_table_of_excel_is_refused_with_what_to_do(home: Home, store: Store) -> None:
    lead = client(home, store)
    sheet = b"PK\3\4" + bytes(26) + b"[Content_Types].xml"
    upload = send(lead, {"a.png": png(), "captions.xlsx": sheet})
    answer = lead.post(f"{upload}/import")
    assert answer.status_code == 422
    assert answer.get_json()["error"].startswith("captions.xlsx: is a file of Excel")
    with store.read() as tx:
        assert tx.figures.count() == 2


def test_refusals_of_one_kind_are_one_row_with_their_number(home: Home, store: Store) -> None:
    lead = client(home, store)
    records = [json.dumps({"figure_id": f"n{n}", "image": f"n{n}.png", "caption": "x"}) for n in range(12)]
    upload = send(lead, {"figures.jsonl": "\n".join(records).encode(), "other.png": png()})
    lead.post(f"{upload}/import")
    job = ended(home)
    page = lead.get(f"/campaign/jobs/{job.number}").get_data(as_text=True)
    assert page.count("refused</span>") == 1
    assert "and 11 more" in page
    assert job.log().count("n3.png") == 0
    assert "(and 8 more like this)" in job.log()
    with lead.get(f"/campaign/jobs/{job.number}/files/report.csv") as answer:
        report = answer.get_data(as_text=True)
    assert all(f"n{n}.png" in report for n in range(12))
