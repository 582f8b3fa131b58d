"""Words of the life sciences, so that the panels of a figure speak of one thing."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.common import Domain
from panelwise_simulator.captions.phrases.language import words

CLINIC = Domain(
    {
        "subject": words(
            "{disease} in {patient}; an unusual {organ} {lesion}; {lesion} of the {organ}; recurrent {disease}; "
            "postoperative {lesion} of the {organ}; incidental {lesion} of the {organ}"
        ),
        "sample": words("the {organ}; the resected {organ}; the biopsy; the {lesion}; serum of patients"),
        "cohort": words("patients with {disease}; {n} consecutive patients; the study population; outpatients"),
        "treatment": words(
            "surgery; embolisation; steroid therapy; antibiotic therapy; stenting; {compound}; drainage"
        ),
        "measure": words(
            "serum creatinine; C-reactive protein; ejection fraction; lesion volume; pain score; albumin"
        ),
    },
    {
        "group": words(
            "responders; non-responders; healthy controls; patients with relapse; patients on dialysis; "
            "older patients; "
            "patients without comorbidity; the surgical group; the conservative group"
        ),
        "measure": words(
            "serum creatinine; C-reactive protein; ejection fraction; lesion volume; pain score; serum albumin; "
            "length of stay; systolic blood pressure; haemoglobin; bilirubin"
        ),
        "site": words(
            "the {upper|lower} pole; the hilum; the capsule; the parenchyma; the adjacent tissue; the cortex"
        ),
        "marker": words("CRP; IL-6; troponin; ferritin; procalcitonin; D-dimer; NT-proBNP; cystatin C"),
        "dose": words("low dose; intermediate dose; high dose"),
    },
    words(
        "CT, computed tomography; MRI, magnetic resonance imaging; CRP, C-reactive protein; CI, confidence "
        "interval; "
        "IQR, interquartile range; HR, hazard ratio; LV, left ventricle; RV, right ventricle; ROI, region of "
        "interest; "
        "SUV, standardised uptake value; OS, overall survival; BMI, body mass index; ICU, intensive care unit"
    ),
)

ONCOLOGY = Domain(
    {
        "subject": words(
            "{gene} in {disease}; {gene} expression and outcome in {disease}; the response of {disease} to "
            "{compound}; "
            "loss of {gene} in {sample}; tumour growth after {gene} depletion; the immune infiltrate of {disease}"
        ),
        "disease": words(
            "lung adenocarcinoma; breast cancer; colorectal cancer; glioblastoma; pancreatic cancer; "
            "melanoma; gastric "
            "cancer; prostate cancer; ovarian cancer; hepatocellular carcinoma; bladder cancer; neuroblastoma"
        ),
        "sample": words(
            "A549 cells; MCF-7 cells; HCT116 cells; HeLa cells; U87 cells; xenograft tumours; tumour organoids; "
            "primary tumours; PC-3 cells; MDA-MB-231 cells; tumour sections"
        ),
        "cohort": words(
            "patients with {disease}; the TCGA cohort; the validation cohort; nude mice; tumour-bearing mice"
        ),
        "treatment": words(
            "{compound}; {gene} knockdown; cisplatin; irradiation; si{gene}; {compound} and irradiation"
        ),
        "measure": words("tumour volume; cell viability; apoptosis; colony number; {gene} mRNA; cell migration"),
    },
    {
        "group": words(
            "control cells; {gene}-depleted cells; cells overexpressing {gene}; cells treated with {compound}; "
            "resistant clones; parental cells; rescued cells; shRNA-2 cells"
        ),
        "measure": words(
            "tumour volume; cell viability; apoptosis; colony number; {gene} mRNA; migrated cells; body weight; "
            "caspase-3 activity; invasion; sphere formation; lactate production"
        ),
        "site": words("the tumour centre; the invasive front; the adjacent normal tissue; lymph node metastases"),
        "marker": words(
            "{gene}; cleaved PARP; p-AKT; AKT; p-ERK; cyclin D1; BCL-2; E-cadherin; N-cadherin; γH2AX; p21"
        ),
    },
    words(
        "OS, overall survival; DFS, disease-free survival; HR, hazard ratio; IHC, immunohistochemistry; NC, "
        "negative "
        "control; shRNA, short hairpin RNA; CI, confidence interval; FC, fold change; TMA, tissue microarray; "
        "IC50, half-maximal inhibitory concentration; DMSO, dimethyl sulfoxide; OE, overexpression"
    ),
)

PLANT = Domain(
    {
        "gene": words(
            "{Os|Ta|At|Zm|Sl|Bn|Gm}{NAC|WRKY|MYB|bZIP|DREB|ERF|HAK|NRT|PIP|SWEET|CIPK|bHLH}{#2-88}; "
            "{Os|Zm|Ta}{SPL|GRF|ARF|CKX}{#2-19}"
        ),
        "crop": words(
            "rice; maize; wheat; tomato; Arabidopsis; soybean; barley; cotton; rapeseed; potato; sorghum"
        ),
        "stress": words(
            "drought; salt stress; cold; heat; low nitrogen; phosphate starvation; cadmium; flooding; shade"
        ),
        "subject": words(
            "{gene} in {crop}; {crop} under {stress}; the response of {crop} to {stress}; tolerance of "
            "{gene} plants to "
            "{stress}; {gene} expression in {crop}; root growth of {crop} under {stress}"
        ),
        "sample": words(
            "{crop} seedlings; {crop} roots; {crop} leaves; the third leaf; mature grains; root tips; flag leaves"
        ),
        "cohort": words(
            "{crop} seedlings; transgenic lines; {n} accessions; field-grown {crop}; the RIL population"
        ),
        "treatment": words(
            "{stress}; abscisic acid; 150 mM NaCl; 20% PEG6000; {#10-200/10} µM CdCl2; brassinolide"
        ),
        "measure": words(
            "plant height; root length; chlorophyll content; grain yield; proline content; fresh weight"
        ),
        "disease": words("leaf rust; powdery mildew; sheath blight; bacterial wilt; late blight; grey mould"),
        "organ": words("leaf; root; stem; flower; spikelet; internode; petiole; cotyledon"),
        "organism": words("{crop}"),
    },
    {
        "group": words(
            "the wild type; the {gene} mutant; the overexpression line OE-{#1-4}; the complemented line; the "
            "RNAi line; "
            "the tolerant cultivar; the susceptible cultivar; the F2 plants; the OE-{#5-9} line"
        ),
        "measure": words(
            "plant height; root length; chlorophyll content; grain yield; proline content; fresh weight; "
            "shoot dry weight; "
            "tiller number; thousand-grain weight; malondialdehyde content; stomatal conductance; water loss; "
            "survival rate; superoxide dismutase activity; K+ content; Na+ content"
        ),
        "site": words(
            "roots; stems; flag leaves; young panicles; leaf sheaths; mature seeds; cotyledons; root hairs"
        ),
        "marker": words("{gene}; {~gene}; RbcL; HSP70; {~gene}; RD29A; P5CS1; actin; PsbA; {~gene}"),
        "stage": words(
            "the seedling stage; the tillering stage; the booting stage; the heading stage; the "
            "grain-filling stage; "
            "maturity"
        ),
        "time": words("0 d; 1 d; 3 d; 5 d; 7 d; 10 d; 14 d; 21 d"),
        "dose": words("0 mM NaCl; 50 mM NaCl; 100 mM NaCl; 150 mM NaCl; 200 mM NaCl"),
    },
    words(
        "WT, wild type; OE, overexpression; ABA, abscisic acid; FW, fresh weight; DW, dry weight; DAG, days after "
        "germination; DAS, days after sowing; MDA, malondialdehyde; SOD, superoxide dismutase; CK, control; "
        "QTL, quantitative trait locus; DEG, differentially expressed gene; PEG, polyethylene glycol"
    ),
)

NEURO = Domain(
    {
        "region": words(
            "CA1; the dentate gyrus; V1; the striatum; the amygdala; barrel cortex; the cerebellum; mPFC; the VTA"
        ),
        "subject": words(
            "{gene} in neurons of {region}; spine density after {gene} deletion; population activity in {region}; "
            "sensory responses in {region}; plasticity in {region}; the input of {region}; microglia in {region}"
        ),
        "sample": words(
            "slices of {region}; cortical neurons; hippocampal cultures; brain sections; pyramidal cells; "
            "astrocytes"
        ),
        "cohort": words(
            "{n} mice; awake mice; {n} participants; adult rats; {n} recorded units; zebrafish larvae"
        ),
        "treatment": words(
            "CNO; muscimol; optogenetic stimulation; {compound}; TTX; sensory deprivation; ketamine"
        ),
        "measure": words("firing rate; EPSC amplitude; spine density; reaction time; ΔF/F; freezing; theta power"),
        "organ": words("brain; spinal cord; hippocampus; retina; cortex"),
        "disease": words(
            "Alzheimer's disease; Parkinson's disease; epilepsy; ischaemic stroke; multiple sclerosis"
        ),
    },
    {
        "group": words(
            "control mice; {gene} knockout mice; saline-injected mice; ChR2-expressing mice; aged mice; "
            "young mice; "
            "heterozygous littermates; sham-operated animals"
        ),
        "measure": words(
            "firing rate; EPSC amplitude; spine density; reaction time; the mean ΔF/F; time spent freezing; "
            "theta power; "
            "distance travelled; input resistance; paired-pulse ratio; dendritic length; response latency"
        ),
        "site": words(
            "{region}; layer 2/3; layer 5; the thalamus; the olfactory bulb; the hypothalamus; the brainstem"
        ),
        "marker": words(
            "GFAP; Iba1; NeuN; c-Fos; PSD-95; parvalbumin; MAP2; synapsin-1; {gene}; GAD67; tau; VGLUT1"
        ),
        "time": words("P7; P14; P21; P30; P60; P90"),
        "dose": words("10 µM; 50 µM; 100 µM; 200 µM"),
    },
    words(
        "EPSC, excitatory postsynaptic current; KO, knockout; WT, wild type; CNO, clozapine N-oxide; LFP, "
        "local field "
        "potential; ROI, region of interest; s.e.m., standard error of the mean; AP, action potential; PV, "
        "parvalbumin; "
        "EEG, electroencephalogram; ChR2, channelrhodopsin-2; TTX, tetrodotoxin"
    ),
)

CELL = Domain(
    {
        "subject": words(
            "{gene} at the {mitochondria|Golgi apparatus|plasma membrane|centrosome|nuclear envelope}; loss "
            "of {gene} in "
            "{sample}; the interaction of {gene} with {~gene}; {gene}-dependent {autophagy|cell migration|mitosis|"
            "endocytosis|secretion}; phosphorylation of {gene}; turnover of {gene}"
        ),
        "sample": words(
            "HEK293T cells; HeLa cells; U2OS cells; mouse embryonic fibroblasts; RPE-1 cells; COS-7 cells; "
            "macrophages; "
            "HUVECs; MDCK cells; primary hepatocytes; iPSC-derived cardiomyocytes"
        ),
        "cohort": words("{n} mice; {n} cells per condition; {gene}-null embryos; transfected cells"),
        "treatment": words(
            "nocodazole; bafilomycin A1; si{gene}; {compound}; serum starvation; TGF-β1; LPS; rapamycin"
        ),
        "measure": words(
            "fluorescence intensity; cell number; mRNA level; focus number; mitotic index; vesicle size"
        ),
    },
    {
        "group": words(
            "control cells; {gene}-/- cells; cells expressing {gene}-GFP; cells treated with {compound}; "
            "starved cells; "
            "cells expressing the S{#21-480}A mutant; rescued cells; siControl cells"
        ),
        "measure": words(
            "fluorescence intensity; cell number; {gene} mRNA; the number of foci; mitotic index; vesicle "
            "diameter; "
            "Pearson's coefficient; nuclear area; migration speed; ATP content; LC3 puncta; membrane tension"
        ),
        "site": words(
            "the nucleus; the cytoplasm; the leading edge; perinuclear regions; the cell cortex; lamellipodia"
        ),
        "marker": words(
            "{gene}; GAPDH; β-actin; LC3B; p62; lamin B1; tubulin; phospho-{gene}; HA; FLAG; histone H3; COX IV"
        ),
    },
    words(
        "KO, knockout; WT, wild type; IP, immunoprecipitation; EV, empty vector; a.u., arbitrary units; PLA, "
        "proximity "
        "ligation assay; DMSO, dimethyl sulfoxide; FRAP, fluorescence recovery after photobleaching; MFI, mean "
        "fluorescence intensity; siRNA, small interfering RNA; kDa, kilodalton; GFP, green fluorescent protein"
    ),
)

MICROBE = Domain(
    {
        "strain": words(
            "E. coli K-12; P. aeruginosa PAO1; S. aureus; B. subtilis 168; S. cerevisiae; C. albicans; V. "
            "cholerae; "
            "L. monocytogenes; K. pneumoniae; M. smegmatis"
        ),
        "gene": words("{rpo|fts|omp|luc|tol|acr|mex|sig|pil|gac|lux|mut}{A|B|C|E|R|S|Z}"),
        "subject": words(
            "biofilms of {strain}; the {gene} mutant of {strain}; {strain} under {compound}; infection with "
            "{strain}; "
            "growth of {strain} on {glucose|acetate|lactose|glycerol}; resistance of {strain} to {compound}"
        ),
        "sample": words("{strain}; overnight cultures; biofilms; infected macrophages; cell lysates; colonies"),
        "cohort": words("{n} clinical isolates; infected mice; {n} replicate cultures; the gut community"),
        "treatment": words(
            "{compound}; ampicillin; heat shock; hydrogen peroxide; iron limitation; colistin; phage"
        ),
        "measure": words("OD600; CFU per ml; biofilm mass; swimming diameter; expression of {gene}; killing rate"),
        "disease": words("pneumonia; sepsis; tuberculosis; urinary tract infection; keratitis"),
    },
    {
        "group": words(
            "the wild type; the Δ{gene} mutant; the complemented strain; the evolved clone; the untreated "
            "culture; "
            "the ancestor; the double mutant; the clinical isolate"
        ),
        "measure": words(
            "OD600; CFU per ml; biofilm mass; swimming diameter; {gene} transcripts; killing rate; pyocyanin "
            "yield; "
            "membrane potential; β-galactosidase activity; survival of larvae; lag time; ATP level"
        ),
        "site": words("lung; spleen; the caecum; faeces; the biofilm base; the colony edge; liver"),
        "marker": words("{gene}; {~gene}; DnaK; RpoA; GroEL; FtsZ; {~gene}; the His-tagged protein; OmpA"),
        "dose": words("0.25× MIC; 0.5× MIC; 1× MIC; 2× MIC; 4× MIC"),
    },
    words(
        "CFU, colony-forming unit; MIC, minimum inhibitory concentration; OD, optical density; WT, wild "
        "type; dpi, days "
        "post infection; LB, lysogeny broth; MOI, multiplicity of infection; OTU, operational taxonomic unit; "
        "PBS, phosphate-buffered saline; EV, empty vector"
    ),
)
