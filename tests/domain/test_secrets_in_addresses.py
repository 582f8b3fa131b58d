from __future__ import annotations

import pytest

from panelwise.domain.addresses import has_secrets, shareable, without_secrets
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError, one_line
from panelwise.domain.figure import Figure

HIDDEN = "hush-77"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://ann:hush-77@a.example/f.png", "https://a.example/f.png"),
        ("https://hush-77@a.example/f.png", "https://a.example/f.png"),
        ("//ann:hush-77@a.example/f.png", "//a.example/f.png"),
        ("ftp://ann:hu/hush-77@a.example/f", "ftp://a.example/f"),
        ("https://ann:hu#hush-77@b@a.example/f", "https://a.example/f"),
        ("https:/ann:hush-77@a.example/f", "https:/a.example/f"),
        ("https://a.example/f?token=hush-77", "https://a.example/f"),
        ("https://a.example/f?x=1&token=hush-77&y=2#part", "https://a.example/f?x=1&y=2#part"),
        ("https://a.example/f?token=hush-77&y=2", "https://a.example/f?y=2"),
        ("https://a.example/f?token=hush-77&amp;y=2", "https://a.example/f?y=2"),
        ("https://a.example/f#access_token=hush-77", "https://a.example/f"),
        ("https://a.example/f;jsessionid=hush-77?x=1", "https://a.example/f?x=1"),
        ("https://a.example/f?Access%5FToken=hush-77", "https://a.example/f"),
        (
            "https://a.example/f?X-Amz-Date=1&X-Amz-Credential=hush-77&X-Amz-Signature=hush-77",
            "https://a.example/f",
        ),
        ("https://a.example/f?X-Goog-Signature=hush-77", "https://a.example/f"),
        ("https://a.example/f?sv=2022&sr=b&sig=hush-77%3D", "https://a.example/f?sv=2022&sr=b"),
        ("https://a.example/f?AWSAccessKeyId=hush-77&Expires=9", "https://a.example/f?Expires=9"),
        ("https://a.example/f?key=hush77Hush77Hush77Hush77", "https://a.example/f"),
        ("https://a.example/token/hush-77/f.png", "https://a.example/token/removed/f.png"),
        ("https://a.example/AKIAABCDEFGHIJKLMNOP/f", "https://a.example/removed/f"),
        ("https://a.example/f?AKIAABCDEFGHIJKLMNOP", "https://a.example/f?removed"),
        ("https://a.example/f?v=eyJhbGciOiJI.eyJzdWIi.c2ln", "https://a.example/f"),
        (
            "https://a.example/?to=https%3A%2F%2Fann%3Ahush-77%40b.example%2Ff",
            "https://a.example/?to=https%3A%2F%2Fb.example%2Ff",
        ),
        ("img/f.png?password=hush-77", "img/f.png"),
        ("f.png?sig=hush-77", "f.png"),
        (
            "see https://ann:hush-77@a.example and (https://b.example?api_key=hush-77",
            "see https://a.example and (https://b.example",
        ),
    ],
)
def test_a_login_key_or_signature_is_removed_and_the_rest_of_the_address_stays(given: str, expected: str) -> None:
    assert without_secrets(given) == expected
    assert has_secrets(given)
    assert not has_secrets(expected)


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example:8080/f@2x.png?x=1&y=2#part",
        "https://[::1]:80/f@b",
        "https://a.example:80?mail=ann@b.example",
        "https://a.example//ann@b/c",
        "https://a.example/?key=figures/f-1.png&code=fig1",
        "https://a.example/?q=https%3A%2F%2Fb.example%2Fc&u=a%20b",
        "https://a.example/?page=2&tokens=3&token=",
        "https://a.example/@ann/post",
        "mailto:ann@b.example or ann@b.example",
        "file:///home/ann/f@2x.png",
        "C:/ann@home/f.png",
        "n=3;pass=1;sig=0.05 & token=a",
        "Is a > b? yes=1",
        "postgresql://ann:***@db.example/panelwise: the server cannot be reached",
        "",
    ],
)
def test_what_carries_no_secret_is_unchanged(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize("text", ["https://a?" + "a=b&" * 50_000, "//" * 100_000, "https://a:" * 20_000])
def test_long_texts_without_secrets_come_back_as_they_are(text: str) -> None:
    # A search that is not linear would never end here.
    assert without_secrets(text) == text


@pytest.mark.parametrize("login", ["ann:" + "x" * 4000, "ann:" + ":/" * 2000, "t" * 4000])
def test_a_long_login_goes(login: str) -> None:
    assert without_secrets(f"https://{login}@b.example/f.png") == "https://b.example/f.png"


def test_values_are_cleaned_at_every_depth() -> None:
    secret, plain = "https://ann:hush-77@a.example/", "https://a.example/"
    value = {"a": [secret, {"b": secret, secret: 1}], "c": (secret, None, 2.5, True)}
    assert shareable(value) == {"a": [plain, {"b": plain, plain: 1}], "c": (plain, None, 2.5, True)}


def test_a_figure_that_others_see_has_no_secret_and_keeps_its_caption() -> None:
    secret = "https://a.example/f.png?token=hush-77"
    caption = Caption.cut(f"From {secret}")
    figure = Figure("f", secret, 4, 3, caption, (secret,), secret, {"url": secret}, {"given_image": secret})
    seen = figure.shareable()
    assert (seen.image, seen.document, seen.references) == ("https://a.example/f.png",) * 2 + (
        ("https://a.example/f.png",),
    )
    assert (seen.source, seen.extra) == (
        {"url": "https://a.example/f.png"},
        {"given_image": "https://a.example/f.png"},
    )
    assert (seen.caption, seen.id) == (caption, "f")
    assert figure.extra["given_image"] == secret


def test_messages_name_addresses_without_secrets() -> None:
    error = FormatError("https://ann:hush-77@a.example/f: is no image; correct it")
    assert str(error) == one_line(error) == "https://a.example/f: is no image; correct it"
    assert HIDDEN not in one_line("could not fetch https://a.example/f?sig=hush-77")
