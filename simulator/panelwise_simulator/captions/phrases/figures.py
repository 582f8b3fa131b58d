"""What captions say of distributions and matrices."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.language import Phrases, phrases
from panelwise_simulator.captions.phrases.plots import DIFFERENCE, NOTES_DISTRIBUTIONS, NOTES_MATRICES

DISTRIBUTIONS: dict[str, Phrases] = {
    "box_plot": phrases(
        """
        {box plot|boxplot|box-and-whisker plot} of {measure} {in|for|of} {{cohort}|{sample}}
        {distribution|comparison|variation} of {measure} {among|between} {groups|the {few} {classes|conditions}}
        {box plots|boxplots} of {measure} {with and without {treatment}|in {cohort}}
        """,
        """
        {|box plot of |distribution of }{@measure} in {{cohort}|{sample}}
        {box plot|distribution} of {measure} in {@group}
        {measure} in {@site}
        {expression|level|levels} of {@marker} {by group|in {cohort}}
        """,
        DIFFERENCE,
        NOTES_DISTRIBUTIONS,
    ),
    "violin": phrases(
        """
        {violin plot|violin plots} of {measure} {in|for|across} {{cohort}|{sample}|groups}
        {distribution|density} of {measure} {across|in} {groups|{sample}|clusters}
        """,
        """
        {violin plot|distribution} of {@measure}
        {violin plots|distribution} of {measure} in {@group}
        {violin plot|expression} of {@marker}
        """,
        DIFFERENCE,
        NOTES_DISTRIBUTIONS,
    ),
    "scatter": phrases(
        """
        {correlation|relationship|association} {between|of} {measure} and {~measure}{| in {cohort}| (r =
            0.{#31-94})}
        {measure} {plotted against|versus|as a function of} {~measure}{| for {cohort}}
        {linear regression|scatter plot|Bland–Altman plot} of {measure} {on|and} {~measure}
        """,
        """
        {correlation of {measure}|relationship of {measure}} with {@measure}
        {correlation|scatter plot|relationship between {measure} and {~measure}} in {@group}
        {scatter plot|correlation} at {@time}
        """,
        """
        a {positive|negative|weak|strong|nonlinear} {correlation|association|relationship} (r = {|−}0.{#18-96})
        {no correlation|a good fit|two clusters|some outliers}
        """,
        NOTES_DISTRIBUTIONS,
    ),
    "volcano": phrases(
        """
        {volcano plot|MA plot} of {differentially expressed|altered|significant}
            {genes|proteins|metabolites}{| in {sample}}
        {volcano plot|differential expression analysis} {comparing|of} {{treatment} and control|the two groups}
        """,
        """
        {volcano plot|differential expression} in {@group}
        {volcano plot|differential expression} at {@time}
        volcano plot for {@site}
        """,
        """
        {#34-980} {up-|down-}regulated {genes|proteins}
        {more|fewer} up-regulated than down-regulated genes
        """,
        """
        {Red|Orange} and {blue|green} dots {mark|are|represent} up- and down-regulated {genes|features}.
        {Dashed lines|Dotted lines} {mark|show} {the thresholds|a fold change of {1.5|2} and {FDR|P} = 0.05}.
        """,
    ),
    "histogram": phrases(
        """
        {histogram|frequency distribution|size distribution} of {measure} {in|of} {{sample}|{cohort}}
        {distribution|probability density} of {measure}{| (n = {#120-4800/10})}
        """,
        """
        {histogram|frequency distribution|distribution} of {@measure}
        {histogram|distribution} of {measure} in {@group}
        {histogram|distribution} at {@time}
        """,
        """
        {a mean|a median} of {#2.1-96.4}
        {a skewed|a bimodal|a narrow|an approximately normal} distribution
        """,
        """
        The {dashed|vertical|red} line {marks|shows} the {mean|median|threshold}.
        The {solid|red|black} curve is a {Gaussian|log-normal|kernel density} fit.
        """,
    ),
    "pca": phrases(
        """
        {PCA|principal component analysis|PCA score plot} of {{sample}|the {few} groups|all samples}
        {t-SNE|UMAP|PCoA|NMDS} {plot|map|ordination} of {{sample}|all samples|{n} profiles}
        """,
        """
        {PCA|UMAP|ordination} of {@group}
        {PCA|ordination|PCoA} at {@time}
        {UMAP|t-SNE map} coloured by {@marker}
        {PCA|ordination} of samples from {@site}
        """,
        """
        {separation|clear clustering|overlap} of {the groups|treated and untreated samples|replicates}
        {#21-64}% of the variance on the first {axis|component}
        """,
        """
        {Colours|Symbols} {mark|indicate|denote} {groups|batches|clusters|treatments}.
        ~Ellipses are 95% confidence {regions|ellipses}.
        {Percentages|Axis labels} give the explained variance.
        """,
    ),
    "flow_cytometry": phrases(
        """
        {flow cytometry|flow cytometric analysis|FACS analysis} of {sample}{| after {treatment}| stained
            for {gene}}
        {gating strategy|gating scheme|representative dot plots} for {gene}-positive cells
        {representative |}flow cytometry plots of {sample}
        """,
        """
        {flow cytometry|dot plot|FACS plot} of {@group}
        flow cytometry at {@dose}
        {flow cytometry of {sample}|FACS analysis} at {@time}
        """,
        """
        {#3-78}% {positive|apoptotic|viable} cells
        {a shift|an increase} of the {positive|late apoptotic} fraction
        """,
        """
        {Numbers|Numbers in the gates} {give|are} percentages{| of the parent population}.
        {Gates|Quadrants} were set with {isotype|unstained} controls.
        """,
    ),
    "radar": phrases(
        """
        {radar chart|radar plot|spider plot|spider chart} of {the {few} {scores|criteria|traits}|{measure}}
            {in|of|for} {{sample}|{cohort}}
        {scores|profile} of {sample} for {#5-8} {criteria|attributes|traits}
        """,
        """
        {radar chart|profile} of {@group}
        {radar plot|scores} at {@time}
        {radar plot|profile} for {@site}
        """,
        """
        {higher|lower|balanced} scores for {the first {criteria|traits}|all criteria}
        a similar profile {of|in} {both|all} groups
        """,
        """
        Axes {are scaled|run} from 0 to {1|5|10|100}.
        {Colours|Lines} {mark|show} {groups|treatments}.
        """,
    ),
}

MATRICES: dict[str, Phrases] = {
    "heat_map": phrases(
        """
        {heat map|heatmap} of {{measure}|expression of {#12-86} genes|correlation coefficients}
            {in|across|for} {{sample}|{cohort}|all samples}
        {hierarchical clustering|clustered heat map} of {sample}{| and {#10-90} {features|genes}}
        {pairwise|Pearson} {correlations|similarity} {between|of} {samples|replicates|variables}
        """,
        """
        {heat map|heatmap} of {@measure}
        {heat map|heatmap|clustering} of {features|samples} in {@group}
        {heat map|correlations} at {@time}
        {heatmap|heat map} for {@site}
        """,
        """
        {two|three|several} clusters of {genes|features|samples}
        {high|low|opposite} values in {the first|treated} samples
        {little|strong} variation between replicates
        """,
        NOTES_MATRICES,
    ),
    "confusion_matrix": phrases(
        """
        {confusion matrix|normalised confusion matrix} {of|for} the {test|validation|external} set
        {confusion matrix|agreement} {between|of} {predicted and true classes|the {few} classes}
        """,
        """
        confusion matrix {of|for} {@model}
        confusion matrix for {@group}
        """,
        """
        {most errors|confusion} between {the first two|neighbouring} classes
        an accuracy of 0.{#71-97}
        """,
        """
        Rows are {true|actual} and columns predicted classes.
        {Values|Numbers} are {percentages|counts|normalised by row}.
        """,
    ),
    "contour": phrases(
        """
        {contour plot|contour map|two-dimensional map|isolines} of {measure}{| in {sample}}
        {simulated|measured|calculated} {distribution|field|map} of {measure}
        """,
        """
        {contour plot|map|distribution} of {@measure}
        {contour map of {measure}|map of {measure}} at {@time}
        {distribution of {measure}|contours} at {@dose}
        {calculated field|contour map} for {@group}
        """,
        """
        {a maximum|a minimum|a steep gradient} {near the centre|at the {left|upper} edge|close to the boundary}
        {a symmetric|an asymmetric|a shifted} distribution
        """,
        NOTES_MATRICES,
    ),
    "surface_plot": phrases(
        """
        {response surface|surface plot|three-dimensional plot|3D surface} of {measure} {against|as a
            function of} {two variables|time and temperature|pH and time}
        {response surface|3D plot} {showing|of} the {interaction|combined effect} of {two
            factors|{treatment} and time}
        """,
        """
        {response surface|3D surface|surface plot} of {@measure}
        {response surface|surface} at {@dose}
        {response surface|surface} for {@group}
        """,
        """
        {an optimum|a saddle point|a ridge} {near the centre|at intermediate values}
        {a {clear}|a weak} interaction of the two factors
        """,
        NOTES_MATRICES,
    ),
}
