"""Generated captions and images: boxes inside the image, spans on token boundaries, the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import OrderedDict
from io import BytesIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from prelabel_cases import captions, images

from panelwise.domain.annotation import check_subfigures
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Line, Problems, encode_line
from panelwise.formats.annotations import prediction_of, prediction_record
from prelabel.captions.parser import ParsedCaption, parse_caption
from prelabel.classic.prelabeller import ClassicPrelabeller


def check(caption: Caption, parsed: ParsedCaption) -> None:
    """Raise AssertionError unless labels and tokens hang together and spans lie on the tokens' bounds."""
    assert len(set(parsed.labels)) == len(parsed.labels) != 1
    assert {label for label, _ in parsed.layout} <= set(parsed.labels)
    assert set(parsed.tokens) == set(parsed.labels)
    assert all(parsed.labels)
    assert 0.0 <= parsed.confidence <= 1.0
    starts, ends = {token.start for token in caption.tokens}, {token.end for token in caption.tokens}
    for tokens in parsed.tokens.values():
        for span in caption.spans_of(tokens):
            assert 0 <= span.start < span.end <= len(caption.text)
            assert span.start in starts
            assert span.end in ends
        assert caption.tokens_in(caption.spans_of(tokens)) == tokens


@given(captions)
def test_every_caption_is_read_the_same_way_each_time_on_token_boundaries(text: str) -> None:
    caption = Caption.cut(text)
    parsed = parse_caption(caption)
    check(caption, parsed)
    assert parse_caption(text) == parsed == parse_caption(Caption.cut(text))


@given(captions, st.data())
def test_given_tokens_are_kept_to(text: str, data: st.DataObject) -> None:
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=20)))
    caption = Caption.of_ranges(text, tuple(zip(bounds[::2], bounds[1::2], strict=False)))
    check(caption, parse_caption(caption))


@given(images(), captions)
def test_every_figure_gets_boxes_inside_it_the_same_each_time(image: Image.Image, text: str) -> None:
    figure = Figure("f", "f.png", image.width, image.height, Caption.cut(text))
    before = image.tobytes()
    found = ClassicPrelabeller().predict(figure, image)
    check_subfigures(figure, found.subfigures)
    assert found.subfigures
    labels = [each.label for each in found.subfigures]
    assert len(set(labels)) == len(labels)
    for each in found.subfigures:
        assert 0.0 <= each.box.x0 < each.box.x1 <= figure.width
        assert 0.0 <= each.box.y0 < each.box.y1 <= figure.height
    assert all(0.0 <= score <= 1.0 for score in found.scores)
    assert image.tobytes() == before
    assert ClassicPrelabeller().predict(figure, image.copy()) == found


@given(images(), captions)
def test_what_is_written_of_a_prediction_is_read_back(image: Image.Image, text: str) -> None:
    figure = Figure("f", "f.png", image.width, image.height, Caption.cut(text))
    found = ClassicPrelabeller().predict(figure, image)
    problems = Problems()
    record = msgspec.json.decode(encode_line(prediction_record(found)))
    back = prediction_of(Line("x:1", record), OrderedDict(), problems)
    assert not problems.count
    assert (back.subfigures, back.scores) == (found.subfigures, found.scores)


@given(images())
def test_an_image_in_a_file_gives_what_it_gives_in_memory(image: Image.Image) -> None:
    out = BytesIO()
    image.convert("RGB").save(out, "PNG")
    figure = Figure("f", "f.png", image.width, image.height, Caption.cut("(A) One. (B) Two."))
    opened = Image.open(BytesIO(out.getvalue()))
    model = ClassicPrelabeller()
    assert model.predict(figure, opened) == model.predict(figure, image.convert("RGB"))


@pytest.mark.slow
def test_the_order_of_sets_does_not_reach_the_result() -> None:
    """Python orders sets of texts anew in each process, by a seed of its own."""
    code = (
        "from PIL import Image, ImageDraw\n"
        "from panelwise.domain.caption import Caption\n"
        "from panelwise.domain.figure import Figure\n"
        "from panelwise.formats.annotations import prediction_record\n"
        "from prelabel.classic.prelabeller import CLASSIC\n"
        "image = Image.new('RGB', (600, 400), 'white')\n"
        "for place in range(6):\n"
        "    left, top = place % 3 * 200 + 10, place // 3 * 200 + 10\n"
        "    ImageDraw.Draw(image).rectangle((left, top, left + 170, top + 170), fill=(40 * place, 90, 60))\n"
        "for text in ('Lungs. (A-C) Top row. (D, F) Left and right; P < 0.05 (B). (E) Scale bar.',\n"
        "             'Left, a; b, c.',\n"
        "             'A1 and A2, mice; Bi-Biii, rats (upper left).', 'Top row: mice. Bottom row: rats.'):\n"
        "    print(prediction_record(CLASSIC.predict(Figure('f', '', 600, 400, Caption.cut(text)), image)))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(found) == 1
