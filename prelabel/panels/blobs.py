"""Connected shapes of a mask: their rectangles, found from runs along rows, which are far fewer than pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from prelabel.panels.canvas import Mask


def blob_rects(mask: Mask) -> NDArray[np.int64]:
    """The rectangles of shapes connected along rows and columns, in no particular order.

    mask: (height, width). Returns (shapes, 4): x0, y0, x1, y1, half open.
    """
    height, width = mask.shape
    line = width + 1
    # One column of nothing keeps runs of neighbouring rows apart.
    flat = np.zeros(height * line + 1, dtype=np.bool_)
    flat[1:].reshape(height, line)[:, :width] = mask
    edges = (flat[1:] != flat[:-1]).nonzero()[0]
    starts, stops = edges[::2], edges[1::2]
    if not len(starts):
        return np.zeros((0, 4), dtype=np.int64)
    # The runs of the row below that touch a run are neighbours in the list of all.
    low = np.searchsorted(stops, starts + line, side="right")
    high = np.maximum(np.searchsorted(starts, stops + line, side="left"), low)
    links = high - low
    bounds = np.concatenate([[0], np.cumsum(links)])
    touched = np.arange(bounds[-1]) - np.repeat(bounds[:-1] - low, links)
    graph = csr_array((np.ones(len(touched), dtype=np.int8), touched, bounds), shape=(len(starts), len(starts)))
    count, owner = connected_components(graph, directed=False)
    rows, first = np.divmod(starts, line)
    last = stops - rows * line
    order = np.argsort(owner, kind="stable")
    begins = np.searchsorted(owner[order], np.arange(count))
    return np.stack(
        [
            np.minimum.reduceat(first[order], begins),
            np.minimum.reduceat(rows[order], begins),
            np.maximum.reduceat(last[order], begins),
            np.maximum.reduceat(rows[order], begins) + 1,
        ],
        axis=1,
    )
