"""Panels made of pixels: scans, stains, fields of cells, gels, photographs."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PIL import Image

from panelwise_simulator.drawers.laboratory import gels, histology, microscopy
from panelwise_simulator.drawers.photos import photographs
from panelwise_simulator.drawers.raster.marks import arrow, dashed_box, scale_bar
from panelwise_simulator.drawers.raster.shapes import branches
from panelwise_simulator.drawers.raster.textures import (
    blurred,
    cloud,
    coloured,
    dye,
    dyed,
    grain,
    grey,
    haze,
    palette,
    scatter,
    speckle,
    spread,
    stamps,
    streams,
    thinned,
)
from panelwise_simulator.drawers.scans import radiology
from panelwise_simulator.kinds import Draw, Drawer, Kind

#: Hundreds of drawings: seconds in all.
pytestmark = pytest.mark.slow

MODULES = (radiology, histology, microscopy, photographs, gels)
DRAWERS = [drawer for module in MODULES for drawer in module.DRAWERS]
SERIES = [(name, draws) for module in MODULES for name, sets in module.SERIES.items() for draws in sets]
EACH = pytest.mark.parametrize("drawer", DRAWERS, ids=lambda drawer: drawer.name)


def drawn(draw: Draw, seed: int, width: int = 160, height: int = 120) -> Image.Image:
    return draw(np.random.default_rng(seed), width, height)


def pixels(image: Image.Image) -> np.ndarray:
    return np.asarray(image, dtype=float)


def alike(a: Image.Image, b: Image.Image) -> float:
    """Correlation of the greys of two images."""
    return float(np.corrcoef(pixels(a.convert("L")).ravel(), pixels(b.convert("L")).ravel())[0, 1])


def test_every_drawer_that_captions_know_is_there_once() -> None:
    names = [drawer.name for drawer in DRAWERS]
    assert names == [
        "ct_axial", "ct_coronal", "mri_brain", "chest_xray", "limb_xray", "ultrasound", "angiogram", "pet_scan",
        "fundus", "tissue_stain", "tissue_close_up", "immunostain", "negative_control", "trichrome",
        "fluorescence", "fluorescence_merge", "electron_micrograph", "phase_contrast", "tissue_fluorescence",
        "skin_photo", "plant_photo", "specimen_photo", "petri_dish", "apparatus_photo", "landscape_photo",
        "leaf_photo", "immunoblot", "dna_gel", "dot_blot",
    ]  # fmt: skip
    assert {drawer.kind for drawer in DRAWERS} == {
        Kind.RADIOLOGY, Kind.HISTOLOGY, Kind.MICROSCOPY, Kind.PHOTOGRAPH, Kind.GEL
    }  # fmt: skip


@EACH
@pytest.mark.parametrize("size", [(48, 48), (49, 131), (211, 53), (253, 197)])
def test_a_panel_has_exactly_the_size_asked_for(drawer: Drawer, size: tuple[int, int]) -> None:
    for seed in range(4):
        image = drawn(drawer.draw, seed, *size)
        assert image.size == size
        assert image.mode == "RGB"


@EACH
def test_the_same_state_draws_the_same_bytes_and_another_does_not(drawer: Drawer) -> None:
    first = [drawn(drawer.draw, seed).tobytes() for seed in range(5)]
    assert first == [drawn(drawer.draw, seed).tobytes() for seed in range(5)]
    assert len(set(first)) == 5


@EACH
def test_dark_tells_the_truth_about_the_corner_that_letters_take(drawer: Drawer) -> None:
    greys = []
    for seed in range(12):
        corner = drawn(drawer.draw, seed, 300, 260).convert("L").crop((0, 0, 40, 36))
        greys.append(float(np.median(pixels(corner))))
    # A cell or a leaf may lie under the letter in some.
    right = [value < 110 if drawer.dark else value > 100 for value in greys]
    assert np.mean(right) >= 0.75, greys


@EACH
def test_paper_means_a_white_ground(drawer: Drawer) -> None:
    corners = [drawn(drawer.draw, seed, 300, 200).getpixel((1, 1)) for seed in range(4)]
    if drawer.paper:
        assert corners == [(255, 255, 255)] * 4
    assert 0.3 <= drawer.aspect[0] < drawer.aspect[1] <= 3


@EACH
def test_no_panel_is_empty(drawer: Drawer) -> None:
    spread_of_greys = [float(pixels(drawn(drawer.draw, seed, 240, 200)).std()) for seed in range(6)]
    assert min(spread_of_greys) > 3


@pytest.mark.parametrize(("name", "draws"), SERIES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(SERIES)])
def test_the_members_of_a_series_differ(name: str, draws: tuple[Draw, ...]) -> None:
    assert any(name == drawer.name for drawer in DRAWERS)
    assert len({drawn(draw, 3).tobytes() for draw in draws}) == len(draws) >= 2


def test_channels_of_a_field_add_up_to_its_merge() -> None:
    for seed in range(3):
        blue, green, red, merge = (
            pixels(drawn(partial(microscopy.fluorescence, channels=shown), seed, 200, 200))[:90, 60:140].sum(
                axis=2
            )
            for shown in ("b", "g", "r", "bgr")
        )
        total = blue + green + red
        assert np.corrcoef(total.ravel(), merge.ravel())[0, 1] > 0.8
        other = pixels(drawn(partial(microscopy.fluorescence, channels="bgr"), seed + 50, 200, 200))[:90, 60:140]
        assert np.corrcoef(total.ravel(), other.sum(axis=2).ravel())[0, 1] < 0.5


def test_windows_of_a_section_show_one_body() -> None:
    soft, bone = (
        drawn(partial(radiology.ct_axial, level=0.3, window=shown, nodule=False), 5) for shown in ("soft", "bone")
    )
    assert alike(soft, bone) > 0.8
    assert soft.tobytes() != bone.tobytes()


def test_sequences_show_one_head_in_other_greys() -> None:
    images = [
        drawn(partial(radiology.mri_brain, plane="axial", sequence=name), 4, 200, 220) for name in ("t1", "t2")
    ]
    outlines = [pixels(image.convert("L")) > 25 for image in images]
    shared = (outlines[0] & outlines[1]).sum() / (outlines[0] | outlines[1]).sum()
    assert shared > 0.75
    assert alike(*images) < 0.8


def test_a_nodule_is_pointed_at_and_an_absent_one_is_not() -> None:
    for draw in (partial(radiology.ct_axial, level=0.55, window="soft"), radiology.ct_coronal):
        with_it, without = (draw(np.random.default_rng(8), 300, 260, nodule=found) for found in (True, False))
        assert with_it.tobytes() != without.tobytes()
        assert alike(with_it, without) > 0.9


def test_an_immunostain_is_browner_the_more_cells_are_positive() -> None:
    def brown(image: Image.Image) -> float:
        part = pixels(image)[:60]
        return float((part[:, :, 0] - part[:, :, 2]).mean())

    for seed in range(3):
        tones = [brown(drawn(partial(histology.immunostain, positive=share), seed)) for share in (0.0, 0.4, 0.9)]
        assert tones == sorted(tones)
    assert brown(drawn(histology.negative_control, 1)) < 12


def test_a_magnified_stain_shows_fewer_larger_nuclei() -> None:
    def edges(image: Image.Image) -> float:
        field = pixels(image.convert("L"))
        return float(np.abs(np.diff(field, axis=1)).mean())

    low, high = (
        [
            edges(
                drawn(partial(histology.tissue_stain, magnification=power, architecture="sheet"), seed, 200, 160)
            )
            for seed in range(4)
        ]
        for power in (0.6, 3.0)
    )
    assert np.mean(low) > np.mean(high)


def test_a_blot_takes_its_lanes_and_rows_from_its_caller() -> None:
    plain = partial(gels.immunoblot, lanes=("Ctrl", "KD"), rows=(("Kinase-X", "62"), ("Actin", "42")))
    more = partial(
        gels.immunoblot, lanes=("Ctrl", "KD"), rows=(("Kinase-X", "62"), ("p-X", "62"), ("Actin", "42"))
    )
    ink = [(pixels(drawn(draw, 2, 300, 300)).min(axis=2) < 250).any(axis=1).sum() for draw in (plain, more)]
    assert ink[1] > ink[0]


def test_a_vessel_tree_fills_with_the_phase() -> None:
    dark = [
        float((pixels(drawn(partial(radiology.angiogram, phase=phase), 3)) < 90).sum())
        for phase in (0.05, 0.4, 1.0)
    ]
    assert dark == sorted(dark)


# ---- textures and marks ---------------------------------------------------------------------------


@pytest.mark.parametrize("make", [cloud, speckle])
def test_noise_has_mean_nought_and_spread_about_one(make: object) -> None:
    field = make(np.random.default_rng(0), 300, 200, 4.0)
    assert field.shape == (200, 300)
    assert abs(float(field.mean())) < 0.2
    assert 0.5 < float(field.std()) < 1.3


def test_smoother_noise_changes_less_from_pixel_to_pixel() -> None:
    steps = [
        float(np.abs(np.diff(cloud(np.random.default_rng(1), 300, 200, size))).mean())
        for size in (3.0, 10.0, 60.0)
    ]
    assert steps == sorted(steps, reverse=True)
    assert float(np.abs(np.diff(grain(np.random.default_rng(1), 300, 200))).mean()) > steps[0]


def test_octaves_roughen_noise() -> None:
    plain, rough = (haze(np.random.default_rng(2), 301, 199, 40.0, octaves=count) for count in (1, 3))
    assert plain.size == rough.size == (301, 199)
    steps = [float(np.abs(np.diff(pixels(image))).mean()) for image in (plain, rough)]
    assert steps[1] > steps[0]


def test_streams_do_not_depend_on_what_another_draws() -> None:
    first, second = streams(np.random.default_rng(3), 2)
    alone = second.random(5).tolist()
    first, second = streams(np.random.default_rng(3), 2)
    first.random(1000)
    assert second.random(5).tolist() == alone


def test_stamps_stay_where_they_are_set_down() -> None:
    rng = np.random.default_rng(0)
    field = np.zeros((60, 80), dtype=np.float32)
    scatter(field, stamps(rng, 3.0), np.array([[10.0, 79.0, 200.0], [20.0, 0.0, 30.0]]), rng, least=1.0)
    assert field[20, 10] > 0.5
    assert field[0, 79] > 0.5
    assert field[40:, :60].max() == 0
    before = field.copy()
    scatter(field, stamps(rng, 3.0), np.zeros((2, 0)), rng)
    assert np.array_equal(field, before)


def test_places_spread_over_the_panel_and_thin_out_with_the_density() -> None:
    rng = np.random.default_rng(0)
    places = spread(rng, 200, 100, 10.0)
    assert 200 <= places.shape[1] <= 400
    assert thinned(places, np.zeros((100, 200), dtype=np.float32), rng).shape == (2, 0)
    assert thinned(places, np.ones((100, 200), dtype=np.float32), rng).shape == places.shape


def test_branches_thin_out_from_the_trunk() -> None:
    lines = branches(np.random.default_rng(0), (0.0, 0.0), 0.0, 10.0, 2.0, depth=4)
    assert len(lines) == 15
    assert lines[0][0][0] == (0.0, 0.0)
    assert max(width for _, width in lines) == lines[0][1] == 2.0


def test_dyes_multiply_and_palettes_interpolate() -> None:
    empty, full = grey(np.zeros((2, 2), dtype=np.float32)), grey(np.full((2, 2), 255, dtype=np.float32))
    red = dye((200, 100, 100), 1.0)
    assert dyed((empty, red)).getpixel((0, 0)) == (255, 255, 255)
    assert dyed((full.copy(), red), (full.copy(), red)).getpixel((0, 0)) == (156, 39, 39)
    middle = coloured(
        grey(np.full((1, 1), 128, dtype=np.float32)), palette((0.0, (0, 0, 0)), (1.0, (255, 255, 255)))
    )
    assert middle.getpixel((0, 0)) == (128, 128, 128)


def test_blurring_keeps_the_size() -> None:
    image = drawn(histology.tissue_stain, 0, 77, 51)
    assert blurred(image, 3.3).size == image.size
    assert blurred(image, 1.0) is image


@pytest.mark.parametrize("style", ["line", "block", "head", "notched"])
def test_an_arrow_marks_its_tip_and_leaves_the_rest(style: str) -> None:
    image = Image.new("RGB", (200, 200))
    arrow(image, (0.5, 0.5), heading=0.0, style=style, outline=(255, 0, 0) if style == "block" else None)
    assert pixels(image)[95:106, 85:100].max() == 255
    assert pixels(image)[:, 110:].max() == 0


def test_marks_stay_inside_the_panel() -> None:
    image = Image.new("RGB", (200, 150))
    scale_bar(image, share=0.3, text="50 um")
    bottom = np.flatnonzero(pixels(image).max(axis=(1, 2)))
    assert bottom[0] > 100
    assert bottom[-1] < 149
    framed = Image.new("RGB", (200, 150))
    dashed_box(framed, (0.1, 0.2, 0.5, 0.6))
    assert framed.getpixel((20, 30)) == (255, 255, 255)
    assert framed.getpixel((60, 60)) == (0, 0, 0)
    dashed_box(framed, (0.6, 0.2, 0.9, 0.6), dash=0)
    assert all(framed.getpixel((x, 30)) == (255, 255, 255) for x in range(120, 181))


@pytest.mark.parametrize("subject", ["cell", "particles", "relief", "lattice"])
def test_electrons_show_every_subject(subject: str) -> None:
    images = [drawn(partial(microscopy.electron_micrograph, subject=subject), seed, 240, 200) for seed in range(4)]
    assert len({image.tobytes() for image in images}) == 4


def test_metal_shines_on_a_film() -> None:
    for seed in range(12):
        bare, mended = (drawn(partial(radiology.limb_xray, metal=metal), seed) for metal in (False, True))
        assert pixels(mended).mean() >= pixels(bare).mean() - 1
