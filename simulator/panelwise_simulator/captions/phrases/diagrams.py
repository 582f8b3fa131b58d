"""What captions say of diagrams and maps."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.language import Phrases, phrases

_NOTES_DIAGRAMS = """
    {Solid|Dashed|Thick} {arrows|lines} {mark|indicate|stand for} {activation|direct effects|the main
        steps|known interactions}.
    {Colours|Boxes|Symbols} {indicate|denote|stand for} {the {few} steps|groups|functional classes}.
    ~{{Not drawn|Drawings are not} to scale|{Modified|Redrawn|Adapted} from {a published scheme|a previous
        version|[{#3-88}]}|{Details|Numbers|Parameters} are
        {given|listed|explained} in {the text|Table {#1-6}|Methods}}.
"""

_PARTS = """
    {the main steps|the order of steps|the {few} components|the flow of samples}
    {the position of {the sensors|the electrodes|{gene}|the sample}|the sites of {treatment}}
    {the link between {treatment} and {measure}|feedback on {measure}|the key parameters}
"""

DIAGRAMS: dict[str, Phrases] = {
    name: phrases(nouns, series, _PARTS, _NOTES_DIAGRAMS)
    for name, nouns, series in (
        (
            "flow_chart",
            """
            {flow chart|flowchart|flow diagram|workflow} of {the study|the analysis|patient selection|the
                procedure|data processing}
            {study|analysis} {workflow|design|flow chart}{| with numbers of {samples|participants}}
            """,
            """
            {workflow|flow chart} for {@group}
            {flow chart|procedure} for {@site}
            """,
        ),
        (
            "pathway",
            """
            {pathway|signalling pathway|proposed pathway|metabolic pathway} {of|downstream of} {gene}
            {model|proposed mechanism|working model} of {how {treatment} affects {measure}|the effect of
                {treatment}|{gene} function}
            """,
            """
            {pathway|proposed mechanism|model} in {@group}
            {pathway|regulation} of {@marker}
            """,
        ),
        (
            "timeline",
            """
            {timeline|time line|experimental timeline|schedule} of {the experiment|treatment|sampling|events}
            {experimental design|treatment schedule|study protocol}{| for {cohort}}
            """,
            """
            {timeline|schedule|protocol} for {@group}
            {schedule|timeline} {of|for} {@measure}
            """,
        ),
        (
            "network",
            """
            {network|co-occurrence network|interaction network|co-expression network} of {{few}
                modules|{sample}|{#18-140} {genes|nodes|items}}
            {protein–protein interaction|correlation} network {around {gene}|of the main {hubs|features}}
            """,
            """
            {network|co-occurrence network|interaction network} of {@group}
            {network|correlation network} at {@time}
            {network|interaction network} in {@site}
            """,
        ),
        (
            "tree",
            """
            {phylogenetic tree|maximum likelihood tree|neighbour-joining tree|dendrogram} of {{gene}
                homologues|{#12-90} {sequences|isolates|species}}
            {decision tree|dendrogram|cluster tree} {for|of} {{sample}|the {few} classes}
            """,
            """
            {phylogenetic tree|tree} of {@marker} {sequences|homologues}
            {tree|dendrogram} for {@group}
            """,
        ),
        (
            "domain_structure",
            """
            {domain structure|domain organisation|domain architecture|gene structure} of {gene}{| and {~gene}}
            {schematic|schematic representation|diagram} of the {gene} {protein|constructs|locus|deletion mutants}
            """,
            """
            {domain structure|domain architecture} of {@marker}
            {scheme|map} of the construct for {@group}
            """,
        ),
        (
            "neural_net",
            """
            {architecture|structure|overview|layers} of {the proposed network|the {few}-layer network|the
                {classifier|encoder|model}}
            {network architecture|neural network|model} {with {few} layers|used for
                {prediction|classification|segmentation}}
            """,
            """
            {architecture|structure} of {@model}
            network {architecture|structure} for {@group}
            """,
        ),
        (
            "schematic",
            """
            {schematic|schematic diagram|scheme|sketch|cartoon|illustration} of {the setup|the experimental
                design|the procedure|the {treatment} protocol}
            {schematic|schematic illustration|drawing} {of|showing} {the {sampling|measurement}
                {procedure|principle}|{treatment} of {sample}}
            {experimental|measurement} {setup|scheme|principle|configuration}
            """,
            """
            {schematic|scheme|sketch} of {@site}
            {schematic|scheme} for {@group}
            {scheme|illustration} of the state at {@stage}
            """,
        ),
        (
            "sequence_alignment",
            """
            {multiple|sequence|amino acid} alignment of {gene} {and its homologues|from {#5-12}
                species|orthologues}
            {alignment|conservation} of the {#12-60}-residue {motif|region|domain} of {gene}
            """,
            """
            {alignment|sequence alignment} of {@marker}
            {alignment|sequences} from {@group}
            """,
        ),
    )
}

MAPS: dict[str, Phrases] = {
    "site_map": phrases(
        """
        {map|location} of {the {sampling|study} sites|the {n} plots|the stations} in {place}
        {study area|sampling design|location map}{| in {place}| with {#5-60} {stations|plots}}
        """,
        """
        {map|location} of {sampling points|records} in {@site}
        {map|records|distribution} in {@year}
        {distribution|records} of {@marker}
        """,
        """
        {the {positions|location} of {stations|plots|transects}|roads and rivers|elevation}
        {clustered|scattered} {records|sites}
        """,
        """
        {Dots|Triangles|Circles|Squares} {mark|are|indicate} {sampling|study} sites.
        {Elevation|Depth} is given in metres.
        """,
    ),
    "choropleth": phrases(
        """
        {map|choropleth map|spatial distribution|geographical distribution} of {measure} {in|across} {place}
        {regional|spatial} {differences|variation|pattern} {of|in} {measure}
        """,
        """
        {map|spatial distribution} of {@measure}{| in {place}}
        {spatial distribution of {measure}|map of {measure}|{measure}} in {@year}
        {map|rates|{measure}} for {@group}
        """,
        """
        {the highest|the lowest|increasing} values in {the north|the south|the coastal districts|urban areas}
        {a gradient|clusters} {from north to south|along the coast}
        """,
        """
        {Darker|Lighter} {shades|colours} {stand for|indicate} higher values.
        {Grey|Hatched} {areas|districts}, no data.
        """,
    ),
}
