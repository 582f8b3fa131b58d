"""What captions say of radiology and histology."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.language import Phrases, phrases

_LESIONS = """
    a {|large |small |solid |hypodense |well-defined |poorly defined }{lesion} of {~extent} in the
        {left|right} {organ} ({~arrow})
    {a|a single} {lesion} {of the|adjacent to the} {organ} ({~arrow})
    {marked|mild|moderate} {enlargement|atrophy} of the {organ}
    {no residual {lesion}|complete resolution of the {lesion}|no recurrence}
    {thickening of the wall|a small amount of free fluid|central necrosis|peripheral calcification} ({~arrow})
    compression of the {vessel} by the {lesion} ({~arrow})
    {homogeneous|heterogeneous|rim-like|nodular} enhancement of the {lesion}
    {displacement|infiltration} of the adjacent fat ({~arrow})
"""

_NOTES_RADIOLOGY = """
    The {~arrow} {marks|indicates|points to} the {lesion}.
    {Note the absence of {lymphadenopathy|bone destruction}|No {lymphadenopathy|pleural effusion|ascites}
        was seen}.
    The {lesion} measures {~extent}.
    The {lesion} {has grown|is unchanged|has shrunk} {compared with|since} the previous examination.
"""

RADIOLOGY: dict[str, Phrases] = {
    "ct_axial": phrases(
        """
        axial {|contrast-enhanced |unenhanced }{CT|computed tomography} of the {chest|abdomen|{organ}}
        {|contrast-enhanced |thin-section }CT {scan|image} at the level of the {organ}
        axial {CT|computed tomography} {section|slice|image} {through|of} the {organ}
        transverse CT image {obtained|acquired} {after intravenous contrast|before treatment|on admission}
        axial CT images of the {organ}
        """,
        """
        axial {|contrast-enhanced }CT of the {organ} in the {@phase} phase
        axial CT {scan|image} of the {organ} {@visit}
        {@phase} phase CT of the {organ}
        CT of the {chest|abdomen} {@visit}
        {@plane} CT {images|sections|reconstructions} of the {organ}
        """,
        _LESIONS,
        _NOTES_RADIOLOGY,
    ),
    "ct_coronal": phrases(
        """
        coronal {reformation|reconstruction|CT image|multiplanar reconstruction} of the {organ}
        coronal {CT|computed tomography} {|reformation }of the {chest|abdomen}
        {maximum intensity projection|coronal reformatted CT}{| of the same patient}
        coronal CT reformations of the {organ}
        """,
        """
        coronal CT of the {organ} {@visit}
        coronal {reformation|reconstruction} in the {@phase} phase
        {@plane} reformatted CT images of the {organ}
        """,
        _LESIONS,
        _NOTES_RADIOLOGY,
    ),
    "mri_brain": phrases(
        """
        {axial|coronal|sagittal} {T1-weighted|T2-weighted|FLAIR|diffusion-weighted} {MRI|image|MR image} of
            the brain
        {brain MRI|cranial MRI|MRI of the head}{|, FLAIR sequence|, T2-weighted sequence|, after gadolinium}
        {contrast-enhanced|post-contrast|post-gadolinium} T1-weighted {|axial |sagittal }{image|MR image}
        T2-weighted MR images of the brain
        """,
        """
        {@sequence} {MRI|MR image} of the brain
        {|preoperative |postoperative }{@plane} {T1-weighted|T2-weighted|MR} images{| with contrast}
        {axial |}{@sequence} image {|at the level of the basal ganglia|of the same section}
        brain MRI {@visit}
        """,
        """
        a {hyperintense|hypointense|ring-enhancing} lesion in the {left|right}
            {frontal|temporal|parietal|occipital} lobe ({~arrow})
        {surrounding|perifocal|mild} oedema and midline shift
        {symmetric|multiple|confluent} hyperintensities of the white matter ({~arrow})
        {enlarged lateral ventricles|cortical atrophy|no restricted diffusion|leptomeningeal enhancement}
        {a lesion of {~extent}|signal loss} in the {thalamus|cerebellum|brainstem|basal ganglia|corpus callosum}
        """,
        _NOTES_RADIOLOGY,
    ),
    "chest_xray": phrases(
        """
        {chest radiograph|chest X-ray|posteroanterior chest radiograph|portable chest X-ray}{| on
            admission| of {patient}}
        {anteroposterior|frontal} {radiograph|view} of the {chest|thorax}
        serial chest radiographs
        """,
        """
        chest {radiograph|X-ray} {@visit}
        {@view} {radiographs|views} of the {chest|thorax}
        """,
        """
        {bilateral|right-sided|left-sided} {pleural effusion|infiltrates|opacities|consolidation} ({~arrow})
        {an enlarged cardiac silhouette|a widened mediastinum|a normal heart size|pneumothorax|hilar enlargement}
        {complete|partial} {resolution|clearing} of the {opacities|effusion|infiltrates}
        the position of the {catheter|tube|pacemaker lead|stent} ({~arrow})
        """,
        _NOTES_RADIOLOGY,
    ),
    "limb_xray": phrases(
        """
        {anteroposterior|lateral|oblique|plain} {radiograph|X-ray|view} of the {bone}
        {postoperative|preoperative|follow-up} {radiograph|X-ray} of the {bone}
        plain radiographs of the {bone}
        """,
        """
        {@view} {radiograph|X-ray|view} of the {bone}
        radiograph of the {bone} {@visit}
        {initial|postoperative|preoperative} {@view} radiographs of the {bone}
        """,
        """
        a {displaced|non-displaced|comminuted|transverse|spiral} fracture ({~arrow})
        {bony union|callus formation|good alignment|osteolysis|periosteal reaction|joint space narrowing}
        {the position of the plate|screw loosening|internal fixation with a nail|the intact implant} ({~arrow})
        {severe|mild|diffuse} {osteopenia|osteoarthritis|soft-tissue swelling}
        """,
        """
        The fracture {had healed|was reduced|is barely visible} {|at this time}.
        The {~arrow} {marks|indicates} the fracture line.
        {Note the|There is} {loss of joint space|cortical thinning|slight angulation}.
        """,
    ),
    "ultrasound": phrases(
        """
        {ultrasound|sonogram|B-mode ultrasound|transabdominal ultrasound} of the {organ}
        {transverse|longitudinal|grey-scale} {ultrasound image|sonogram} of the {organ}
        {transthoracic echocardiogram|four-chamber view|parasternal long-axis view}{|, apical window}
        ultrasound images of the {organ}
        """,
        """
        ultrasound of the {organ} {@visit}
        {ultrasound|sonogram} of {@site}
        """,
        """
        a {hypoechoic|hyperechoic|anechoic|heterogeneous} {lesion} of {~extent} ({~arrow})
        {increased|absent|peripheral} {blood flow|vascularity}{| on colour Doppler}
        {posterior acoustic shadowing|dilated ducts|wall thickening|a thrombus} ({~arrow})
        """,
        """
        {Callipers|Crosses|Dotted lines} mark the {borders|diameter} of the {lesion}.
        The {~arrow} {marks|indicates} the {lesion}.
        """,
    ),
    "angiogram": phrases(
        """
        {digital subtraction angiography|angiogram|selective angiography|catheter angiogram} of the {vessel}
        {coronary|cerebral|selective} {angiogram|angiography}{|, early phase|, late phase|, lateral projection}
        {angiogram|angiography} {before|after} {embolisation|stenting|balloon dilatation}
        """,
        """
        angiogram of the {vessel} {@visit}
        {@view} projection of the {vessel}
        {digital subtraction angiography|angiography} of the {vessel} in the {@phase} phase
        """,
        """
        {severe|high-grade|focal|ostial} stenosis of the {vessel} ({~arrow})
        {complete|near-total} occlusion of the {vessel} ({~arrow})
        {an aneurysm|a fistula|collateral vessels|a tumour blush|a filling defect} ({~arrow})
        {restored|normal|delayed} flow in the {vessel}
        """,
        """
        The {~arrow} {marks|shows|indicates} the {stenosis|catheter tip|feeding artery|draining vein}.
        Contrast medium was injected into the {vessel}.
        """,
    ),
    "pet_scan": phrases(
        """
        {FDG-PET|FDG PET/CT|PET|18F-FDG PET}{| image| scan} {of the {organ}|at the level of the {organ}}
        {fused|axial} PET/CT image
        {maximum intensity projection|whole-body image} of {|18F-FDG }PET
        """,
        """
        {FDG-PET|PET/CT|18F-FDG PET} {@visit}
        {@plane} {PET|fused PET/CT} {images|sections}
        """,
        """
        {intense|increased|faint|no pathological} {tracer|FDG} uptake in the {organ}{| ({~arrow})| (SUVmax
            {#2.1-14.8})}
        {multiple|several|two} hypermetabolic {foci|nodes|lesions} ({~arrow})
        a {decrease|reduction} of the uptake {by {#20-80}%|after therapy}
        """,
        """
        The colour {scale|bar} {gives|shows} standardised uptake values.
        The {~arrow} {marks|points to} a {hypermetabolic|photopenic} area.
        """,
    ),
    "fundus": phrases(
        """
        {colour fundus photograph|fundus photograph|fundus image} of the {left|right} eye
        {fundus autofluorescence|wide-field fundus image|fluorescein angiogram} of the {left|right} eye
        """,
        """
        fundus photograph of the {@side} eye
        fundus image {@visit}
        """,
        """
        {scattered|multiple|peripapillary} {haemorrhages|drusen|exudates|cotton-wool spots} ({~arrow})
        {optic disc swelling|a pale optic disc|macular oedema|vessel tortuosity|a normal macula}
        {a choroidal naevus|a retinal detachment|geographic atrophy|neovascularisation} ({~arrow})
        """,
        """
        The {~arrow} {marks|points to} the {macula|optic disc|lesion}.
        Visual acuity was {0.2|0.4|0.5|0.8|20/40|20/100}.
        """,
    ),
}

_CELLS = """
    {irregular|well-formed|cribriform|fused} glands {lined by|with} {columnar|cuboidal|atypical} cells
    {nests|sheets|cords|clusters} of {atypical|spindle-shaped|epithelioid|small round} cells ({~arrow})
    {pleomorphic|enlarged|hyperchromatic} nuclei {with|and} prominent nucleoli
    {dense|sparse|perivascular} {lymphocytic|neutrophilic|mixed inflammatory|plasma cell} {infiltrate|infiltration}
    {necrosis|fibrosis|haemorrhage|steatosis|oedema} ({~arrow})
    {preserved|disrupted|normal} architecture of the {organ}
    {frequent|occasional|no} mitotic figures
"""

_NOTES_HISTOLOGY = """
    ~{Magnification, {40|100|200|400}×|Original magnification, ×{40|100|200|400}}.
    The {~arrow} {mark|marks|indicates} {mitoses|giant cells|the basement membrane|inflammatory cells|vessels}.
    The {boxed area|boxed region|area in the box|framed area} is {enlarged|magnified|shown at higher
        magnification} in the {inset|insert}.
"""

HISTOLOGY: dict[str, Phrases] = {
    "tissue_stain": phrases(
        """
        {haematoxylin and eosin|H&E} {staining|stain} of {the {organ}|{sample}}
        {photomicrograph|histological section|low-power view} of {the {organ}|the {organ}
            {lesion}|{sample}}{| (H&E)| (H&E, {lens})}
        {representative |}{section|sections} of {the {organ}|{sample}} stained with {~stain}
        H&E-stained sections of {the {organ}|{sample}}
        """,
        """
        {section|sections} of the {organ} stained with {@stain}
        {H&E staining|histology} of the {organ} of {@group}
        histology of {@site}{| (H&E, {~lens})}
        {@power}-power {views|photomicrographs} of the {organ}{| (H&E)}
        """,
        _CELLS,
        _NOTES_HISTOLOGY,
    ),
    "tissue_close_up": phrases(
        """
        {high-power|high magnification} view of the {organ}{| (H&E)| (H&E, {lens})}
        {higher magnification|close-up|detail} of {the {lesion}|the same section|the boxed area}
        {high-magnification|enlarged} {image|micrograph} of {sample}
        """,
        """
        {high-power view|detail|close-up} of {@site}
        {higher magnification|detail} of {@group}
        """,
        _CELLS,
        _NOTES_HISTOLOGY,
    ),
    "immunostain": phrases(
        """
        {immunohistochemistry|immunostaining|immunohistochemical staining} for {antigen} in {the {organ}|{sample}}
        {~antigen} immunostaining of {the {organ}|the {lesion}|{sample}}
        {representative |}immunohistochemical {image|staining} of {antigen}{|, {~lens}}
        """,
        """
        {immunohistochemistry|immunostaining|staining} for {@antigen}{| in the {organ}| in {sample}}
        {immunohistochemical |}staining of {@antigen} in {sample}
        {antigen} staining in {@site}
        immunostaining for {antigen} in {@group}
        """,
        """
        {~strong} {nuclear|cytoplasmic|membranous} {staining|positivity} {of|in} the tumour cells
        positive cells {along the {border|basement membrane}|around vessels|in the stroma} ({~arrow})
        {a labelling index of {#2-88}%|positivity in {#5-95}% of the cells|no staining of the stroma}
        {~strong} expression of {antigen}
        """,
        _NOTES_HISTOLOGY,
    ),
    "negative_control": phrases(
        """
        negative control {without|lacking|omitting} {the |}primary antibody
        {isotype|negative|staining} control{| for {antigen}| of the same tissue}
        {control section|section} incubated {without the primary antibody|with non-immune serum}
        """,
        """
        negative control of {@site}
        {isotype|negative} control for {@antigen}
        """,
        """
        {no specific|only background|no} staining
        the absence of {specific|nuclear} signal
        """,
        _NOTES_HISTOLOGY,
    ),
    "trichrome": phrases(
        """
        {Masson's|Gomori} trichrome staining of {the {organ}|{sample}}
        {Masson trichrome-stained|trichrome-stained} section of the {organ}
        {Sirius red|trichrome} staining of collagen in the {organ}
        """,
        """
        {trichrome|Masson's trichrome} staining of the {organ} of {@group}
        trichrome staining of {@site}
        {trichrome-stained |}sections of the {organ} at {@stage}
        """,
        """
        {collagen|collagen fibres} (blue) {around vessels|between the muscle fibres|in the septa}
        {dense|mild|periportal|interstitial|bridging} fibrosis ({~arrow})
        {deposition of collagen|a fibrous capsule|scar tissue} (blue)
        """,
        _NOTES_HISTOLOGY,
    ),
}
