"""A lead compares a new image to the present one, and then replaces it or does not."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_decision, an_annotation
from flask.testing import FlaskClient
from PIL import Image
from web.lead_client import client, send

from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.figure import Figure


def picture(width: int, height: int, colour: str = "red", form: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, form)
    return out.getvalue()


def uploaded(lead: FlaskClient, data: bytes) -> str:
    return send(lead, {"new.png": data}).rpartition("/")[2]


def compared(lead: FlaskClient, upload: str) -> dict[str, str]:
    """The form of the page that compares the images."""
    page = lead.get(f"/figures/f1/image/new?upload={upload}").text
    return {"upload": upload, "revision": page.partition('name="revision" value="')[2].partition('"')[0]}


def figure(store: Store) -> Figure:
    with store.read() as tx:
        return tx.figures.existing("f1")


def files(home: Home, folder: str) -> list[Path]:
    return [each for each in (home.path / folder).rglob("*") if each.is_file()]


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((800, 600), "The same size: boxes drawn on the present image are at the same places"),
        ((400, 300), "The same proportions, 50% of the size"),
        ((401, 300), "The same proportions, 50% of the size"),
        ((800, 601), "The same proportions, 100% of the size"),
        ((600, 600), "Other proportions"),
    ],
)
def test_the_page_says_what_becomes_of_boxes_and_stores_nothing(
    home: Home, store: Store, size: tuple[int, int], words: str
) -> None:
    lead = client(home, store)
    with store.transaction() as tx:
        before = tx.figures.replace(replace(tx.figures.existing("f1"), image_sha256="0" * 64))
        tx.annotations.add(an_annotation(before, annotator="ann", subfigures=()))
        tx.decisions.add(a_decision(before, subfigures=()))
    upload = uploaded(lead, picture(*size))
    url = lead.post(f"/figures/f1/image/check?upload={upload}").get_json()["url"]
    page = lead.get(url).text
    assert words in page
    assert "1 annotation and the decision on the present image stay stored" in page
    assert f"{size[0]} × {size[1]} pixels" in page
    sent = lead.get(f"/figures/f1/image/new/file?upload={upload}")
    assert (sent.mimetype, Image.open(io.BytesIO(sent.data)).size) == ("image/png", size)
    assert figure(store) == before
    assert files(home, "images") == []


def test_work_stays_current_where_the_figure_had_no_image_and_the_size_is_the_recorded_one(
    home: Home, store: Store
) -> None:
    lead = client(home, store)
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.existing("f1"), annotator="ann", subfigures=()))
    upload = uploaded(lead, picture(800, 600))
    page = lead.get(f"/figures/f1/image/new?upload={upload}").text
    assert "the new one takes its place, and work on the figure stays current" in page
    assert "outdated" not in page
    done = lead.post("/figures/f1/image/new", data=compared(lead, upload), follow_redirects=True)
    assert "Image replaced; work on the figure stays current." in done.text
    assert figure(store).revision == 1
    assert figure(store).image_sha256
    with store.read() as tx:
        assert len(tx.work.of("f1").annotations) == 1


def test_the_new_image_is_replaced_after_the_answer_and_the_upload_is_gone(home: Home, store: Store) -> None:
    lead = client(home, store)
    upload = uploaded(lead, picture(20, 10))
    done = lead.post("/figures/f1/image/new", data=compared(lead, upload), follow_redirects=True).text
    assert "Image replaced" in done
    assert (figure(store).revision, figure(store).width) == (2, 20)
    assert files(home, "uploads") == []


def test_keeping_the_present_image_leaves_nothing_behind(home: Home, store: Store) -> None:
    lead = client(home, store)
    upload = uploaded(lead, picture(20, 10))
    kept = lead.post("/figures/f1/image/new", data={"upload": upload, "what": "discard"}, follow_redirects=True)
    assert "the new image was discarded" in kept.text
    assert figure(store).revision == 1
    assert (files(home, "uploads"), files(home, "images")) == ([], [])


def test_a_figure_that_changed_after_the_comparison_is_compared_again(home: Home, store: Store) -> None:
    lead = client(home, store)
    upload = uploaded(lead, picture(20, 10))
    form = compared(lead, upload)
    lead.post("/figures/f1/caption", data={"caption": "Another."})
    late = lead.post("/figures/f1/image/new", data=form, follow_redirects=True)
    assert "was replaced meanwhile; below is what is present now" in late.text
    assert f'name="upload" value="{upload}"' in late.text
    assert figure(store).width == 800
    done = lead.post("/figures/f1/image/new", data=compared(lead, upload), follow_redirects=True)
    assert "Image replaced" in done.text
    assert figure(store).width == 20


@pytest.mark.parametrize("size", [(800, 600), (20, 10)])
def test_of_two_comparisons_at_once_the_second_is_shown_what_the_first_did(
    home: Home, store: Store, size: tuple[int, int]
) -> None:
    lead = client(home, store)
    first, second = (uploaded(lead, picture(*size, colour)) for colour in ("red", "blue"))
    forms = [compared(lead, first), compared(lead, second)]
    assert "Image replaced" in lead.post("/figures/f1/image/new", data=forms[0], follow_redirects=True).text
    digest = figure(store).image_sha256
    late = lead.post("/figures/f1/image/new", data=forms[1], follow_redirects=True)
    assert "Not replaced: its caption or image was replaced meanwhile" in late.text
    assert f'name="upload" value="{second}"' in late.text
    assert figure(store).image_sha256 == digest
    lead.post("/figures/f1/image/new", data=compared(lead, second))
    assert figure(store).image_sha256 != digest


def test_the_present_and_an_earlier_image_are_recognised(home: Home, store: Store) -> None:
    lead = client(home, store)
    for data in (picture(20, 10), picture(20, 10, "blue", "TIFF")):
        lead.post(f"/figures/f1/image?upload={uploaded(lead, data)}")
    present = uploaded(lead, picture(20, 10, "blue", "TIFF"))
    page = lead.get(f"/figures/f1/image/new?upload={present}").text
    assert "This is the present image: nothing changes." in page
    assert ">Replace image</button>" not in page
    earlier = uploaded(lead, picture(20, 10))
    assert "in revision 2, which becomes current again" in lead.get(f"/figures/f1/image/new?upload={earlier}").text


@pytest.mark.parametrize("sent", [{"new.png": b"no image"}, {"a.png": picture(9, 9), "b.png": picture(9, 9)}])
def test_what_is_no_single_image_is_refused_before_it_is_compared(
    home: Home, store: Store, sent: dict[str, bytes]
) -> None:
    lead = client(home, store)
    upload = send(lead, sent).rpartition("/")[2]
    assert lead.post(f"/figures/f1/image/check?upload={upload}").status_code == 422
    assert "Not replaced: " in lead.get(f"/figures/f1/image/new?upload={upload}", follow_redirects=True).text
    assert lead.get(f"/figures/f1/image/new/file?upload={upload}").status_code == 404
    assert figure(store).revision == 1


@pytest.mark.parametrize("way", ["check", "new"])
def test_reviewers_replace_no_image(home: Home, store: Store, way: str) -> None:
    upload = uploaded(client(home, store), picture(20, 10))
    reviewer = client(home, store, "rev")
    assert reviewer.post(f"/figures/f1/image/{way}?upload={upload}", data={"upload": upload}).status_code == 403
    assert reviewer.get(f"/figures/f1/image/new?upload={upload}").status_code == 403
