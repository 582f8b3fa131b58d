"""Panels of radiology and of other pictures that clinics take of the inside of people."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from panelwise_simulator.drawers.scans.emission import pet_scan
from panelwise_simulator.drawers.scans.films import chest_xray, limb_xray
from panelwise_simulator.drawers.scans.magnetic import mri_brain
from panelwise_simulator.drawers.scans.sections import ct_axial, ct_coronal
from panelwise_simulator.drawers.scans.ultrasound import ultrasound
from panelwise_simulator.drawers.scans.vessels import angiogram, fundus
from panelwise_simulator.kinds import Draw, Drawer, Kind

DRAWERS: tuple[Drawer, ...] = (
    Drawer("ct_axial", Kind.RADIOLOGY, ct_axial, (0.85, 1.6), dark=True),
    Drawer("ct_coronal", Kind.RADIOLOGY, ct_coronal, (0.65, 1.2), dark=True),
    Drawer("mri_brain", Kind.RADIOLOGY, mri_brain, (0.7, 1.25), dark=True),
    Drawer("chest_xray", Kind.RADIOLOGY, chest_xray, (0.8, 1.25), dark=True),
    Drawer("limb_xray", Kind.RADIOLOGY, limb_xray, (0.45, 1.1), dark=True),
    Drawer("ultrasound", Kind.RADIOLOGY, ultrasound, (1.0, 1.6), dark=True),
    Drawer("angiogram", Kind.RADIOLOGY, angiogram, (0.7, 1.4)),
    Drawer("pet_scan", Kind.RADIOLOGY, pet_scan, (0.45, 1.4), dark=True),
    Drawer("fundus", Kind.RADIOLOGY, fundus, (0.9, 1.35), dark=True),
)

#: Sets of drawings that show one subject in variants when each starts from the same state, by drawer.
SERIES: Mapping[str, tuple[tuple[Draw, ...], ...]] = {
    "ct_axial": (
        (partial(ct_axial, level=0.6, window="soft"), partial(ct_axial, level=0.6, window="lung")),
        (partial(ct_axial, level=0.55, nodule=True), partial(ct_axial, level=0.55, nodule=False)),
        tuple(partial(ct_axial, level=level, window="lung") for level in (0.7, 0.6, 0.52)),
        tuple(partial(ct_axial, level=level, window="soft") for level in (0.6, 0.4, 0.25, 0.1)),
    ),
    "ct_coronal": ((partial(ct_coronal, window="soft"), partial(ct_coronal, window="lung")),),
    "mri_brain": (
        tuple(partial(mri_brain, plane="axial", sequence=name) for name in ("t1", "t2", "flair", "dwi")),
        tuple(partial(mri_brain, sequence="t1c", plane=plane) for plane in ("axial", "coronal", "sagittal")),
        tuple(partial(mri_brain, plane="axial", sequence=name, lesion=True) for name in ("t1", "t1c")),
        tuple(partial(mri_brain, plane="axial", sequence="flair", lesion=sick) for sick in (True, False)),
    ),
    "chest_xray": (tuple(partial(chest_xray, lesion=sick) for sick in (True, False)),),
    "limb_xray": (tuple(partial(limb_xray, metal=metal) for metal in (False, True)),),
    "ultrasound": (tuple(partial(ultrasound, doppler=flow) for flow in (False, True)),),
    "angiogram": (tuple(partial(angiogram, phase=phase) for phase in (0.15, 0.5, 1.0)),),
    "pet_scan": (tuple(partial(pet_scan, lesion=sick) for sick in (True, False)),),
    "fundus": (tuple(partial(fundus, mode=mode) for mode in ("colour", "red_free", "angiography")),),
}
