"""What stands around the panels of a caption: title, methods, closing notes, and sentences of the running text."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.language import lines

TITLES = lines(
    """
    {subject}
    effect of {treatment} on {measure}{| of {sample}| in {cohort}}
    {overview|features|analysis} of {subject}
    {treatment} {alters|affects|increases|reduces|improves|does not change} {measure}{| in {cohort}| of {sample}}
    {measure} {and|as well as} {~measure} {in|of} {{cohort}|{sample}}
    {findings|results|data} on {subject}
    {comparison|changes} of {measure} {with and without|after|under} {treatment}
    role of {treatment} in {measure}{| in {cohort}| of {sample}}
    {subject}: {effect of {treatment}|main results|summary|comparison of methods}
    {evidence|support} for {an effect|a role} of {treatment}{| on {measure}}
    """
)

CLINICAL_TITLES = lines(
    """
    {imaging|radiological|clinical|preoperative|postoperative|histological} findings in {patient}{| with {disease}}
    {patient} with {disease}
    {subject}
    {follow-up|course} of {patient} {with {disease}|after {treatment}}
    {lesion} of the {organ}
    {imaging|findings} {before|after} {treatment}
    """
)

METHODS = lines(
    """
    {Treatment was|The intervention was} {treatment}{|, as described in Methods|, for {#2-72} h|, for
        {#2-28} days}.
    {measure} was {measured|determined|recorded} {|{few} times }{in {cohort}|in {sample}|as described in the text}.
    {Measurements were made|Data were collected|Samples were taken} {between {#2001-2012} and
        {#2013-2021}|{few} times|in {May|June|October} {#2009-2021}|at {few} time points|before and after
        {treatment}}.
    {The experiment was|Experiments were} {repeated {few} times|performed in triplicate|carried out at
        {#18-37} °C}.
    {Preparation|Analysis|Examination} of {sample} {followed the published protocol|was blinded|was done
        within {#2-48} h}.
    {The analysis included|We analysed|The study covers} {n} {samples|records|observations}{| from {few}
        {batches|years|centres}}.
    """
)

CLINICAL_METHODS = lines(
    """
    {The patient|He|She} presented with {fever|pain|weight loss|dyspnoea|headache|swelling} {of {#2-12}
        weeks|for {#2-14} days|after a fall}.
    {Imaging|The examination} was performed {on admission|before {treatment}|{#2-14} days after {treatment}}.
    {The final diagnosis was|Histology confirmed|Biopsy showed} {disease}.
    """
)

SCALE_BARS = lines(
    """
    Scale {bar|bars}{:|,| =| represents} {#5-100/5} µm{| in all panels}.
    {Bar|Bars}{:|,| =} {#5-100/5} µm.
    Scale bars: {#10-50/10} µm{ in main images and {#1-9} µm in insets|}.
    Scale {bar|bars} {indicates|indicate} {#100-500/50} nm.
    """
)

STATISTICS = lines(
    """
    {Data|Values|Results|Bars} {are|represent|show} {the |}{mean|means} {±|and} {SD|SEM|SE|s.d.|s.e.m.}{|
        of {few} {replicates|independent experiments|measurements}| (n = {n})}.
    {Error bars|Vertical bars|Whiskers} {represent|indicate|show|denote|are} {SD|SEM|standard
        error|standard deviation|standard errors of the mean|95% CI}{| (n = {n})| of {few}
        {replicates|experiments}}.
    {*{P|p} {<|≤} 0.05|*{P|p} < 0.05, **{P|p} < 0.01{|, ***{P|p} < 0.001}|* {p|P} < {p}; ns, not
        significant}{| ({test})|, {test}|; {test}| versus control}.
    {Asterisks|Stars} {indicate|mark|denote} {significant|statistically significant} differences ({*|}{P|p}
        < {p}{|, {test}}).
    {Different letters|Different lowercase letters|Values with different letters}
        {indicate|mark|denote|show} significant differences ({at |}{P|p} {<|≤} 0.05{|, {test}}).
    {{Significance|Statistical significance} was|Differences were} {determined|assessed|tested} {by|using}
        {test}{|, followed
        by a post hoc test}.
    {P|p} values were {calculated|obtained} {by|with|using} {test}.
    {Statistical analysis was|Statistics were} {done|performed} {with|using|in} {software}.
    n = {n} {{per group|for each group|in each condition}|{independent experiments|biological
        replicates|animals|samples}}.
    """
)

CLOSINGS = lines(
    """
    See {also |}{Figure|Fig.} S{#1-9}{|{A|B|C}} {for {details|controls|raw data|further examples}|and Table
        S{#1-6}}.
    Source data are {provided|available} {as a Source Data file|online}.
    {Details|Further details|Sample sizes|Exact values} are given in {Table {S|}{#1-7}|the supplementary
        {material|information}|Methods}.
    {Colours|Symbols|Abbreviations} as in {Figure|Fig.} {#1-7}.
    {Experiments were|Each experiment was} {repeated|performed} {at least |}{three|two|four|five} times
        with similar results.
    {Representative|Typical} {images|results} of {#3-9} {experiments|samples} are shown.
    All {images|panels} {are shown|were taken} at the same {scale|magnification|settings}.
    {For interpretation of {the |}colours|For {the |}colours{| in this figure}|For the colour code}, {the
        reader is referred to|see} the {online|web} version{| of this article}.
    {This figure was adapted|Adapted|Reprinted} with permission from [{#3-98}].
    {Red|Orange|Yellow}, increase; {blue|green|white}, decrease.
    """
)

IMAGE_NOTES = lines(
    """
    {Images are|Photographs are} {representative|typical} of {#3-12} {cases|samples|examples}.
    {Magnification|Original magnification}{:|,} {lens}.
    {The {arrow} {marks|indicates} the {lesion}|Arrows mark the findings described in the text}.
    """
)

#: Ends of a sentence on several panels.
SHARED_TAILS = lines(
    """
    , {each|all} from the same {experiment|sample|series|batch}
    {after|before|with and without} {treatment}
    , recorded under {the same|identical} conditions
    in the same {sample|set of samples|subjects}
    for {cohort}
    """
)

#: Sentences on several panels; at times what a range begins with.
SHARED_NOTES = lines(
    """
    {Effect|Influence} of {treatment} on {measure}{| under {few} conditions}.
    {Changes|Variation} of {measure} {with|after} {treatment}.
    {Both|All} {samples|sets|measurements} {come from|were taken from|belong to} the same
        {experiment|cohort|batch|day}.
    {Results|Examples} for {few} {conditions|samples|settings}{| of {treatment}}.
    {The {left|right} {part|side|axis} refers to {measure}|{Solid|Dashed} lines {refer to|are} {the
        control|{measure}}}.
    {Comparison|Analysis} of {{sample}|{cohort}} {before and after|with and without} {treatment}.
    """
)

#: A finding as a sentence: `$finding`, and `$was` to agree with it.
OBSERVATIONS = lines(
    """
    Note $finding.
    There $was $finding.
    $finding $was {observed|seen|found|noted|recorded}{| in {#2-9} of {#10-24} {cases|samples|experiments}|
        in all {replicates|samples}}.
    $finding $was {typical|seen in most samples|confirmed by a second observer|also seen in other samples}.
    """
)

#: Sentences on one panel, whatever it shows.
PANEL_NOTES = lines(
    """
    {Left, {@group}; right|Top, {@group}; bottom|Upper part, {@group}; lower part}, {@group}.
    {The analysis was|Results are} restricted to {cohort}.
    {Results|Values|Data} {for|of} {@group} are {given|shown} for comparison.
    {Samples|Data|Observations} {were taken|were recorded|are shown} at {@time}{| and at the end of the
        experiment}.
    The {upper part {refers to|shows} {@site}, the lower|left part {refers to|shows} {@site}, the right}
        part {@site}.
    {{measure}|{~measure}} was {measured|assessed|rated} {few} times{| in {sample}| by two observers}.
    {The same|A similar} {result|pattern|picture} was {seen|obtained} {in {@group}|at {@time}|in {few}
        further {samples|experiments}}.
    {Conditions|Settings|Procedures} were those {described|given} {in the Methods|above|by the manufacturer}.
    """
)

#: What a range of markers begins with, before each panel is named; `$noun` says what they are.
RANGE_HEADS = lines(
    """
    $noun {under {few} conditions|under different conditions}
    {comparison of |}$noun {with and without|after} {treatment}
    $noun {for|from} {different {samples|cases|groups}|the same {experiment|series}}
    {representative |selected |further |}$noun
    """
)

DATA_INFORMATION = lines(
    """
    Data information: {data are presented as|bars show|values are} mean ± {SD|SEM} {|of {few} experiments};
        {test}, *P < 0.05.
    Data information: {few} biological replicates; {P|p} values by {test}.
    """
)

#: Notes on statistics or scale of some panels, `$list` being their markers: of no panel (see the gold protocol).
LISTED_STATISTICS = lines(
    """
    {Data|Values|Bars} in $list are {mean|means} ± {SEM|SD}{| (n = {n})}.
    {Mean|Means} ± {SEM|SD|s.e.m.} for $list{|; n = {n}}.
    {test} {was used|for} {|in }$list.
    Error bars in $list {are|show|indicate} {SD|SEM|95% CI}.
    """
)

LISTED_SCALES = lines(
    """
    Scale {bars|bar}{:|,| =} {#5-100/5} µm in $list.
    Scale bars, {#5-100/5} µm ($bare).
    {Bars|Bar} = {#10-200/10} µm in $list.
    """
)

#: Sentences on what some panels show, `$list` being their markers: on pictures, on plots, on any.
LISTED_PICTURES = lines(
    """
    {Arrows|Arrowheads|Asterisks|White arrows} in $list {mark|indicate|point to} {typical examples|the same
        {structure|region}|the
        boundary|artefacts}.
    {The boxed {area|region}|The area within dashed lines} in $list {is|corresponds to} {the region
        analysed|the same field|the area
        of interest}.
    {Red|Yellow|White} {frames|outlines} in $list {mark|show} {the region of interest|the areas measured}.
    """
)

LISTED_PLOTS = lines(
    """
    {Colours|Symbols} in $list {correspond|refer} to {the {few} {groups|series|classes}|{measure}}.
    {Dashed|Grey|Solid} lines in $list {mark|show|indicate} {the control|the threshold|the mean of all
        samples|the model}.
    {Filled|Open|Large} symbols in $list {are|show} {outliers|medians|replicates of one batch|{measure}}.
    """
)

LISTED_CONTENT = lines(
    """
    The {samples|conditions|data} in $list {are the same|were taken from the same experiment|come from
        {one|the same}
        {batch|cohort|series}}.
    {Legends|Colours|Labels} in $list {are the same|refer to the same {few} {groups|samples}}.
    {Note the different {scale|axis|order}|The order of samples differs} in $list.
    """
)

#: Sentences of the running text: `$np` for a panel's noun, `$is`, `$shows` and `$figure` to match.
REFERENCES = lines(
    """
    $Np $is shown in $figure.
    {We|We first|We then|Next, we} {examined|analysed|looked at|inspected|turned to} $np ($figure).
    {As shown in|As seen in|According to} $figure, $np $showed {a {clear}
        {difference|change|effect}|{no|little} change|the expected pattern}.
    $figure $shows $np.
    {In line with this|Consistent with this|Similarly|In contrast|However|Moreover}, $np {changed|differed}
        {|markedly |slightly }{after {treatment}|between the groups|with time} ($figure).
    {The results|Details|The data} for $np {are given|can be found|are summarised} in $figure.
    {Treatment|The change} {affected|had {no|a {clear}} effect on} {measure}, {as seen|which is evident} in
        $np ($figure).
    """
)

PAIRED_REFERENCES = lines(
    """
    {The results|The data} for $np {agreed|were consistent} ($figure).
    {We|We also} compared $np ($figure).
    $figure $shows $np.
    {Further evidence|Support} comes from $np ($figure).
    """
)

FIGURE_REFERENCES = lines(
    """
    {The results|The findings|Results} {on|for} {measure} are {shown|summarised} in $figure.
    {This|The effect of {treatment}} is {shown|illustrated} in $figure.
    {An overview is|Examples are} given in $figure.
    """
)
