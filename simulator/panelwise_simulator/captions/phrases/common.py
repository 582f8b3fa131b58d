"""Words that all domains share, and what makes up a domain."""

from __future__ import annotations

from dataclasses import dataclass

from panelwise_simulator.captions.phrases.language import Words, words


@dataclass(frozen=True, slots=True)
class Domain:
    """words: for `{name}`; axes: for `{@name}`; abbreviations: as "ABA, abscisic acid"; methods: sentences."""

    words: Words
    axes: Words
    abbreviations: tuple[str, ...]


#: Axes whose items keep their order when a few of them are taken.
ORDERED = frozenset({"time", "dose", "plane", "phase", "power", "year", "stage", "size"})

_GENES = words(
    "SIRT6; KLF4; TET2; ATG7; MYO5B; CDK12; RAB11A; PTPN22; SOX17; FOXM1; YAP1; NRF2; DDX21; HNRNPK; LMNB1; TFEB; "
    "PARP3; USP28; TRIM33; ZEB1; CXCR4; MALAT1; GATA6; NOTCH2; BRD9; KDM5C; SMAD3; PINK1; VPS35; STK11"
)
_CODES = words(
    "{AZ|GX|LY|NVP|SB|TK|BX|CPI}-{#1100-9890/10}; {AZ|GX|LY|TK}{#21-988}; {ral|tov|bem|dor|lan|mor}{a|i|o}"
    "{ci|fe|sta|me|ro}{tinib|nib|stat|mab|zole|parib}"
)

COMMON: dict[str, tuple[str, ...]] = {
    "n": words("{#3-12}; {#3-6}; {#20-96}; {#110-860}"),
    "few": words("two; three; four; five; six"),
    "p": words("0.05; 0.01; 0.001"),
    "colour": words("red; blue; green; yellow; orange; purple; grey; black; magenta; cyan"),
    "dye": words("DAPI; Hoechst 33342; propidium iodide; phalloidin; calcein-AM"),
    "arrow": words(
        "arrow; arrows; white arrow; black arrows; arrowhead; arrowheads; red arrow; yellow arrows; asterisk"
    ),
    "crop": words("tomato; maize; oak; wheat; Arabidopsis; birch; grapevine; lettuce"),
    "size": words("{#5-90/5} nm; {#1-40} µm; {#.2-.9} µm; {#100-800/50} nm"),
    "side": words("left; right"),
    "strong": words("strong; weak; diffuse; focal; patchy; intense; faint; moderate"),
    "clear": words("clear; marked; slight; modest; substantial; pronounced; gradual; sharp"),
    "representative": words("representative; typical; exemplary; selected"),
    "test": words(
        "one-way ANOVA; two-way ANOVA; Student's t-test; unpaired t-test; Mann–Whitney U test; Tukey's HSD test; "
        "Kruskal–Wallis test; Wilcoxon rank-sum test; Dunnett's test; Fisher's LSD test; Welch's t-test; "
        "log-rank test"
    ),
    "gene": _GENES,
    "compound": _CODES,
    "organ": words("liver; kidney; lung; brain; spleen; pancreas; heart; thyroid; colon; stomach; adrenal gland"),
    "disease": words(
        "hepatocellular carcinoma; chronic kidney disease; pulmonary sarcoidosis; renal cell carcinoma; "
        "ulcerative "
        "colitis; multiple sclerosis; rheumatoid arthritis; type 2 diabetes; heart failure; "
        "community-acquired pneumonia"
    ),
    "patient": words(
        "a {#19-84}-year-old {man|woman|male patient|female patient}; a {#3-17}-year-old {boy|girl}; "
        "a {middle-aged|young|previously healthy} {man|woman}; the patient; our patient; a {#45-81}-year-old "
        "smoker"
    ),
    "lesion": words(
        "mass; nodule; cystic lesion; solid lesion; tumour; abscess; haematoma; metastasis; fluid collection; "
        "calcified lesion; lobulated mass; infiltrate; soft-tissue mass"
    ),
    "extent": words("{#.6-9.8} cm; {#6-48} mm; {#12-45} × {#8-30} mm; {#2-9} × {#2-7} cm"),
    "vessel": words(
        "middle cerebral artery; left anterior descending artery; renal artery; superior mesenteric artery; "
        "internal carotid artery; hepatic artery; popliteal artery; splenic artery; basilar artery"
    ),
    "bone": words(
        "distal radius; proximal femur; tibia; left knee; right ankle; scaphoid; humerus; pelvis; fibula"
    ),
    "stain": words(
        "haematoxylin and eosin; periodic acid–Schiff; Masson's trichrome; Sirius red; toluidine blue; Oil Red O; "
        "Giemsa; Congo red; Alcian blue; Perls' Prussian blue"
    ),
    "species": words(
        "Quercus robur; Parus major; Daphnia magna; Bombus terrestris; Salmo trutta; Carabus violaceus"
    ),
    "place": words(
        "the northern plain; the upper catchment; Lake Norde; the Varga valley; the coastal belt; the Solen Bay; "
        "the eastern highlands; the Marren estuary; the Tiral basin; the study region"
    ),
    "ladder": words("molecular weight marker; 100 bp ladder; 1 kb ladder; size marker; DNA ladder"),
    "antigen": words(
        "CD3; CD34; Ki-67; p53; vimentin; S100; CK7; CD68; SMA; caspase-3; HIF-1α; VEGF; PCNA; {gene}"
    ),
    "lens": words("×{40|100|200|400}; {40|100|200|400}×; original magnification ×{100|200|400}"),
    "software": words("R version 3.6.1; GraphPad Prism 8; MATLAB R2019b; ImageJ; Python; SPSS 25; Origin 2018"),
}

COMMON_AXES: dict[str, tuple[str, ...]] = {
    "plane": words("axial; coronal; sagittal"),
    "phase": words("unenhanced; arterial; portal venous; delayed"),
    "sequence": words(
        "T1-weighted; T2-weighted; FLAIR; diffusion-weighted; contrast-enhanced T1-weighted; gradient-echo; STIR; "
        "proton density-weighted; susceptibility-weighted"
    ),
    "view": words("anteroposterior; lateral; oblique; axial"),
    "visit": words(
        "at presentation; on day {#2-9}; {#2-5} weeks after surgery; at the {#3-11}-month follow-up; "
        "{#2-4} years later; before treatment; immediately after the intervention"
    ),
    "power": words("low; medium; high"),
    "stain": words(
        "haematoxylin and eosin; Masson's trichrome; periodic acid–Schiff; Sirius red; reticulin; Alcian "
        "blue; Giemsa; "
        "Congo red; elastic van Gieson; toluidine blue"
    ),
    "side": words("left; right"),
    "antigen": words(
        "CD3; CD20; CD34; CD31; Ki-67; p53; vimentin; desmin; S100; synaptophysin; chromogranin A; CK7; CK20; "
        "CD68; E-cadherin; SMA; HMB-45; TTF-1; PAX8; CD45"
    ),
    "channel": words(
        "DAPI; GFP; phalloidin; α-tubulin; mCherry; Tomm20; LAMP1; calnexin; GM130; F-actin; VE-cadherin"
    ),
    "size": words("10 nm; 20 nm; 50 nm; 100 nm; 200 nm; 500 nm"),
    "group": words("controls; the treated group; the untreated group; the combination group; the placebo group"),
    "time": words("0 h; 6 h; 12 h; 24 h; 48 h; 72 h; 7 days; 14 days; 21 days"),
    "dose": words("0.1 µM; 0.5 µM; 1 µM; 5 µM; 10 µM; 25 µM; 50 µM; 100 µM"),
    "stage": words("baseline; week 4; week 8; month 6; month 12"),
    "year": words("{#1988-1994}; {#1998-2003}; {#2006-2009}; {#2011-2013}; {#2015-2016}; {#2017-2019}"),
    "model": words(
        "the linear model; the random forest; the gradient-boosted trees; the support vector machine; the neural "
        "network; logistic regression; the baseline; the ensemble; k-nearest neighbours"
    ),
}
