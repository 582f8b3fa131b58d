"""What captions say of charts, curves, distributions and matrices."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.language import Phrases, phrases

DIFFERENCE = """
    {an increase|a decrease|a {clear} rise|a reduction} {of|in} {measure} after {treatment}
    {no|a {clear}} difference between {the groups|the conditions|the two {sets|series}}
    {higher|lower|similar} {measure} {than in the control|after {treatment}|throughout}
    {a {clear}|little} effect of {treatment}
    the {strongest|weakest} effect {at the highest level|in the first group|after {treatment}}
"""

_TREND = """
    {a {clear}|an early|a late} {increase|decrease|maximum|plateau} of {measure}
    {no|little} change {over time|after {treatment}}
    {a faster|a slower|a delayed} {rise|decline|response} {after|without} {treatment}
    {good|close|poor} agreement between {data and fit|replicates|model and data}
"""

_NOTES_BARS = """
    ~{Different letters|Letters above the bars} {mark|indicate} {significant differences|groups that differ}.
    {Dots|Circles|Points} {show|are} {individual|single} {values|replicates|measurements}.
    ~{Values|Data} were normalised to {the control|day 0|the mean of all samples|the untreated samples}.
    {Bars are|The bars are} {ordered|coloured} by {group|{treatment}}.
"""

_NOTES_CURVES = """
    The {dashed|dotted|vertical|grey} line {marks|indicates|shows} {the {onset|end} of treatment|the
        threshold|the control|the mean}.
    ~{Shaded areas|Shading|Coloured bands} {show|indicate|give} the 95% confidence {interval|band}.
    {Solid|Thick} lines are {fits|means|smoothed data}; {dots|thin lines} are {raw data|single
        {runs|measurements}}.
    The {inset|insert} shows {the first {#5-60/5} {min|h|s}|an enlarged view|the linear range}.
"""

NOTES_DISTRIBUTIONS = """
    ~{Boxes|The boxes} {show|span|give} the interquartile range; {lines|centre lines}, medians; whiskers,
        1.5 × IQR.
    Each {dot|point|circle} {represents|is} {one|a single} {sample|measurement|individual|experiment}.
    The {red|blue|black|dashed} line {shows|marks|is} {the linear fit|the median|the regression line|equality}.
    {Outliers|Extreme values} are shown as {circles|open dots|crosses}.
"""

NOTES_MATRICES = """
    {Colour|The colour} {scale|code|bar} {gives|shows|indicates} {z-scores|log2 fold change|relative
        values|correlation coefficients}.
    {Rows|The rows} were {clustered|ordered} {by Euclidean distance|hierarchically|by {measure}}.
    {Red|Yellow|Warm colours} and {blue|purple|cold colours} {stand for|indicate} {high and low
        values|increase and decrease}, respectively.
    {White|Grey} {cells|squares|fields} {indicate|mark} missing {values|data}.
"""

_BARS = """
    {@measure} {of|in} {{sample}|{cohort}}
    {@measure} {after|with and without} {treatment}
    {measure} {of|in} {@group}
    {measure} in {@site}
    {|relative |mean |normalised }{measure} at {@time}
    {|relative }{abundance|level|expression|content} of {@marker} in {sample}
    {measure} {of|in} {sample} at {@dose}
    {changes|change} of {@measure} under {treatment}
"""

CHARTS: dict[str, Phrases] = {
    "bars": phrases(
        """
        {|mean |relative }{measure} {of|in} {{sample}|{cohort}}{| after {treatment}| with and without {treatment}}
        {quantification|statistical analysis|comparison} of {measure} {in|of} {sample}
        {expression|relative expression|mRNA levels} of {gene} in {{sample}|{cohort}}
        {bar chart|bar plot|bar graph} of {measure} {by|for each} {group|treatment|category}
        effect of {treatment} on {measure}{| of {sample}}
        """,
        _BARS,
        DIFFERENCE,
        _NOTES_BARS,
    ),
    "grouped_bars": phrases(
        """
        {measure} {of|in} {{sample}|{cohort}} {with and without {treatment}|by group and time|under both
            conditions}
        {comparison of {measure}|{measure}} {between|among} {groups|conditions|treatments}{| for {few}
            {time points|levels}}
        {relative|normalised|mean} {measure} for {few} {groups|conditions|time points}
        """,
        _BARS,
        DIFFERENCE,
        _NOTES_BARS,
    ),
    "stacked_bars": phrases(
        """
        {composition|relative abundance|proportions} of {the {few} classes|categories|the main groups}
            {in|of} {sample}
        {stacked bars|stacked bar chart} of {the shares|the proportions|the fractions} {in|of} {{sample}|{cohort}}
        {distribution|breakdown} of {cohort} {by|over} {category|class|{few} classes}
        """,
        """
        {composition|class shares|proportions} in {@group}
        {relative abundance|composition|share of classes} in {@site}
        {distribution of classes|proportions} at {@time}
        """,
        """
        a {larger|smaller} {share|proportion} of {the second class|the main class|unassigned items}
        {a shift|no shift} in composition after {treatment}
        """,
        _NOTES_BARS,
    ),
    "pie": phrases(
        """
        {pie chart|share|proportion} of {categories|classes|answers|the {few} main groups} {in|among} {cohort}
        {distribution|percentage} of {the {few} classes|categories|causes|types} {in|among} {cohort}
        """,
        """
        {pie chart|proportions|share of classes} for {@group}
        {proportions|distribution} in {@site}
        """,
        """
        {a majority|{#21-68}%} in the {first|largest} class
        {nearly equal|very unequal} shares
        """,
        """
        Numbers {give|are} {percentages|counts}.
        Classes below {1|2|3|5}% are {pooled|shown as "other"}.
        """,
    ),
    "venn": phrases(
        """
        {Venn diagram|overlap} of {genes|proteins|transcripts|items|hits} {in|between} {the {few}
            sets|groups|conditions}
        {numbers|number} of {shared and unique|common and specific} {genes|features|hits}
        {Venn diagram|overlap} {showing|of} {differentially expressed genes|the {few} lists|significant features}
        """,
        """
        {Venn diagram|overlap} of {genes|features|hits} in {@group}
        {overlap|Venn diagram} of {features|items} at {@time}
        {overlap|Venn diagram} for {@site}
        """,
        """
        {#12-930} {genes|features|items} common to {all|both} {sets|groups}
        {little|a large} overlap between {the sets|conditions}
        """,
        """
        Numbers {are|give} {counts|the number of features} in each {set|area}.
        {Overlap|The overlap} was tested by the hypergeometric test.
        """,
    ),
    "forest_plot": phrases(
        """
        {forest plot|hazard ratios|odds ratios|pooled estimates} {of|for} {{measure}|{treatment}}
            {in|among} {cohort}
        {meta-analysis|subgroup analysis|multivariable analysis} of {the effect of {treatment}|{measure}}
        """,
        """
        {forest plot|odds ratios|hazard ratios} for {@measure}
        {effect of {treatment}|estimates|odds ratios} in {@group}
        """,
        """
        {a benefit|no benefit|higher odds} {of|with} {treatment}
        {low|high|moderate} heterogeneity (I2 = {#4-91}%)
        """,
        """
        {Squares|Diamonds} {are|show} {point|pooled} estimates; {horizontal lines|whiskers}, 95% CI.
        The vertical line marks {no effect|a ratio of 1}.
        """,
    ),
}

CURVES: dict[str, Phrases] = {
    "time_course": phrases(
        """
        {time course|kinetics|development|changes} of {measure} {in|of} {{sample}|{cohort}}{| after
            {treatment}| during {treatment}}
        {measure} {over time|over {#5-90/5} {days|min|h}|during the experiment}{| in {cohort}}
        {temporal|daily|weekly} {profile|course|variation} of {measure}
        """,
        """
        {time course|kinetics} of {@measure}{| after {treatment}}
        {time course of {measure}|{measure} over time} in {@group}
        {temporal profile|time course} of {measure} at {@dose}
        {dynamics|time course} of {@marker}
        """,
        _TREND,
        _NOTES_CURVES,
    ),
    "line_chart": phrases(
        """
        {measure} {as a function of|versus|against|plotted against} {time|level|the input}
        {dependence of {measure} on|variation of {measure} with} {level|time|the setting}{| in {sample}}
        {profile|profiles|curves} of {measure} {in|of} {sample}
        """,
        """
        {@measure} {as a function of time|versus level|over time}
        {measure} versus {time|level} {in|for} {@group}
        {profile|profiles} of {measure} at {@stage}
        {measure} {against time|over time} at {@dose}
        """,
        _TREND,
        _NOTES_CURVES,
    ),
    "dose_response": phrases(
        """
        {dose-response|dose–response|concentration-response} {curve|curves} of {compound}{| in {sample}}
        {inhibition|viability|relative response} of {sample} {exposed to|at increasing concentrations of}
            {compound}
        {titration|binding curve|saturation curve} of {compound}{| with {gene}}
        """,
        """
        dose-response {curve|curves} of {@group}
        {dose-response curve|response} at {@time}
        {dose dependence|concentration dependence} of {@measure}
        """,
        """
        {an IC50|an EC50|a Kd} of {#.2-98.6} {µM|nM}
        {saturation|a plateau|no effect} {at|above} {#10-90/10} {µM|nM}
        """,
        _NOTES_CURVES,
    ),
    "survival": phrases(
        """
        {Kaplan–Meier|Kaplan-Meier} {curves|estimates|plot} {of|for}
            {overall|progression-free|event-free|relapse-free} survival{| of {cohort}| by {gene} level}
        {overall|disease-free|cumulative} survival of {cohort}
        survival {curves|curve} of {{cohort}|animals} {after|with and without} {treatment}
        """,
        """
        {overall survival|survival curves|Kaplan–Meier curves|survival} of {@group}
        survival of {cohort} at {@dose}
        """,
        """
        {longer|shorter} survival {after {treatment}|in the high-{gene} group|of treated {animals|patients}}
        {no difference between the {groups|arms} (P = 0.{#11-88})|a significant difference between
            {groups|arms} (P = 0.0{#11-48})}
        a hazard ratio of {#.31-2.94}
        """,
        """
        {Ticks|Tick marks|Crosses} {mark|indicate} censored {data|patients|observations}.
        {Numbers at risk|The numbers at risk} are {given|listed} below the {curves|axis}.
        ~P {values were|value was} calculated {with|by} the log-rank test.
        """,
    ),
    "spectrum": phrases(
        """
        {XRD pattern|FTIR spectrum|Raman spectrum|UV–vis spectrum|absorption spectrum|emission spectrum|NMR
            spectrum} of {sample}
        {FTIR spectra|Raman spectra|XRD patterns|absorption spectra} of {sample} {before and after
            {treatment}|with and without {treatment}}
        {power spectrum|spectral density|mass spectrum} of {{sample}|{measure}}
        """,
        """
        {spectrum|Raman spectrum|XRD pattern|FTIR spectrum|absorption spectrum} of {@group}
        {spectra|emission spectra|XRD patterns} of {sample} at {@stage}
        {spectrum|spectra} after {@time}
        """,
        """
        {a peak|a band|a shoulder} at {#210-1780} {cm−1|nm}
        {a shift|broadening|splitting} of the {main|first|second} {peak|band}
        {reflections|peaks} {of the {main|second} phase|assigned to {compound}}
        """,
        """
        {Spectra|Curves} are {offset|shifted|normalised} for clarity.
        {Asterisks|Arrows|Dashed lines} mark {the {main|characteristic} {peaks|bands}|impurities}.
        The {excitation|laser} wavelength was {#260-785} nm.
        """,
    ),
    "chromatogram": phrases(
        """
        {HPLC|GC–MS|LC–MS|HPLC–UV} {chromatogram|trace|profile} of {sample}
        {elution profile|chromatogram|size-exclusion chromatogram} of {{sample}|{compound}|the purified fraction}
        {HPLC|total ion} chromatograms of {sample}
        """,
        """
        {chromatogram|HPLC profile|elution profile} of {@group}
        {chromatogram|HPLC trace} at {@stage}
        extracted ion chromatogram of {@marker}
        """,
        """
        {a peak|the main peak|a new peak} at {#1.2-38.9} min
        {separation|co-elution} of {few} {peaks|compounds}
        """,
        """
        Peaks: 1, {compound}; 2, internal standard.
        Detection was at {#210-380} nm.
        {Numbers|Peak numbers} {are as|refer to compounds} in Table {1|2|3}.
        """,
    ),
    "trace": phrases(
        """
        {representative|example|typical} {trace|traces|recording|recordings} {from {sample}|of {measure}}
        {raw|filtered|averaged} {signal|trace|voltage trace|current trace}{| during {treatment}}
        {recording|time series} of {measure} {before and after|during} {treatment}
        """,
        """
        {representative|example} {trace|traces|recordings} from {@group}
        {trace|recording} {in|from} {@site}
        {trace|signal} at {@dose}
        """,
        """
        {spontaneous|evoked|synchronous|rare} {events|spikes|transients|bursts}
        {a slow drift|fast transients|oscillations at {#2-80} Hz}
        {an increase|a drop} of {measure} {at stimulus onset|during {treatment}}
        """,
        """
        {Horizontal bars|Grey bars|Ticks|Shaded periods} {mark|indicate} {the stimulus|{treatment}}.
        {Black|Thick} lines are {averages|means} of {#5-60} {trials|sweeps}.
        """,
    ),
    "roc_curve": phrases(
        """
        {ROC|receiver operating characteristic} {curve|curves|analysis} {of|for} {measure}
        {ROC curve|precision–recall curve} for {the prediction of {measure}|the {test|validation} set|{few}
            classifiers}
        """,
        """
        ROC {curve|curves} {of|for} {@model}
        ROC curve for {@group}
        ROC {curve|analysis} of {@marker}
        """,
        """
        an AUC of 0.{#71-98}
        {higher|similar|lower} {sensitivity|AUC} {than the baseline|of the combined model}
        """,
        """
        The {diagonal|dashed line} {marks|shows|corresponds to} chance.
        ~{Shaded bands|Bands} {are|show} 95% confidence intervals{| from {500|1,000|2,000} bootstrap samples}.
        """,
    ),
}
