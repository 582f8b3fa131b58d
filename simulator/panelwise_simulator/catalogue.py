"""All that panels of simulated figures can show, by name and by kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from panelwise_simulator.drawers.laboratory import gels, histology, microscopy
from panelwise_simulator.drawers.photos import photographs
from panelwise_simulator.drawers.plots import charts, curves, distributions, matrices
from panelwise_simulator.drawers.scans import radiology
from panelwise_simulator.drawers.schematics import diagrams, maps
from panelwise_simulator.kinds import Draw, Drawer, Kind

#: Every drawer by its name.
DRAWERS: Mapping[str, Drawer] = MappingProxyType(
    {
        drawer.name: drawer
        for drawers in (
            radiology.DRAWERS,
            histology.DRAWERS,
            microscopy.DRAWERS,
            photographs.DRAWERS,
            gels.DRAWERS,
            charts.DRAWERS,
            curves.DRAWERS,
            distributions.DRAWERS,
            matrices.DRAWERS,
            diagrams.DRAWERS,
            maps.DRAWERS,
        )
        for drawer in drawers
    }
)

#: Sets of drawings that show one subject in variants when each starts from the same state, by drawer.
SERIES: Mapping[str, tuple[tuple[Draw, ...], ...]] = MappingProxyType(
    {
        **radiology.SERIES,
        **histology.SERIES,
        **microscopy.SERIES,
        **photographs.SERIES,
        **gels.SERIES,
    }
)


def of_kind(kind: Kind) -> tuple[Drawer, ...]:
    """The drawers of one kind, in the order of the catalogue."""
    return tuple(drawer for drawer in DRAWERS.values() if drawer.kind is kind)
