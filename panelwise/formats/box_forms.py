"""The forms in which programs write a box: the order of its four numbers and their unit.

Where a file does not say it, the form is the one in which its boxes fit their images. A file whose boxes fit in
two is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median

from panelwise.domain.box import Corners
from panelwise.domain.errors import FormatError

_ORDERS: dict[str, Callable[[float, float, float, float], Corners]] = {
    "xyxy": lambda x0, y0, x1, y1: (x0, y0, x1, y1),
    "xywh": lambda x, y, width, height: (x, y, x + width, y + height),
    "cxcywh": lambda x, y, width, height: (x - width / 2, y - height / 2, x + width / 2, y + height / 2),
    "yxyx": lambda y0, x0, y1, x1: (x0, y0, x1, y1),
}
#: The length of an image's side in each unit; 0 for pixels.
_UNITS = {"pixels": 0.0, "1": 1.0, "100": 100.0, "1000": 1000.0}
#: The part of a side by which a box may leave the image.
_SLACK = 0.01
#: Boxes that may not fit, of all: they are damaged, or a model's own.
_MISFITS = 0.05
#: Boxes of whole figures reach far: they have no form in which they reach less than this part of what they reach
#: in another.
_REACH = 0.8
#: Pixels by which two forms differ at most where they give the same boxes.
_SAME = 1.0


@dataclass(frozen=True, slots=True)
class BoxForm:
    """One form. order: of the numbers; xyxy, xywh, cxcywh (its middle first) or yxyx. unit: pixels, or the length
    of each side of the image in it.
    """

    order: str
    unit: str

    def __str__(self) -> str:
        return f"{self.order}-{self.unit}"

    def corners(self, numbers: Sequence[float], size: tuple[int, int]) -> Corners:
        """Return the corners in pixels of an image of this width and height."""
        x0, y0, x1, y1 = _ORDERS[self.order](*numbers)
        side = _UNITS[self.unit]
        across, down = (size[0] / side, size[1] / side) if side else (1.0, 1.0)
        return x0 * across, y0 * down, x1 * across, y1 * down


BOX_FORMS = tuple(BoxForm(order, unit) for order, unit in product(_ORDERS, _UNITS))
#: Forms that are tried. yxyx mirrors xyxy, and nothing but a key or an option tells one from the other.
GUESSED = tuple(form for form in BOX_FORMS if form.order != "yxyx")
#: Numbers of one figure's boxes, and the width and height of its image.
Drawing = tuple[Sequence[Sequence[float]], tuple[int, int]]


def form_named(name: str) -> BoxForm:
    """Return the form of a name such as "xyxy-pixels"; KeyError without one."""
    return {str(form): form for form in BOX_FORMS}[name]


def form_of(where: object, drawings: Sequence[Drawing], forms: Collection[BoxForm]) -> BoxForm:
    """Return the only one of `forms` in which the boxes fit their images.

    where: for messages. Forms that give the same boxes are one. Raises FormatError if none or several fit.
    """
    if len(forms) == 1:
        return next(iter(forms))
    reaches = {form: _reach(drawings, form) for form in forms}
    farthest = max(reaches.values())
    possible = [form for form, reach in reaches.items() if reach and reach >= _REACH * farthest]
    if not possible:
        tried = ", ".join(map(str, forms))
        raise FormatError(f"{where}: the boxes fit their images in none of {tried}; say their form with --boxes")
    first, *others = possible
    if different := [form for form in others if not _same(drawings, first, form)]:
        raise FormatError(
            f"{where}: the boxes may be {' or '.join(map(str, (first, *different)))}; say which with --boxes"
        )
    return first


def _reach(drawings: Sequence[Drawing], form: BoxForm) -> float:
    """Return which part of each side the boxes of most figures reach; 0 if they do not fit their images."""
    misfits = total = 0
    right, low = list[float](), list[float]()
    for boxes, (width, height) in drawings:
        inside = list[Corners]()
        for numbers in boxes:
            x0, y0, x1, y1 = form.corners(numbers, (width, height))
            left, top, right_side, bottom = x0 / width, y0 / height, x1 / width, y1 / height
            if -_SLACK <= left < right_side <= 1.0 + _SLACK and -_SLACK <= top < bottom <= 1.0 + _SLACK:
                inside.append((left, top, right_side, bottom))
        total, misfits = total + len(boxes), misfits + len(boxes) - len(inside)
        if inside:
            right.append(max(share[2] for share in inside))
            low.append(max(share[3] for share in inside))
    return min(median(right), median(low)) if right and misfits <= _MISFITS * total else 0.0


def _same(drawings: Sequence[Drawing], one: BoxForm, other: BoxForm) -> bool:
    return all(
        abs(a - b) <= _SAME
        for boxes, size in drawings
        for numbers in boxes
        for a, b in zip(one.corners(numbers, size), other.corners(numbers, size), strict=True)
    )
