"""What captions say of microscopy, photographs and gels."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.language import Phrases, phrases

_SIGNAL = """
    {gene} {in|at} {punctate structures|the {nucleus|cytoplasm|plasma membrane}|vesicles} ({~colour})
    {co-localisation|overlap} of {gene} {with|and} {~gene}{| ({~arrow})}
    {reduced|increased|diffuse|perinuclear} {signal|fluorescence} {of {gene}|after {treatment}}
    {elongated|rounded|multinucleate|binucleate} cells ({~arrow})
    {a fragmented network|enlarged vesicles|aligned filaments|condensed chromatin} ({~arrow})
"""

_NOTES_MICROSCOPY = """
    Nuclei were {stained|counterstained} with {DAPI|Hoechst} (blue).
    The {~arrow} {mark|marks|indicate} {vesicles|filaments|dividing cells|protrusions|co-localised signal}.
    {Insets|The inset} {show|shows} {a magnified view|the boxed region at higher magnification|details}.
    Images {were acquired|are shown} {|as maximum projections of {#6-40} sections}.
"""

MICROSCOPY: dict[str, Phrases] = {
    "fluorescence": phrases(
        """
        {confocal|fluorescence|widefield|immunofluorescence} {image|micrograph} of {sample}
        {immunofluorescence|fluorescence} {staining|signal} of {gene} in {sample}
        {representative |}{confocal|fluorescence} {image|section} of {sample} {treated with
            {treatment}|expressing {gene}-GFP|stained for {gene}}
        {fluorescence|confocal} micrographs of {sample}
        """,
        """
        {immunofluorescence|staining|confocal image} of {@channel} in {sample}
        {sample} stained for {@channel}
        {@channel} {signal|fluorescence} in {sample}
        {confocal image|fluorescence} of {sample} at {@time}
        {fluorescence|micrograph} of {@group}
        """,
        _SIGNAL,
        _NOTES_MICROSCOPY,
    ),
    "fluorescence_merge": phrases(
        """
        {merged|overlay} image{| of {gene} and {~dye}| of the three channels}
        {merge|overlay} of {gene} (green) and {~gene} (red){| with nuclei in blue}
        {merged confocal|multichannel} image of {sample}
        """,
        """
        {merged|overlay} image of {@group}
        {merge of all channels|merged image} at {@time}
        {merged channels|overlay} in {@site}
        """,
        _SIGNAL,
        _NOTES_MICROSCOPY,
    ),
    "electron_micrograph": phrases(
        """
        {scanning|transmission} electron {micrograph|microscopy image} of {sample}
        {SEM|TEM} {image|micrograph} of {sample}
        {SEM|TEM|HRTEM} {image|micrograph} {after|of {sample} after} {treatment}
        {SEM|TEM} images of {sample}
        """,
        """
        {SEM|TEM} {image|micrograph} of {@group}
        {SEM|TEM|FE-SEM} image of {sample} at {@stage}
        {electron micrograph|SEM image} of {@site}
        {SEM|TEM} images of {sample} after {@time}
        """,
        """
        {spherical|irregular|plate-like|needle-shaped|agglomerated} {particles|grains|structures} of {~size}
        {a smooth|a rough|a porous|a layered|a cracked} surface
        {mitochondria|vesicles|pores|dislocations|lattice fringes|microvoids} ({~arrow})
        {fine|coarse|uniform} {particles|precipitates|fibres|dimples} ({~arrow})
        """,
        """
        The inset shows {the diffraction pattern|a magnified view|the size distribution}.
        The {~arrow} {mark|marks} {pores|cracks|vesicles|particles|grain boundaries}.
        ~The accelerating voltage was {#5-20} kV.
        """,
    ),
    "phase_contrast": phrases(
        """
        {phase-contrast|bright-field|light} {image|micrograph} of {sample}
        {bright-field|differential interference contrast|DIC} {view|image}{| of the same cells| of {sample}}
        morphology of {sample} {under the light microscope|by phase-contrast microscopy}
        phase-contrast images of {sample}
        """,
        """
        {phase-contrast|bright-field} image of {@group}
        morphology of {sample} at {@time}
        {light|phase-contrast} micrograph of {sample} at {@dose}
        """,
        """
        {spindle-shaped|rounded|flattened|detached} cells ({~arrow})
        {a confluent monolayer|small clusters|long processes|filaments|closure of the scratch}
        {vacuoles|spheroids|budding cells|septa|neurites} ({~arrow})
        """,
        _NOTES_MICROSCOPY,
    ),
    "tissue_fluorescence": phrases(
        """
        {immunofluorescence|double immunofluorescence} {staining|labelling} of {the {organ}|{sample}}
        {section|cryosection|coronal section} of {the {organ}|{sample}} stained for {gene} (green)
        {confocal|tiled} image of a {|{#10-50/10} µm }section of {the {organ}|{sample}}
        sections of {the {organ}|{sample}} labelled for {gene} (red)
        """,
        """
        {immunofluorescence|staining} for {@channel} in {sample}
        {immunolabelling|staining} for {gene} in {@site}
        {section|labelling} of {@group}
        """,
        _SIGNAL,
        _NOTES_MICROSCOPY,
    ),
}

PHOTOGRAPHS: dict[str, Phrases] = {
    "skin_photo": phrases(
        """
        {clinical photograph|clinical image|clinical appearance|photograph} of the {forearm|face|trunk|left
            hand|lower leg|back}
        {skin lesion|rash|erythematous plaque} on the {forearm|trunk|left foot|neck|thigh}
        {close-up|dermoscopic image} of the {lesion|plaque|ulcer}
        """,
        """
        {clinical photograph|clinical appearance|skin lesions} {@visit}
        photograph of the {@side} {hand|forearm|leg|foot}
        """,
        """
        {erythematous|hyperpigmented|scaly|ulcerated|violaceous} {plaques|papules|nodules|patches}
        {a|a well-demarcated} {ulcer|plaque|nodule|swelling} of {~extent}
        {complete|partial} {healing|regression} {of the lesion|without scarring}
        """,
        """
        ~The patient gave consent to publication.
        {No|Only minor} {scarring|pigmentation} remained.
        """,
    ),
    "plant_photo": phrases(
        """
        {phenotype|photograph|appearance} of {crop} plants {under {treatment}|at the seedling stage|at maturity}
        {representative |}{crop} {plants|seedlings} {after {#3-28} days {of treatment|in soil}|grown in
            {pots|the field}}
        {photographs|images} of {#3-9}-week-old {crop} plants
        """,
        """
        {phenotype|plant|growth habit} of {@group}
        {crop} {plants|seedlings} at {@stage}
        {phenotype|seedlings} of {crop} at {@dose}
        {plants|seedlings} after {@time}
        """,
        """
        {stunted|delayed|vigorous|reduced} growth
        {wilting|chlorosis|early flowering|fewer tillers|curled leaves} ({~arrow})
        {longer|shorter|branched|thicker} {roots|shoots|stems}
        """,
        """
        Plants were {photographed|watered again} after {#3-30} days.
        {At least {#10-40} plants|Three pots} were {examined|grown} per {line|treatment}.
        """,
    ),
    "specimen_photo": phrases(
        """
        {gross appearance|macroscopic view|photograph} of {the resected specimen|the specimen|the {organ}}
        {dorsal|ventral|lateral} view of {the specimen|an adult {species}|the holotype}
        {specimen|cut surface of the specimen|surgical specimen} {after fixation|before sectioning|with a ruler}
        """,
        """
        {gross appearance|macroscopic view} of {@site}
        {dorsal|lateral|ventral} view of {@group}
        specimen at {@stage}
        """,
        """
        {a well-circumscribed|an encapsulated|a lobulated|a yellowish} {lesion} of {~extent}
        {a smooth|a cracked|an iridescent|a pale} surface ({~arrow})
        {necrotic areas|the suture line|a fracture|the hind wing|the dorsal spines} ({~arrow})
        """,
        """
        The ruler is marked in {millimetres|centimetres}.
        The specimen weighed {#12-890} g.
        """,
    ),
    "petri_dish": phrases(
        """
        {colonies|growth} of {sample} on {agar plates|selective medium|PDA|LB agar}
        {plate assay|spot assay|disc diffusion assay|swarming assay} of {sample}
        {agar plate|Petri dish} {with|showing growth of} {colonies|{sample}} after {#18-96/6} h at {25|28|30|37} °C
        """,
        """
        {colonies|growth|swimming} of {@group}
        {plate|plate assay} at {@dose}
        {agar plate|colonies} after {@time}
        """,
        """
        {clear|small|large|no} {halos|inhibition zones|zones of clearing}
        {smooth|rough|pigmented|wrinkled|small} colonies ({~arrow})
        {reduced|normal|no} growth {at {#30-42} °C|in the presence of {compound}}
        """,
        """
        {Tenfold|Fivefold} dilutions were spotted {from left to right|onto the plates}.
        Plates were {incubated|photographed} after {#18-72/6} h.
        """,
    ),
    "apparatus_photo": phrases(
        """
        {photograph|photo|picture} of the {experimental setup|test rig|prototype|set-up|assembled device}
        {experimental setup|laboratory arrangement|field installation}{| used in this study| during the
            measurement}
        {close-up|side view|top view} of the {instrument|sample holder|sensor|chamber|prototype}
        """,
        """
        {photograph|view} of the setup at {@stage}
        {close-up|photograph} of {@site}
        """,
        """
        {the light source|the pump|the sample holder|the sensor array|the reaction chamber} ({~arrow})
        the {position of the |}{sensor|camera|valve|electrode} ({~arrow})
        """,
        """
        The {camera|detector|pump} is mounted {above|below|beside} the {chamber|stage}.
        {Numbers|Labels} refer to the parts named in the text.
        """,
    ),
    "landscape_photo": phrases(
        """
        {photograph|view|landscape view|overview} of {place}{| in {summer|late autumn|the dry season}}
        {field|aerial|drone} photograph of {place}
        {outcrop|vegetation|typical habitat|sampling site} {in {place}|at {#120-2400/10} m a.s.l.}
        """,
        """
        {photograph|view} of {@site}
        {view|landscape} of {place} at {@stage}
        {place} in {@year}
        """,
        """
        {sparse|dense|recovering} {vegetation|tree cover|shrubs}
        {bare soil|a meander|eroded banks|exposed bedrock|flooded meadows} ({~arrow})
        """,
        """
        Photograph taken in {May|June|August|October} {#2009-2021}.
        The {~arrow} {marks|points to} the {sampling point|shoreline|plot}.
        """,
    ),
    "leaf_photo": phrases(
        """
        {detached|infected|inoculated|representative} leaves of {crop}
        {symptoms|lesions} on leaves {#3-14} days after {inoculation|treatment}
        {leaf phenotype|leaf morphology|leaf blade|abaxial leaf surface} of {crop}
        """,
        """
        {leaf|leaves} of {@group}
        {leaf|leaves} at {@stage}
        leaf symptoms after {@time}
        """,
        """
        {necrotic|chlorotic|brown|water-soaked} {spots|lesions|margins} ({~arrow})
        {serrated|rolled|narrow|variegated} leaf {blades|margins}
        {few|severe|no} {symptoms|lesions}
        """,
        """
        The {~arrow} {marks|indicates} {lesions|the inoculation point}.
        The {third|youngest|second} leaf was {photographed|sampled}.
        """,
    ),
}

GELS: dict[str, Phrases] = {
    "immunoblot": phrases(
        """
        {immunoblot|western blot|Western blot} {analysis |}of {gene} in {sample}
        {representative |}{immunoblot|western blot} {showing {gene} levels|of lysates of {sample}|with
            anti-{gene} antibody}
        {co-immunoprecipitation|pull-down} of {gene} {with|and} {~gene}
        {immunoblots|western blots} of {sample} {treated with {treatment}|probed for {gene}}
        """,
        """
        {immunoblot|western blot} {|analysis }of {@marker}{| in {sample}}
        {immunoblot|western blot} of {gene} in {@group}
        {immunoblots|western blot} of {sample} at {@time}
        {immunoblot|Western blot analysis} of extracts from {@site}
        """,
        """
        {loss|accumulation|cleavage|phosphorylation|reduced levels} of {gene}
        {a band|a single band|two bands} {at|of} {#18-210} kDa ({~arrow})
        {equal loading|efficient knockdown|specific binding|no signal in the control}
        """,
        """
        {β-actin|GAPDH|Tubulin|Ponceau S staining} {served|was used} as {a |the |}loading control.
        {Molecular weights|Sizes|Positions of marker proteins} {in kDa |}are {given|indicated} {on the
            left|on the right}.
        {Band intensities|Numbers below the lanes} {were normalised|are relative} to {actin|the control}.
        """,
    ),
    "dna_gel": phrases(
        """
        {agarose gel|gel electrophoresis|agarose gel electrophoresis} of {PCR products|RT-PCR
            products|digested plasmids|amplicons}
        {genotyping|RT-PCR|PCR} {of|analysis of} {gene}{| in {sample}}
        {SDS-PAGE|Coomassie-stained gel} of {the purified protein|{gene}|elution fractions}
        """,
        """
        {RT-PCR|PCR|gel} {analysis |}of {@marker}
        {PCR products|agarose gel} of {@group}
        electrophoresis of samples at {@dose}
        """,
        """
        a {single band|product} of {#120-2400/10} bp ({~arrow})
        {the expected fragment|no product in the control|two alleles|degradation}
        """,
        """
        M, {~ladder}.
        Lane 1, {~ladder}; lanes 2–{#5-9}, samples.
        {NTC, no-template control|+, positive control; −, negative control}.
        """,
    ),
    "dot_blot": phrases(
        """
        {dot blot|spot blot|dot-blot} {of|analysis of} {gene}{| in {sample}}
        {cytokine|protein|antibody} array {of|probed with} {supernatants|lysates|serum}
        {serial dilutions|spots} of {sample} {on the membrane|probed for {gene}}
        """,
        """
        {dot blot|array} of {@group}
        {dot blot|array} probed for {@marker}
        dot blot at {@dose}
        """,
        """
        {strong|weak|no} {binding|signal|reactivity}
        {a decrease|an increase} of the signal {with dilution|after {treatment}}
        """,
        """
        {Twofold|Fivefold|Tenfold} dilutions {from left to right|are shown}.
        Each {sample|antibody} was spotted {twice|in duplicate|in triplicate}.
        """,
    ),
}
