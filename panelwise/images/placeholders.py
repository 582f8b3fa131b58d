"""Placeholder images for figures without one, with the figure's id, so that people can look it up."""

from __future__ import annotations

from io import BytesIO

#: Default size in pixels.
WIDTH, HEIGHT = 800, 600

#: Key of `Figure.extra` that marks a placeholder image.
PLACEHOLDER = "placeholder"

_SAID = "no picture of this figure at hand"
_INK, _PAPER, _FRAME = "#333333", "#f4f4f2", "#b5b5b0"


def placeholder(figure_id: str, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """Return a PNG of that size with the figure's id, wrapped, and the remark that the image is missing."""
    from PIL import Image, ImageDraw, ImageFont

    size = width, height
    image = Image.new("RGB", size, _PAPER)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=_FRAME, width=max(1, min(size) // 150))
    large, small = (ImageFont.load_default(max(8, min(size) // part)) for part in (18, 30))
    room = size[0] * 0.86
    lines = [""]
    for character in "".join(each if each.isprintable() else " " for each in figure_id):
        if lines[-1] and pen.textlength(lines[-1] + character, font=large) > room:
            lines.append("")
        lines[-1] += character
    middle = size[0] / 2, size[1] / 2
    pen.multiline_text(middle, "\n".join(lines), fill=_INK, font=large, anchor="mm", align="center")
    below = middle[1] + (len(lines) / 2 + 1) * max(8, min(size) // 18) * 1.3
    pen.text((middle[0], below), _SAID, fill=_INK, font=small, anchor="mm")
    out = BytesIO()
    image.save(out, format="PNG")
    return out.getvalue()
