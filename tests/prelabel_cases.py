"""Captions and images as chance makes them, near enough to real ones to reach every rule of the pre-labeller."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from PIL import Image

LABELS = [
    "A", "B", "C", "D", "E", "a", "b", "c", "d", "e", "Z", "α", "é", "i", "ii", "iii", "iv", "v", "I", "II", "V",
    "A1", "A2", "A3", "A12", "Ai", "Aii", "Bii", "B′", "A'", "A''", "C″", "1", "2", "3", "12", "60",
    "β", "А", "Б", "а", "б", "أ", "Ａ",
]  # fmt: skip
_label = st.sampled_from(LABELS)
_joint = st.sampled_from(
    [", ", " and ", "-", "–", "—", " to ", " through ", ",", ", and ", "/", " & ", "; ", "~", " y ", " и ", " or "]
)
_list = st.lists(st.tuples(_label, _joint), min_size=1, max_size=5).map(
    lambda parts: "".join(label + joint for label, joint in parts[:-1]) + parts[-1][0]
)
_marker = st.tuples(
    _list,
    st.sampled_from(
        [
            "({})", "({}", "{})", "{}.", "{}:", "[{}]", "{},", "{}", "panel {}", "((({}", "（{}）", "'{}'", "{} |",
            "{}=", "In {},", "Fig. 2{}.", "{}；", "Row {}:", "({}.)", "{}. elegans", "{}. F. Smith", "{}, e.g.",
        ]
    ),
).map(lambda drawn: drawn[1].format(drawn[0]))  # fmt: skip
_phrase = st.sampled_from(
    [
        "Left lung", "right panels", "on the left", "top row", "mean ± SEM", "P < 0.05", "n = 5", "column",
        "Scale bar, 10 µm", "control", "Bars:",
        "as in (A)", "Fig. 1", "Data information:", "😀", "e.g.", "vs.", "\n", "  ", "upper and lower",
        "respectively", "see text;", "左肺", "e\u0301", "\u00a0", "\t", "(arrow)", "Error bars", "0.5",
        "C. elegans", "E. coli", "J. F. Smith", "i.e.", "group", "vitamin", "day", "10 h", "before and after",
        "rows:", "columns:", "胚胎。", "Рис. 1", "علاج", "\u202e", "\x00", "see https://doi.org/10.1/x",
    ]
)  # fmt: skip
captions = st.one_of(
    st.text(max_size=120),
    st.tuples(
        st.sampled_from([" ", " ", ""]),
        st.lists(st.one_of(_marker, _phrase, st.sampled_from([". ", "; ", " ", ", ", ": "])), max_size=40),
    ).map(lambda drawn: drawn[0].join(drawn[1])),
)


@st.composite
def images(draw: st.DrawFn) -> Image.Image:
    """Rectangles of even or noisy grey and colour on an even ground: gutters, seams, frames, or none of these."""
    width, height = draw(st.integers(1, 240)), draw(st.integers(1, 240))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pixels = np.empty((height, width, 3), dtype=np.uint8)
    pixels[:] = draw(st.sampled_from([(255, 255, 255), (0, 0, 0), (127, 127, 127), (230, 240, 250)]))
    for _ in range(draw(st.integers(0, 7))):
        x0, y0 = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
        x1, y1 = draw(st.integers(x0 + 1, width)), draw(st.integers(y0 + 1, height))
        if draw(st.booleans()):
            pixels[y0:y1, x0:x1] = draw(st.tuples(*[st.integers(0, 255)] * 3))
        else:
            pixels[y0:y1, x0:x1] = rng.integers(0, 256, (y1 - y0, x1 - x0, 3))
    image = Image.fromarray(pixels)
    mode = draw(st.sampled_from(["RGB", "RGB", "L", "1", "P", "RGBA", "LA", "CMYK"]))
    if mode != "RGB":
        image = image.convert(mode)
    if mode in ("RGBA", "LA") and draw(st.booleans()):
        image.putalpha(draw(st.integers(0, 255)))
    return image
