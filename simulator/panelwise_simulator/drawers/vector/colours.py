"""Colour maps of heat maps and densities."""

from __future__ import annotations

import numpy as np

from panelwise_simulator.drawers.vector.glyphs import Array


def _table(*stops: str) -> Array:
    """256 colours through evenly spaced stops."""
    points = np.array([[int(stop[place : place + 2], 16) for place in (0, 2, 4)] for stop in stops], dtype=float)
    at = np.linspace(0, len(stops) - 1, 256)
    return np.stack(
        [np.interp(at, np.arange(len(stops)), points[:, channel]) for channel in range(3)], axis=1
    ).astype(np.uint8)


VIRIDIS = _table("440154", "3B528B", "21918C", "5EC962", "FDE725")
MAGMA = _table("000004", "51127C", "B73779", "FC8961", "FCFDBF")
JET = _table("000083", "0000FF", "00FFFF", "80FF80", "FFFF00", "FF0000", "800000")
PARULA = _table("352A87", "0F5CDD", "1481D6", "06A4CA", "2EB7A4", "87BF77", "D1BB59", "FEC832", "F9FB0E")
BLUES = _table("F7FBFF", "C6DBEF", "6BAED6", "2171B5", "08306B")
REDS = _table("FFF5F0", "FCBBA1", "FB6A4A", "CB181D", "67000D")
GREENS = _table("F7FCF5", "C7E9C0", "74C476", "238B45", "00441B")
HEAT = _table("FFFFFF", "FFFFCC", "FED976", "FD8D3C", "E31A1C", "800026")
GREY = _table("000000", "FFFFFF")
BLUE_RED = _table("2166AC", "92C5DE", "F7F7F7", "F4A582", "B2182B")
BLUE_WHITE_RED = _table("0000FF", "FFFFFF", "FF0000")
GREEN_RED = _table("00FF00", "000000", "FF0000")
BLUE_YELLOW = _table("0000FF", "000000", "FFFF00")
TERRAIN = _table("333399", "0099CC", "33CC66", "FFFF99", "997755", "FFFFFF")

#: From low to high, and those with a middle.
SEQUENTIAL = (VIRIDIS, MAGMA, JET, PARULA, BLUES, REDS, GREENS, HEAT, GREY)
DIVERGING = (BLUE_RED, BLUE_WHITE_RED, GREEN_RED, BLUE_YELLOW, BLUE_RED, BLUE_WHITE_RED)


def colour_map(table: Array, values: Array) -> Array:
    """Colours of values in [0, 1] (clipped); shape of the values and 3."""
    return table[(np.clip(values, 0.0, 1.0) * 255).astype(np.uint8)]
