"""The figure screen: addresses of figures, images, and that nothing leaves the home."""

from __future__ import annotations

import io
import os

import pytest
from builders import a_figure, names
from flask.testing import FlaskClient
from hypothesis import given
from PIL import Image

from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.addresses import figure_id_of, figure_segment

ODD_IDS = (
    "a/b",
    "a b",
    "..",
    ".",
    "../x",
    "f1/image",
    "ä/ß",
    "a~b",
    "a%2Fb",
    "x?y#z",
    "a\\b",
    "//",
    "登録",
    "a.b",
)


@given(names)
def test_a_figure_id_survives_the_address(figure_id: str) -> None:
    segment = figure_segment(figure_id)
    assert figure_id_of(segment) == figure_id
    assert segment.replace("~", "").replace("-", "").replace("_", "").isalnum() or set(segment) <= set("~-_")
    assert segment.isascii()


@pytest.mark.parametrize("segment", ["~", "a~2", "~zz", "~FF"])
def test_a_broken_segment_is_no_figure(segment: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - decoding errors come with a text of their own
        figure_id_of(segment)


@pytest.mark.slow
@pytest.mark.parametrize("figure_id", ODD_IDS)
def test_figures_of_odd_ids_have_every_page(client: FlaskClient, store: Store, figure_id: str) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure(figure_id, image="images/f1.png"))
    page = client.get(f"/figures/{figure_segment(figure_id)}")
    assert page.status_code == 200
    state = client.get(f"/api/figures/{figure_segment(figure_id)}")
    assert state.get_json()["figure_id"] == figure_id
    assert client.get(state.get_json()["image_url"]).status_code == 200


def test_an_id_typed_with_its_slash_is_found(client: FlaskClient, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("a/b"))
    assert client.get("/figures/a/b").location == "/figures/a~2Fb"
    assert client.get("/figures/a%2Fb").location == "/figures/a~2Fb"


@pytest.mark.slow
@pytest.mark.parametrize(
    "address", ["/figures/{}", "/api/figures/{}", "/figures/{}/image", "/figures/{}/thumbnail"]
)
def test_an_unknown_figure_is_404(client: FlaskClient, address: str) -> None:
    answer = client.get(address.format("nope"))
    assert answer.status_code == 404
    assert "nope" in answer.text
    assert "is not in this campaign" in answer.text


def test_the_page_carries_the_island(client: FlaskClient) -> None:
    html = client.get("/figures/f1").text
    assert 'id="adjudication"' in html
    assert 'data-state-url="/api/figures/f1"' in html
    assert 'data-save-url="/api/figures/f1/decision?revision=1"' in html
    assert 'data-queue-url="/"' in html
    assert 'data-csrf="' in html
    assert "/static/dist/adjudication.js" in html
    assert "/static/dist/adjudication.css" in html
    assert "<noscript>" in html


def test_no_page_holds_an_inline_script_or_style(client: FlaskClient) -> None:
    for address in ("/", "/login", "/figures/f1", "/nope"):
        html = client.get(address).text
        assert "<style" not in html
        assert "<script>" not in html
        assert "onclick=" not in html


def test_the_image_is_sent_whole_and_kept_privately(client: FlaskClient, home: Home) -> None:
    answer = client.get("/figures/f1/image")
    assert answer.data == (home.images / "f1.png").read_bytes()
    assert answer.mimetype == "image/png"
    assert "private" in answer.headers["Cache-Control"]
    again = client.get("/figures/f1/image", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.slow
@pytest.mark.parametrize(
    "image",
    ["../secret.key", "images/../secret.key", "/etc/passwd", "images/link.png", "campaign.toml", "", "images"],
)
def test_no_image_path_leaves_the_images(client: FlaskClient, store: Store, home: Home, image: str) -> None:
    os.symlink(home.path / "secret.key", home.images / "link.png")
    with store.transaction() as tx:
        tx.figures.add(a_figure("out", image=image))
    assert client.get("/figures/out/image").status_code == 404
    answer = client.get("/figures/out/thumbnail")
    assert answer.mimetype == "image/svg+xml"
    assert home.secret() not in answer.data


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"<svg onload=alert(1)>", b"<html><script>", b"", b"%PDF-1.4", b"MZ\x90"])
def test_only_images_are_sent_whatever_the_file_is_called(
    client: FlaskClient, store: Store, home: Home, content: bytes
) -> None:
    (home.images / "odd.png").write_bytes(content)
    with store.transaction() as tx:
        tx.figures.add(a_figure("odd", image="images/odd.png"))
    assert client.get("/figures/odd/image").status_code == 404
    assert client.get("/figures/odd/thumbnail").mimetype == "image/svg+xml"


def test_thumbnails_are_small_and_follow_the_file(client: FlaskClient, home: Home) -> None:
    answer = client.get("/figures/f1/thumbnail")
    with Image.open(io.BytesIO(answer.data)) as small:
        assert max(small.size) == 240
        assert small.getpixel((0, 0)) == (255, 255, 255)
    assert "private" in answer.headers["Cache-Control"]
    Image.new("RGB", (400, 400), "black").save(home.images / "f1.png")
    with Image.open(io.BytesIO(client.get("/figures/f1/thumbnail").data)) as small:
        assert small.getpixel((0, 0)) == (0, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "kind"), [("RGBA", "png"), ("P", "png"), ("L", "jpg"), ("1", "png"), ("RGB", "webp")]
)
def test_thumbnails_of_every_kind_of_image(
    client: FlaskClient, store: Store, home: Home, mode: str, kind: str
) -> None:
    Image.new(mode, (500, 100)).save(home.images / f"m.{kind}")
    with store.transaction() as tx:
        tx.figures.add(a_figure("m", image=f"images/m.{kind}"))
    assert client.get("/figures/m/thumbnail").mimetype == "image/jpeg"
    assert client.get("/figures/m/image").status_code == 200


def test_a_damaged_image_has_a_stand_in_for_its_thumbnail(client: FlaskClient, store: Store, home: Home) -> None:
    whole = (home.images / "f1.png").read_bytes()
    (home.images / "half.png").write_bytes(whole[: len(whole) // 2])
    with store.transaction() as tx:
        tx.figures.add(a_figure("half", image="images/half.png"))
    assert client.get("/figures/half/thumbnail").mimetype == "image/svg+xml"


def test_static_files_carry_a_mark_of_their_content(client: FlaskClient) -> None:
    html = client.get("/login").text + client.get("/").text
    assert "pages.css?v=" in html


def test_a_figure_without_types_or_pairs_has_no_screen_of_them(client: FlaskClient, store: Store) -> None:
    answer = client.get("/figures/f1/items?q=lung")
    assert (answer.status_code, answer.location) == (302, "/figures/f1?q=lung")
    csrf = client.get("/api/figures/f1").get_json()["csrf"]
    refused = client.post(
        "/api/figures/f1/items/decision",
        json={"version": 0, "status": "accepted", "kind": None, "verdicts": []},
        headers={"X-CSRFToken": csrf},
    )
    assert (refused.status_code, refused.get_json()["error"]) == (
        422,
        'figure "f1" has no type and no pairs to accept: reject it, open its subfigures if it has any, or ask '
        "the lead to import its pairs",
    )
    with store.read() as tx:
        assert tx.decisions.get("f1") is None
