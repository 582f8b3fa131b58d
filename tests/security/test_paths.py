"""No address and no name leads to a file that is not meant to be had."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_figure
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from web.conftest import SignIn
from werkzeug.test import create_environ, run_wsgi_app

from annotator.campaign.home import Home
from annotator.imports.image_intake import store_image
from annotator.store.store import Store
from panelwise.domain.errors import AnnotatorError

#: Steps upwards, as they are written and as programs decode them.
UP = (
    "..",
    "%2e%2e",
    "%252e%252e",
    "..;",
    ".%2e",
    "%c0%ae%c0%ae",
    "..\\",
    "..%5c",
    "....//",
    "\u2024\u2024",
    "..%00",
)
GOALS = ("secret.key", "store.sqlite", "campaign.toml", "etc/passwd", "web/app.py", "app.py")
ROOTS = ("/static/", "/static/dist/", "/figures/", "/api/figures/", "/blind/", "/feedback/figures/", "/welcome/")
climbs = st.tuples(
    st.sampled_from(ROOTS),
    st.lists(st.sampled_from(UP), min_size=0, max_size=5),
    st.sampled_from(["/", "\\", "%2f", "%5c", "//"]),
    st.sampled_from(GOALS),
    st.sampled_from(["", "/image", "/thumbnail", "%00.png", "?x=.png"]),
).map(lambda parts: parts[0] + "".join(step + parts[2] for step in parts[1]) + parts[3] + parts[4])


def test_no_address_climbs_out_of_what_is_served(app: Flask, home: Home, sign_in: SignIn) -> None:
    client = sign_in("lead")
    secret = (home.path / "secret.key").read_bytes().strip()
    cookie = client.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None

    @given(climbs)
    @settings(suppress_health_check=list(HealthCheck))
    def stays(address: str) -> None:
        environ = create_environ(address, headers={"Cookie": f"{cookie.key}={cookie.value}"})
        body, status, _ = run_wsgi_app(app.wsgi_app, environ, buffered=True)
        said = b"".join(body)
        assert status[0] in "34", (address, status)
        assert secret not in said
        assert b"SQLite format 3" not in said
        assert b"root:" not in said
        assert b"create_app" not in said

    stays()


@pytest.mark.parametrize("image", ["secret.key", "../campaign/secret.key", "images/../secret.key", "/etc/passwd"])
@pytest.mark.slow
def test_an_image_that_the_store_puts_elsewhere_is_not_sent(
    sign_in: SignIn, store: Store, home: Home, image: str
) -> None:
    with store.transaction() as tx:
        tx.figures.add(replace(a_figure("stray"), image=image))
    client = sign_in("rev1")
    assert client.get("/figures/stray/image").status_code == 404
    small = client.get("/figures/stray/thumbnail")
    assert small.mimetype == "image/svg+xml"  # the drawing that stands for none


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_a_link_among_the_images_leads_nowhere(sign_in: SignIn, store: Store, home: Home, tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "private.png")
    (home.images / "link.png").symlink_to(tmp_path / "private.png")
    with store.transaction() as tx:
        tx.figures.add(replace(a_figure("linked"), image="images/link.png"))
    assert sign_in("rev1").get("/figures/linked/image").status_code == 404


@given(st.text(min_size=1, max_size=40) | st.sampled_from([f"{up}/{goal}" for up in UP for goal in GOALS]))
def test_no_name_of_a_figure_writes_outside_the_home(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, source = Path(folder) / "a" / "home", Path(folder) / "a.png"
        home.mkdir(parents=True)
        Image.new("RGB", (8, 8)).save(source)
        try:
            store_image(source, home, name)
        except AnnotatorError:
            return
        outside = [each for each in Path(folder).rglob("*") if each.is_file() and home not in each.parents]
        assert outside == [source]
