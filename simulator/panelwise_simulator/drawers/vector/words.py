"""Names of measures, groups and scales as they stand on axes in several fields of science."""

from __future__ import annotations

#: Measure and the value that its axis about reaches.
MEASURES: tuple[tuple[str, float], ...] = (
    ("Relative mRNA expression", 4.0),
    ("Relative expression (fold)", 8.0),
    ("Cell viability (%)", 120.0),
    ("Tumour volume (mm^3~)", 2000.0),
    ("Body weight (g)", 40.0),
    ("IL-6 (pg/ml)", 600.0),
    ("TNF-α (pg/ml)", 250.0),
    ("Fluorescence (a.u.)", 5000.0),
    ("% of control", 160.0),
    ("Apoptotic cells (%)", 60.0),
    ("Migrated cells / field", 300.0),
    ("OD_600", 1.6),
    ("Absorbance (a.u.)", 1.2),
    ("Concentration (µM)", 50.0),
    ("Serum glucose (mg/dl)", 300.0),
    ("Systolic BP (mmHg)", 180.0),
    ("Body temperature (°C)", 45.0),
    ("Heart rate (bpm)", 200.0),
    ("Pain score (VAS)", 10.0),
    ("BMI (kg/m^2~)", 40.0),
    ("Ejection fraction (%)", 80.0),
    ("Reads (× 10^3~)", 40.0),
    ("Total RNA (ng per cell)", 3.0),
    ("LDH release (%)", 100.0),
    ("Colony number", 400.0),
    ("log_10 CFU/g", 9.0),
    ("Yield (%)", 100.0),
    ("Plant height (cm)", 90.0),
    ("Chlorophyll (mg g^−1~)", 3.0),
    ("Species richness", 40.0),
    ("Biomass (g m^−2~)", 800.0),
    ("Abundance (ind. m^−2~)", 60.0),
    ("Soil moisture (%)", 40.0),
    ("Dissolved O_2 (mg/l)", 14.0),
    ("Current density (mA cm^−2~)", 30.0),
    ("Voltage (V)", 2.0),
    ("Capacity (mAh g^−1~)", 1000.0),
    ("Efficiency (%)", 100.0),
    ("Conductivity (S/m)", 6.0),
    ("Stress (MPa)", 500.0),
    ("Particle size (nm)", 250.0),
    ("Zeta potential (mV)", 40.0),
    ("Accuracy (%)", 100.0),
    ("F1 score", 1.0),
    ("Validation loss", 2.5),
    ("Throughput (img/s)", 900.0),
    ("Firing rate (Hz)", 60.0),
    ("Reaction time (ms)", 900.0),
    ("ΔF/F_0 (%)", 150.0),
    ("Number of patients", 80.0),
    ("Prevalence (%)", 60.0),
    ("Mean score", 5.0),
    ("Count", 250.0),
    ("Proportion", 1.0),
)

#: What lies across where time passes, with the longest time.
TIMES: tuple[tuple[str, float], ...] = (
    ("Time (h)", 24.0), ("Time (h)", 48.0), ("Time (h)", 72.0), ("Time (min)", 60.0), ("Time (min)", 120.0),
    ("Time (s)", 300.0),
    ("Days", 14.0), ("Days post infection", 10.0), ("Days after injection", 28.0), ("Weeks", 12.0),
    ("Week", 24.0),
    ("Age (weeks)", 20.0), ("Cycle number", 100.0), ("Epoch", 50.0), ("Training steps (× 10^3~)", 200.0),
    ("Year", 10.0),
)  # fmt: skip

#: Groups that are compared, from the reference on.
GROUPS: tuple[tuple[str, ...], ...] = (
    ("Control", "Treated"), ("WT", "KO"), ("Sham", "MI"), ("Vehicle", "Drug"), ("Saline", "LPS"),
    ("Placebo", "Active"),
    ("Normal", "Tumour"), ("Male", "Female"), ("Young", "Aged"), ("siNC", "siRNA"), ("Mock", "Infected"),
    ("Ctrl", "Low", "Mid", "High"), ("WT", "Het", "KO"), ("WT", "KO", "Rescue"), ("siNC", "si-1", "si-2"),
    ("NC", "TGF-β", "TGF-β+Inh"), ("Sham", "I/R", "I/R+Tx"), ("DMSO", "1 µM", "5 µM", "10 µM"),
    ("Con", "20", "40", "80", "160"),
    ("0 h", "6 h", "12 h", "24 h"), ("0hr", "1hr", "24hr"), ("Stage I", "Stage II", "Stage III", "Stage IV"),
    ("Healthy", "Mild", "Severe"), ("T0", "T1", "T2", "T3"), ("Q1", "Q2", "Q3", "Q4"),
    ("Baseline", "Week 4", "Week 8", "Week 12"),
    ("HeLa", "A549", "MCF-7", "HepG2", "HCT116"), ("Liver", "Lung", "Heart", "Kidney", "Brain"),
    ("Cortex", "Striatum", "Cerebellum"),
    ("Spring", "Summer", "Autumn", "Winter"), ("Site 1", "Site 2", "Site 3", "Site 4", "Site 5"),
    ("Forest", "Meadow", "Wetland"),
    ("N0", "N50", "N100", "N150"), ("SVM", "RF", "CNN", "Ours"), ("ResNet", "ViT", "Swin", "Ours"),
    ("Baseline", "+Aug", "+Pretrain", "Full"),
    ("PBS", "IgG", "Anti-PD1", "Combo"), ("CD4", "CD8", "NK", "B cell", "Mono"),
    ("Ag", "FM", "BM", "PM", "Pt/C"),
    ("pH 5", "pH 6", "pH 7", "pH 8"), ("4 °C", "25 °C", "37 °C"), ("A", "B", "C", "D", "E"),
    ("I", "II", "III", "IV"),
    ("Group 1", "Group 2", "Group 3"), ("Sham", "SNI", "SNI+Veh", "SNI+Drug"),
    ("0", "0.1", "1", "10", "50", "100"),
)  # fmt: skip

#: Series that run beside each other in one plot.
SERIES: tuple[tuple[str, ...], ...] = (
    ("Control", "Treated"), ("WT", "Mutant", "Rescue"), ("WT", "KO"), ("Vehicle", "10 mg/kg", "30 mg/kg"),
    ("Saline", "Low dose", "High dose"),
    ("Placebo", "Drug A", "Drug B"), ("Observed", "Predicted"), ("Data", "Fit"), ("Train", "Validation"),
    ("Male", "Female"),
    ("Ours", "Baseline", "Random"), ("CNN", "LSTM", "Transformer"), ("2018", "2019", "2020"),
    ("0 mM", "1 mM", "5 mM", "10 mM"),
    ("Mock", "MOI 0.1", "MOI 1"), ("unif 1", "unif 2", "unif 3", "stereo"), ("shCtrl", "sh1", "sh2"),
    ("Model 1", "Model 2", "Model 3", "Model 4"),
    ("Low", "Medium", "High"), ("PBS", "TNF", "TNF + Cr"), ("25 °C", "30 °C", "37 °C"), ("N", "N+P", "N+P+K"),
    ("pH 5.5", "pH 7.4"),
)  # fmt: skip

#: Pairs of measures that are set against each other, with the values that the axes about reach.
PAIRS: tuple[tuple[str, float, str, float], ...] = (
    ("Tumour volume (cm^3~)", 10, "Serum marker (ng/ml)", 60), ("Age (years)", 90, "BMI (kg/m^2~)", 45),
    ("log_2 TPM (rep 1)", 15, "log_2 TPM (rep 2)", 15),
    ("True value", 1, "Predicted value", 1), ("Depth (m)", 60, "Temperature (°C)", 30),
    ("Body mass (g)", 50, "Metabolic rate (W)", 2),
    ("Recall", 1, "Precision", 1), ("Cell area (µm^2~)", 900, "Intensity (a.u.)", 4000),
    ("Leaf N (%)", 5, "A_max (µmol m^−2~ s^−1~)", 40),
    ("Connections", 400, "Synapse count", 500), ("Dose (Gy)", 8, "Foci per cell", 40),
    ("Gene expression", 12, "Methylation (β)", 1),
    ("Distance (km)", 120, "Genetic distance (F_ST)", 0.6), ("Molar mass (kDa)", 250, "R_g (nm)", 12),
    ("CRP (mg/l)", 150, "IL-6 (pg/ml)", 400),
    ("Parameters (M)", 300, "Top-1 accuracy (%)", 90), ("Delay (ms)", 40, "Amplitude (mV)", 1),
    ("Rainfall (mm)", 900, "NDVI", 1),
)  # fmt: skip

GENES: tuple[str, ...] = (
    "Actb", "Gapdh", "Tp53", "Myc", "Cdk4", "Egfr", "Vegfa", "Il6", "Tnf", "Stat3", "Cxcl10", "Ccl2", "Sox2",
    "Nanog", "Pou5f1", "Mki67",
    "Foxp3", "Gata3", "Bcl2", "Bax", "Casp3", "Hif1a", "Notch1", "Wnt5a", "Ctnnb1", "Snai1", "Cdh1", "Vim",
    "Col1a1", "Acta2", "Tgfb1",
    "Smad3", "Akt1", "Mtor", "Pten", "Kras", "Braf", "Erbb2", "Brca1", "Rb1", "Ifng", "Gzmb", "Prf1", "Lag3",
    "Pdcd1", "Ctla4",
)  # fmt: skip

SPECIES: tuple[str, ...] = (
    "E. coli", "S. aureus", "B. subtilis", "P. putida", "S. cerevisiae", "A. thaliana", "D. melanogaster",
    "C. elegans", "D. rerio",
    "M. musculus", "R. norvegicus", "H. sapiens", "X. laevis", "G. gallus", "O. sativa", "Z. mays",
    "L. gibbus", "P. areolatus",
)  # fmt: skip

TITLES: tuple[str, ...] = (
    "Day 7", "Day 14", "GLUT1", "Female", "Male", "Cohort 1", "Cohort 2", "Liver", "Spleen", "Active genes",
    "Silent genes", "HeLa", "A549",
    "Lot 1", "Lot 2", "Saline", "2 mg/kg", "Training set", "Test set", "TCGA", "All patients", "Cortex",
    "Striatum", "N = 24", "Simulation",
    "Data", "Site A", "Wet season", "Dry season", "Experiment 1", "Uniform", "Stereo", "Il6", "Vegfa",
    "p-AKT", "Radius of gyration", "CD4^+ T cells",
)  # fmt: skip
