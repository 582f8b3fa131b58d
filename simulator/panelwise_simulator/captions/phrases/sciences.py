"""Words of the other sciences, see `phrases_words`."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.common import Domain
from panelwise_simulator.captions.phrases.language import words

MATERIALS = Domain(
    {
        "alloy": words(
            "Ti-6Al-4V; AlSi10Mg; 316L steel; Inconel 718; Mg-{#2-9}Gd; high-entropy alloy; Cu-{#2-9}Sn; "
            "ZrO2; TiO2; "
            "MoS2; graphene oxide; Fe3O4; CuO; LiFePO4; MAPbI3; BiVO4; hydroxyapatite; PLA/{clay|chitosan}"
        ),
        "subject": words(
            "microstructure of {alloy}; {alloy} after {treatment}; {alloy} "
            "{films|powders|coatings|composites}; the fracture "
            "of {alloy}; corrosion of {alloy}; {alloy} electrodes; synthesis of {alloy}"
        ),
        "sample": words(
            "{alloy}; {alloy} {films|powder|coatings}; the as-built sample; the composite; the fracture surface"
        ),
        "cohort": words("{n} specimens; the annealed samples; all compositions; the as-built samples"),
        "treatment": words(
            "annealing at {#300-1100/50} °C; hot rolling; ball milling; ageing; acid etching; sintering"
        ),
        "measure": words("hardness; tensile strength; specific capacitance; grain size; porosity; conductivity"),
        "gene": words("{alloy}"),
        "compound": words("{ethanol|urea|citric acid|KOH|PVP|hydrazine}"),
    },
    {
        "group": words(
            "the as-cast sample; the annealed sample; the doped sample; the reference; the {#1-9} wt% "
            "composite; the rolled "
            "sheet; the aged alloy; the bare electrode; the coated electrode"
        ),
        "measure": words(
            "hardness; ultimate tensile strength; specific capacitance; grain size; porosity; electrical "
            "conductivity; "
            "elongation; wear rate; corrosion current; Young's modulus; thermal conductivity; contact angle"
        ),
        "site": words(
            "the surface layer; the cross-section; the weld zone; the heat-affected zone; the base metal; "
            "the coating"
        ),
        "marker": words("Ti; Al; O; Fe; Cu; Ni; C; Si; Mg; V; Cr; N; Mo; S"),
        "time": words("1 h; 2 h; 4 h; 8 h; 12 h; 24 h; 48 h"),
        "dose": words("0.5 wt%; 1 wt%; 2 wt%; 5 wt%; 10 wt%"),
        "stage": words("200 °C; 300 °C; 400 °C; 500 °C; 600 °C; 800 °C; 1000 °C"),
    },
    words(
        "SEM, scanning electron microscopy; TEM, transmission electron microscopy; XRD, X-ray diffraction; EDS, "
        "energy-dispersive spectroscopy; HAZ, heat-affected zone; UTS, ultimate tensile strength; GO, "
        "graphene oxide; "
        "CV, cyclic voltammetry; RT, room temperature; BSE, back-scattered electrons; EBSD, electron "
        "backscatter diffraction"
    ),
)

ECOLOGY = Domain(
    {
        "habitat": words(
            "beech forest; salt marsh; alpine meadow; coral reef; boreal lake; savanna; heathland; peatland; "
            "seagrass bed; headwater stream; olive grove; grassland"
        ),
        "subject": words(
            "{species} in {place}; {species} along a gradient of {gradient}; species richness of {habitat}; "
            "the diet of "
            "{species}; {habitat} communities under {treatment}; seasonal dynamics of {species}; soil carbon "
            "in {habitat}"
        ),
        "gradient": words(
            "elevation; rainfall; salinity; land use; grazing; temperature; urbanisation; canopy cover"
        ),
        "sample": words(
            "{habitat} plots; soil cores; {species}; sediment; water samples; pitfall traps; leaf litter"
        ),
        "cohort": words(
            "{n} sites; all transects; {n} tagged individuals; the sampled populations; {habitat} communities"
        ),
        "treatment": words("grazing; warming; nitrogen addition; logging; drought; fire; mowing; restoration"),
        "measure": words("species richness; biomass; soil moisture; abundance; nest survival; body length; cover"),
        "crop": words("oak; beech; seagrass; heather; birch; reed; orchid; fern"),
        "organ": words("leaf; fruit; root; seed; flower"),
    },
    {
        "group": words(
            "grazed plots; ungrazed plots; logged stands; primary forest; urban sites; rural sites; burned plots; "
            "restored wetlands; adult females; juveniles; the warmed plots"
        ),
        "measure": words(
            "species richness; aboveground biomass; soil moisture; abundance; nest survival; body length; "
            "canopy cover; "
            "Shannon diversity; litter depth; chlorophyll content; water temperature; dissolved oxygen; home "
            "range size"
        ),
        "site": words(
            "the northern site; the southern site; upstream reaches; downstream reaches; the forest edge; the "
            "interior; the littoral zone; the floodplain"
        ),
        "marker": words("{species}; {~species}; {~species}; {~species}; {~species}; {~species}; {~species}"),
        "time": words("week 1; week 2; week 4; week 8; week 12; week 20"),
        "dose": words("0 kg N ha−1; 50 kg N ha−1; 100 kg N ha−1; 200 kg N ha−1"),
        "stage": words("dawn; noon; dusk; midnight"),
    },
    words(
        "SLA, specific leaf area; DBH, diameter at breast height; NMDS, non-metric multidimensional scaling; "
        "a.s.l., above "
        "sea level; CI, confidence interval; GLMM, generalised linear mixed model; SOC, soil organic carbon; "
        "NDVI, normalised difference vegetation index; CPUE, catch per unit effort"
    ),
)

LEARNING = Domain(
    {
        "network": words(
            "{Res|Dense|Mobile|Efficient|Seg|Point|Graph}Net{|-18|-50|-B3}; the {proposed|baseline} "
            "{network_kind}; "
            "{U|V}-Net; the student network"
        ),
        "network_kind": words("CNN; transformer; LSTM; autoencoder; GAN; classifier; graph network"),
        "dataset": words(
            "CIFAR-{10|100}; {MNIST|ImageNet|Cora|Kaggle DR|KITTI}; our {training|validation|test} set; the "
            "{held-out|external} cohort; the {public|in-house} dataset"
        ),
        "subject": words(
            "{network} on {dataset}; classification with {network}; the effect of {treatment} on {network}; "
            "training of "
            "{network}; segmentation of the {organ} with {network}; robustness of {network} to {noise|label "
            "errors|blur}"
        ),
        "sample": words(
            "{dataset}; test images; the embedding; held-out samples; synthetic data; the {organ} images"
        ),
        "cohort": words("{dataset}; {n} test images; five random seeds; all classes; the external test set"),
        "treatment": words(
            "data augmentation; dropout; transfer learning; label smoothing; pruning; fine-tuning; quantisation"
        ),
        "measure": words(
            "accuracy; validation loss; Dice score; AUC; F1 score; inference time; calibration error"
        ),
        "gene": words("{network}"),
        "compound": words("{data augmentation|fine-tuning|distillation|regularisation}"),
    },
    {
        "group": words(
            "{network}; the baseline; the ensemble; the ablated model; the fine-tuned model; the model "
            "trained from scratch; "
            "the teacher; human readers; the quantised model"
        ),
        "measure": words(
            "accuracy; validation loss; Dice score; AUC; F1 score; inference time; expected calibration "
            "error; recall; "
            "precision; mean absolute error; training loss; gradient norm"
        ),
        "site": words("the first layer; the encoder; the decoder; the last layer; the bottleneck; the test set"),
        "marker": words("class 1; class 2; class 3; background; foreground; class 4"),
        "time": words("epoch 1; epoch 10; epoch 50; epoch 100; epoch 200"),
        "dose": words("1% of the labels; 5% of the labels; 10% of the labels; 50% of the labels; all labels"),
    },
    words(
        "AUC, area under the curve; CNN, convolutional neural network; ROC, receiver operating "
        "characteristic; FPR, false "
        "positive rate; TPR, true positive rate; MAE, mean absolute error; t-SNE, t-distributed stochastic "
        "neighbour "
        "embedding; SVM, support vector machine; GAN, generative adversarial network"
    ),
)

PHYSICS = Domain(
    {
        "device": words(
            "cavity; waveguide; quantum dot; laser; resonator; metasurface; photodetector; plasma jet; membrane; "
            "Josephson junction; transistor; pendulum; microfluidic channel; optical trap"
        ),
        "subject": words(
            "the {device} at {temperature}; modes of the {device}; noise in the {device}; the response of "
            "the {device} to "
            "{treatment}; simulation of the {device}; a tunable {device}; heat transport in the {device}"
        ),
        "temperature": words("{#2-77} K; room temperature; {#10-300/10} mK; cryogenic temperature"),
        "sample": words(
            "the {device}; the bare {device}; the thin film; the sample; the simulated {device}; the chip"
        ),
        "cohort": words("{n} devices; all runs; the ensemble; {n} realisations; the simulated trajectories"),
        "treatment": words(
            "optical pumping; field cycling; cooling; driving; gating; heating; irradiation; poling"
        ),
        "measure": words(
            "transmission; linewidth; photocurrent; resistance; phase shift; flow velocity; quality factor"
        ),
        "gene": words("the {device}"),
        "compound": words("{SiO2|argon|GaAs|silicon nitride|water}"),
    },
    {
        "group": words(
            "the experiment; the simulation; the analytical model; the coupled {device}; the uncoupled "
            "{device}; the "
            "reference {device}; TE polarisation; TM polarisation; the damped system"
        ),
        "measure": words(
            "transmission; linewidth; photocurrent; resistance; phase shift; flow velocity; quality factor; "
            "drift; "
            "temperature; field amplitude; noise power; pressure; reflectance; displacement"
        ),
        "site": words(
            "the near field; the far field; the inlet region; the outlet region; the boundary layer; the "
            "centre of the {device}"
        ),
        "marker": words("mode 1; mode 2; mode 3; mode 4; the ground state; the excited state"),
        "time": words("0 ms; 5 ms; 10 ms; 20 ms; 50 ms; 100 ms; 200 ms"),
        "dose": words("0.1 T; 0.5 T; 1 T; 2 T; 5 T; 9 T"),
        "stage": words("4 K; 10 K; 50 K; 77 K; 150 K; 300 K"),
    },
    words(
        "FWHM, full width at half maximum; SNR, signal-to-noise ratio; a.u., arbitrary units; FFT, fast "
        "Fourier transform; "
        "CW, continuous wave; FEM, finite element method; PSD, power spectral density; rms, root mean square; "
        "DC, direct current; QD, quantum dot"
    ),
)

CHEMISTRY = Domain(
    {
        "analyte": words(
            "caffeine; quercetin; bisphenol A; glyphosate; rutin; dopamine; tetracycline; ochratoxin A; "
            "methylene blue; ascorbic acid; curcumin; Pb2+; nitrate; vanillin"
        ),
        "compound": words(
            "{analyte}; compound {#1-9}{|a|b}; complex {#1-6}; ligand L{#1-4}; the {Cu|Zn|Ru|Pd} complex"
        ),
        "subject": words(
            "{analyte} in {sample}; the determination of {analyte}; adsorption of {analyte}; degradation of "
            "{analyte}; "
            "stability of {compound}; binding of {compound} to {albumin|DNA|lysozyme}; extraction of "
            "{analyte} from {sample}"
        ),
        "sample": words(
            "green tea; river water; human urine; wine; olive oil; honey; soil extracts; phosphate buffer; milk"
        ),
        "cohort": words("spiked samples; {n} batches; standards; all extracts; replicate injections"),
        "treatment": words(
            "acidification; heating; UV irradiation; sonication; salt addition; {analyte}; freeze-drying"
        ),
        "measure": words(
            "absorbance; recovery; peak area; yield; adsorption capacity; current response; fluorescence"
        ),
        "gene": words("{compound}"),
    },
    {
        "group": words(
            "the blank; standards; spiked samples; the free ligand; the complex; extracts; the irradiated "
            "solution; "
            "the imprinted polymer; the non-imprinted polymer"
        ),
        "measure": words(
            "absorbance; recovery; peak area; yield; adsorption capacity; current response; fluorescence; "
            "retention time; "
            "removal efficiency; antioxidant capacity; viscosity; particle size; zeta potential"
        ),
        "site": words(
            "the organic phase; the aqueous phase; the headspace; the residue; the supernatant; the pellet"
        ),
        "marker": words("{analyte}; {~analyte}; {~analyte}; gallic acid; catechin; {~analyte}; ferulic acid"),
        "time": words("0 min; 5 min; 15 min; 30 min; 60 min; 120 min"),
        "dose": words("0.1 mM; 0.5 mM; 1 mM; 2 mM; 5 mM; 10 mM"),
        "stage": words("pH 3; pH 5; pH 7; pH 9; pH 11"),
    },
    words(
        "HPLC, high-performance liquid chromatography; LOD, limit of detection; LOQ, limit of quantification; UV, "
        "ultraviolet; FTIR, Fourier transform infrared; DPPH, 2,2-diphenyl-1-picrylhydrazyl; RSD, relative "
        "standard "
        "deviation; NMR, nuclear magnetic resonance; MIP, molecularly imprinted polymer; IS, internal standard"
    ),
)

EPIDEMIOLOGY = Domain(
    {
        "disease": words(
            "malaria; dengue; measles; influenza; tuberculosis; obesity; asthma; hypertension; type 2 diabetes; "
            "COVID-19; depression; childhood stunting; Lyme disease; anaemia"
        ),
        "country": words(
            "Malawi; Norway; Peru; Vietnam; Portugal; Ghana; Japan; Scotland; Bangladesh; Chile; Kenya; Austria"
        ),
        "place": words(
            "{country}; northern {country}; {n} districts of {country}; rural {country}; the study area"
        ),
        "subject": words(
            "{disease} in {country}; incidence of {disease}; risk factors of {disease}; {treatment} and "
            "{disease} in {cohort}; "
            "mortality from {disease}; screening for {disease}; the burden of {disease}"
        ),
        "sample": words("participants; the cohort; household members; survey respondents; registered patients"),
        "cohort": words(
            "{children|adolescents|pregnant women|older adults|men|women|workers|adults}; the cohort; participants"
        ),
        "treatment": words(
            "vaccination; bed nets; smoking; physical activity; breastfeeding; supplementation; counselling"
        ),
        "measure": words(
            "incidence; prevalence; body mass index; mortality; antibody titre; vaccination coverage"
        ),
        "organ": words("lung; liver; heart; brain; kidney"),
        "species": words("Anopheles gambiae; Aedes aegypti; Ixodes ricinus; Culex pipiens"),
    },
    {
        "group": words(
            "men; women; children under five; adults over 65; smokers; never-smokers; urban households; "
            "rural households; "
            "the intervention arm; the control arm; vaccinated participants; unvaccinated participants"
        ),
        "measure": words(
            "incidence; prevalence; body mass index; mortality; antibody titre; vaccination coverage; "
            "hospital admissions; "
            "test positivity; the reproduction number; life expectancy; sleep duration; fasting glucose; "
            "blood pressure"
        ),
        "site": words(
            "the capital; the coastal districts; the highlands; rural clinics; urban clinics; the border region"
        ),
        "marker": words("IgG; IgM; HbA1c; ferritin; LDL cholesterol; cotinine; vitamin D; CRP"),
        "dose": words("low exposure; intermediate exposure; high exposure"),
    },
    words(
        "CI, confidence interval; OR, odds ratio; RR, relative risk; BMI, body mass index; IQR, "
        "interquartile range; HR, hazard "
        "ratio; ITN, insecticide-treated net; SES, socioeconomic status; PCR, polymerase chain reaction; "
        "DALY, disability-adjusted life year"
    ),
)
