"""A language model that reads captions, played by a server on loopback that gives every kind of bad answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from assistant_cases import GOOD, KEY, TEXT, Answer, quoted, replied
from builders import a_figure, a_subfigure
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Problems
from prelabel.assistant.answers import messages, read_answer
from prelabel.assistant.assisted import AssistedEngine, packaged_prompt
from prelabel.assistant.server import ATTEMPTS, ChatServer, RequestRefused

CAPTION = Caption.cut(TEXT)


class Fixed:
    """An engine with one prediction, of two panels without words."""

    version = "classic-3"

    def __init__(self, image: Path, score: float = 0.2) -> None:
        figure = a_figure("f1", caption=TEXT, width=200, height=100)
        boxes = (
            a_subfigure("A", box=(0, 0, 100, 100), tokens=()),
            a_subfigure("B", box=(100, 0, 200, 100), tokens=()),
        )
        self.prediction = Prediction(figure, self.version, boxes, (0.9, score))
        self.slots = [(figure, image)]

    def run(self, slots: Any, problems: Problems) -> Iterator[list[Prediction]]:
        assert list(slots) == self.slots
        yield [self.prediction]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "f.png"
    Image.new("RGB", (200, 100), "white").save(path)
    return path


def run(inner: Fixed, url: str, folder: Path, **options: Any) -> tuple[Prediction, AssistedEngine, Problems]:
    problems = Problems()
    server = ChatServer(url, "tiny", key=KEY, first_wait=0.0)
    engine = AssistedEngine(inner, server, folder / "answers", prompt=packaged_prompt(), **options)
    ((found,),) = engine.run(inner.slots, problems)
    return found, engine, problems


def words(found: Prediction) -> list[str]:
    caption = found.figure.caption
    return [" ".join(caption.words[token] for token in sorted(each.subcaption)) for each in found.subfigures]


def test_an_uncertain_figure_gets_the_words_that_the_model_quotes(served, image: Path, tmp_path: Path) -> None:
    app, url = served(replied(GOOD))
    inner = Fixed(image)
    found, engine, problems = run(inner, url, tmp_path)
    assert words(found) == ["Left lung , 😀 before", "Right lung"]
    assert found.scores == inner.prediction.scores
    assert [each.box for each in found.subfigures] == [each.box for each in inner.prediction.subfigures]
    assert found.model_version == engine.version
    assert engine.version.startswith("classic-3+tiny-")
    assert engine.tally.describe() == "assistant: asked about 1 of 1 figure"
    assert problems.count == 0
    (asked,) = app.asked
    assert (asked["model"], asked["temperature"]) == ("tiny", 0)
    assert asked["response_format"]["type"] == "json_schema"
    told = json.loads(asked["messages"][1]["content"])
    assert told["caption"] == TEXT
    assert told["panels"][1] == {"label": "B", "box": [0.5, 0.0, 1.0, 1.0]}
    assert app.keys == [f"Bearer {KEY}"]


def test_no_question_is_asked_twice_but_another_prompt_or_the_image_makes_another_one(
    served, image: Path, tmp_path: Path
) -> None:
    app, url = served(replied(GOOD))
    first, _, _ = run(Fixed(image), url, tmp_path)
    again, engine, _ = run(Fixed(image), url, tmp_path)
    assert again.subfigures == first.subfigures
    assert len(app.asked) == 1
    assert "1 answer from earlier runs" in engine.tally.describe()
    _, seeing, _ = run(Fixed(image), url, tmp_path, images=True)
    assert len(app.asked) == 2
    assert app.asked[1]["messages"][1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert seeing.version != engine.version
    kept = [path.read_text("utf-8") for path in (tmp_path / "answers").iterdir()]
    assert kept == [GOOD, GOOD]


def test_certain_figures_are_left_as_they_are_and_nobody_is_asked(served, image: Path, tmp_path: Path) -> None:
    app, url = served(replied(GOOD))
    found, engine, _ = run(Fixed(image, score=0.85), url, tmp_path)
    assert words(found) == ["", ""]
    assert app.asked == []
    assert engine.tally.describe() == "assistant: asked about 0 of 1 figure"
    asked, _, _ = run(Fixed(image, score=0.85), url, tmp_path, below=0.9)
    assert words(asked)[1] == "Right lung"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Here is the JSON: {}",
        "[]",
        '{"panels": 3}',
        '{"panels": [{"label": "A"}]}',
        '{"panels": [{"label": "A", "quotes": ["x"], "note": "mine"}]}',
        '{"panels": [{"label": "A", "quotes": [1]}]}',
        "[" * 100_000,
        GOOD[:-3],
    ],
)
def test_an_answer_of_another_form_changes_nothing_and_is_counted(
    text: str, served, image: Path, tmp_path: Path
) -> None:
    _, url = served(replied(text))
    found, engine, problems = run(Fixed(image), url, tmp_path)
    assert words(found) == ["", ""]
    assert engine.tally.describe() == "assistant: asked about 1 of 1 figure (1 answer of no use)"
    assert problems.count == 0
    assert "its text stays as it was" in problems.notes[0]
    assert not (tmp_path / "answers").exists()


@pytest.mark.parametrize(
    "answer",
    [
        ("200 OK", [], b"<html>"),
        ("200 OK", [], b'{"choices": []}'),
        ("200 OK", [], b'{"\xff": []}'),
        ("200 OK", [], b'{"choices": [{"message": {"content": null}}]}'),
        ("200 OK", [], b" " * (2 << 20)),
        ("400 Bad Request", [], b'{"error": "context length"}'),
    ],
)
def test_what_the_server_refuses_or_garbles_concerns_that_figure_alone(
    answer: Answer, served, image: Path, tmp_path: Path
) -> None:
    _, url = served(answer)
    _, engine, _ = run(Fixed(image), url, tmp_path)
    assert engine.tally.unusable == 1


def test_a_busy_server_is_asked_again(served, image: Path, tmp_path: Path) -> None:
    busy: Answer = ("429 Too Many Requests", [("Retry-After", "0")], b"")
    app, url = served(busy, ("503 Service Unavailable", [], b""), replied(GOOD))
    found, _, _ = run(Fixed(image), url, tmp_path)
    assert words(found)[1] == "Right lung"
    assert len(app.asked) == 3


def test_a_server_that_stays_busy_or_is_gone_ends_the_run_with_one_line(
    served, image: Path, tmp_path: Path
) -> None:
    app, url = served(("500 Oops", [], b""))
    with pytest.raises(AnnotatorError, match=rf"HTTP 500\), {ATTEMPTS} times in a row; start the server"):
        run(Fixed(image), url, tmp_path)
    assert len(app.asked) == ATTEMPTS
    with pytest.raises(AnnotatorError, match="no server answers"):
        run(Fixed(image), "http://127.0.0.1:9/v1", tmp_path)


@pytest.mark.parametrize(
    ("status", "match"),
    [
        ("401 Unauthorized", "refuses the key"),
        ("404 Not Found", r'chat/completions for model "tiny"'),
        ("302 Found", "chat/completions"),
    ],
)
def test_a_wrong_key_model_or_address_ends_the_run_at_once_and_the_key_is_not_shown(
    status: str, match: str, served, image: Path, tmp_path: Path
) -> None:
    app, url = served((status, [("Location", "http://127.0.0.1:9/")], b""))
    with pytest.raises(AnnotatorError, match=match) as caught:
        run(Fixed(image), url, tmp_path)
    assert KEY not in str(caught.value)
    assert len(app.asked) == 1


def test_the_limit_of_requests_ends_the_run(served) -> None:
    _, url = served(replied(GOOD))
    server = ChatServer(url, "tiny", most=2)
    assert [server.answer([]), server.answer([])] == [GOOD, GOOD]
    with pytest.raises(AnnotatorError, match="2 requests were made, the limit of --assistant-limit"):
        server.answer([])
    server.close()


@pytest.mark.parametrize(
    ("url", "key", "match"),
    [
        ("localhost:8000", "", "is no address of a server"),
        ("ftp://x/v1", "", "is no address of a server"),
        ("http://[::1", "", "is no address of a server"),
        ("http://me:word@x/v1", "", "leave the password out"),
        ("http://x/v1", "a b", "has blanks or odd characters"),
    ],
)
def test_what_is_no_address_or_key_is_refused_before_anything_is_asked(url: str, key: str, match: str) -> None:
    with pytest.raises(AnnotatorError, match=match) as caught:
        ChatServer(url, "tiny", key=key)
    assert "word" not in str(caught.value).replace("password", "")


def test_quotes_count_only_where_the_caption_has_them_character_by_character() -> None:
    text = quoted(A=["left lung", "Left lung", ""], C=["Bars"], B=["Right  lung", "lung"])
    found = read_answer(text, CAPTION, ["A", "B"])
    assert found.refused == 4
    assert {label: [CAPTION.words[token] for token in sorted(ids)] for label, ids in found.tokens.items()} == {
        "A": ["Left", "lung"],
        "B": ["lung"],
    }
    # Said twice, a word is looked for after the panel's quote before it.
    twice = read_answer(quoted(B=["(B)", "lung"]), CAPTION, ["B"]).tokens["B"]
    assert TEXT[CAPTION.ranges[max(twice)][0] :].startswith("lung. Bars")


@given(st.lists(st.tuples(st.sampled_from("ABCx"), st.lists(st.text(max_size=8) | st.just("lung"), max_size=4))))
def test_no_answer_brings_in_a_character_that_the_caption_does_not_have(panels) -> None:
    text = json.dumps({"panels": [{"label": label, "quotes": quotes} for label, quotes in panels]})
    found = read_answer(text, CAPTION, ["A", "B", "C"])
    assert set(found.tokens) <= {"A", "B", "C"}
    assert all(ids <= set(range(len(CAPTION.words))) for ids in found.tokens.values())


@given(st.text(max_size=200))
def test_what_is_no_json_is_one_error(text: str) -> None:
    with pytest.raises(FormatError, match="the JSON that was asked for"):
        read_answer(f"{text}]", CAPTION, ["A"])


def test_a_large_image_is_sent_small() -> None:
    figure = a_figure("f1", caption=TEXT, width=4000, height=100)
    sent = messages(figure, (), "prompt", Image.new("RGB", (4000, 100)))[1]["content"][1]["image_url"]["url"]
    assert len(sent) < 2000


def test_a_refused_request_is_an_error_of_its_own() -> None:
    assert issubclass(RequestRefused, AnnotatorError)
