"""The words that pages use in a sense of their own, explained once: {% term "coherence" %} in a
template, and the page /glossary/.

`says` is what opens beside the word: one or two sentences that are understood by themselves. `more`
is on the page alone: how the number is made, how it is to be read, where it comes from.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    name: str
    says: str
    more: str = ""


TERMS = {
    # What is looked at
    "corpus": Term("corpus", "A collection of texts that was uploaded together."),
    "document": Term(
        "document",
        "One text of the corpus: a row of a table, a file, a section of a speech.",
        "What counts as one document decides what topics can be found: the model only looks at"
        " which words occur in the same document.",
    ),
    "token": Term(
        "word (token)",
        "One occurrence of a word in a text. “War, war, peace” has three tokens of two different"
        " words.",
        "Where a page counts words it counts tokens, and only those of the vocabulary. A figure"
        " such as 5.4% of the words is such a count divided by all of them.",
    ),
    "vocabulary": Term(
        "vocabulary",
        "All different words that the model counts. Stop words, very rare words and very common"
        " words are left out.",
        "Words are compared in lower case. Unless you asked for stems or lemmas, “war” and “wars”"
        " are two words.",
    ),
    "stop-word": Term(
        "stop word",
        "A word such as “the”, “of” or “and” that says little about what a text is about, and is"
        " left out.",
        "The corpus page says how many words were left out, and why.",
    ),
    "metadata": Term(
        "metadata",
        "What is known about a document besides its text, such as its date, author or party.",
    ),
    # What is found
    "topic": Term(
        "topic",
        "A group of words that tend to occur in the same documents. The model finds topics without"
        " help; readers decide what they mean.",
        "Each topic gives a weight to every word of the vocabulary; its first words are those with"
        " the largest weights. A topic may be a subject, a way of speaking, a genre, or an artefact"
        " of how the texts were produced. Topic numbers (T07) are fixed within a run. They say"
        " nothing about size, and another run numbers its topics differently.",
    ),
    "topic-model": Term(
        "topic model",
        "A statistical description of a corpus: each document is a mixture of topics, and each"
        " topic is a distribution over words. The best known topic model is latent Dirichlet"
        " allocation (LDA).",
        "Blei, Ng and Jordan 2003. The model ignores the order of words. The methods page of a run"
        " says how it was trained and by which paper; the default is sparse stochastic inference"
        " (Mimno, Hoffman and Blei 2012).",
    ),
    "share": Term(
        "share",
        "The percentage of words that the model assigns to a topic: in a document, in a group of"
        " documents, or in the whole corpus.",
        "At the end of a run each word of each document is assigned to one topic. A share is the"
        " number of words assigned to the topic, divided by the number of all words. Words outside"
        " the vocabulary are not counted.",
    ),
    "proportion": Term(
        "proportion (theta)",
        "How large each topic is in a document, written θ (theta). The proportions of a document"
        " add up to 100%.",
        "In a short document it rests on few words and is therefore uncertain.",
    ),
    "weight": Term(
        "weight (beta)",
        "The probability of a word in a topic. A word with weight 0.012 makes up about 12 of every"
        " 1,000 words of the topic.",
        "Written β (beta). The weights of all words of a topic add up to 1.",
    ),
    "certainty": Term(
        "certainty",
        "How sure the model is about the topic of a word in a document: the probability of the"
        " topic it was assigned to.",
        "It depends on the word and on the topics of its document. Below one half, other topics"
        " together are more probable.",
    ),
    "sense": Term(
        "sense",
        "A word as one topic uses it: “power” among nations is not “power” from a river. The senses"
        " of a word are the topics that use it.",
        "The model does not know dictionaries. One dictionary sense may be spread over several"
        " topics, and one topic may combine two senses.",
    ),
    "passage": Term(
        "passage",
        "Consecutive characters of one document. Each passage that is shown has an address, can be"
        " cited and pinned, and leads to documents with similar topics.",
    ),
    "keyword-in-context": Term(
        "keyword in context",
        "Lines from the texts with one word in the middle, so that its uses can be compared. Also"
        " called a concordance or KWIC.",
    ),
    "rank-1": Term(
        "rank 1",
        "How often a topic is the largest in a document: the share of the documents in which it"
        " comes first.",
        "A topic with a large share of all words that is never first is spread thinly. It is often"
        " a way of speaking rather than a subject.",
    ),
    # How good a topic is
    "topic-kind": Term(
        "clear, mixed and general topics",
        "Whether a topic’s first words share their passages. A clear topic’s do; those of a mixed"
        " one fall into two parts that seldom meet; a general one’s are all over the texts.",
        "Read the documents of a mixed topic before you name it. Mixed: by the second eigenvalue of"
        " the company of its first words; general: by how evenly its words are spread; unstable:"
        " found by fewer than half of the trainings with other seeds. A topic’s page says why, and"
        " names a topic with nearly the same words.",
    ),
    "other-seeds": Term(
        "found again with other seeds",
        "In how many further trainings, with the same settings and other random beginnings, the"
        " same topic was found.",
        "The same: alike from 0.6, and clearly more so than any other. Such trainings are made"
        " when the computer is idle, and kept for this alone. Claim little from a topic that"
        " they do not find: its words fall to other topics by chance.",
    ),
    "consensus": Term(
        "consensus of runs",
        "What runs with different seeds have in common: each topic is the mean of those that are"
        " most like it. A run that begins with it finds more of the same topics, whatever the seeds"
        " were.",
        "From the run that is most like the others; topics are matched one to one, weighted by the"
        " square of how much their similarity exceeds 0.3, six times over. Then the run is trained"
        " on as any other that begins with given topics.",
    ),
    "coherence": Term(
        "coherence",
        "Whether the first words of a topic occur in the same documents. Topics with high coherence"
        " are usually easier to interpret.",
        "Topograph reports two measures, UMass and NPMI; both use the first ten words. Low"
        " coherence is a reason to look closer, not a verdict.",
    ),
    "umass": Term(
        "UMass coherence",
        "Coherence from how often two of a topic’s first ten words occur in the same document,"
        " given the higher-ranked one. Nearer to 0 is better; values such as −70 are common.",
        "The sum over all pairs of log((documents with both words + 1) / documents with the higher"
        " ranked word). Mimno, Wallach, Talley, Leenders and McCallum 2011. Compare it between"
        " topics of one corpus only: it favours frequent words.",
    ),
    "npmi": Term(
        "NPMI coherence",
        "Coherence from how much more often than by chance two of a topic’s first ten words occur"
        " in the same document. It ranges from −1 to 1; 0 is chance, and higher is better.",
        "Normalised pointwise mutual information, averaged over all pairs (Bouma 2009). Lau, Newman"
        " and Baldwin 2014 found that it agrees well with readers’ judgement.",
    ),
    "exclusivity": Term(
        "exclusivity",
        "Whether a topic’s first words belong to it alone. Near 1, other topics hardly use them;"
        " near 0, it shares them with many topics.",
        "The mean, over the first ten words, of the word’s weight in this topic divided by the sum"
        " of its weights in all topics.",
    ),
    "effective-words": Term(
        "effective words",
        "How many words a topic effectively consists of. A topic with 40 effective words is as"
        " narrow as one of 40 equally frequent words.",
        "One divided by the sum of the squared weights. Very few: often a name or a formula. Very"
        " many: often a topic of leftovers.",
    ),
    "document-entropy": Term(
        "document entropy",
        "How evenly a topic is spread over documents. Low: a few documents hold most of it. High:"
        " many documents hold a little of it.",
        "The entropy, in nats, of the distribution of the topic’s words over documents. Its"
        " exponential is about the number of documents over which an evenly spread topic would"
        " extend.",
    ),
    "corpus-distance": Term(
        "distance from the corpus",
        "How much a topic differs from the corpus as a whole. Near 0, it uses words as all"
        " documents do.",
        "The Kullback–Leibler divergence, in nats, of the topic from the frequencies of words in"
        " the corpus.",
    ),
    "uniform-distance": Term(
        "distance from uniform",
        "How much a topic differs from one in which all words are equally probable. Near 0, the"
        " model has learned hardly anything about it.",
        "The Kullback–Leibler divergence, in nats, of the topic from equal weights for all words of"
        " the vocabulary.",
    ),
    # Which words tell topics apart
    "lift": Term(
        "lift",
        "How many times more frequent something is here than overall: 1 is as often as anywhere, 3"
        " is three times as often.",
        "For a word in a topic: its weight in the topic divided by its frequency in the corpus. For"
        " two topics: how many times more documents contain both than expected by chance. It"
        " favours rare words and topics.",
    ),
    "relevance": Term(
        "relevance",
        "An order of a topic’s words that balances frequent against distinctive words; λ (lambda)"
        " sets the balance.",
        "λ log(weight) + (1 − λ) log(lift). With λ = 1 words are in the order of their weights,"
        " with λ = 0 in that of their lift. Sievert and Shirley 2014 found about 0.6 best for"
        " interpreting topics.",
    ),
    "held-constant": Term(
        "time held constant",
        "Two sets that speak at different times differ also because times change. Here they are"
        " compared as if both spoke when the first does.",
        "Documents’ shares are regressed on the set and on a linear spline of the period (month,"
        " year or decade, as suits the texts) with up to five bends, documents weighted by their"
        " words; variances are CR2 (Pustejovsky and Tipton 2018). Where a set has less than a"
        " quarter of its words in periods in which both speak, no interval is given.",
    ),
    "effect": Term(
        "effect",
        "How a topic’s share changes when one thing that is known of the documents changes, and"
        " what is held constant does not.",
        "Documents’ shares are regressed on the formula, documents weighted by their words; shares"
        " are those expected at either setting, with what is held constant at its average. Numbers"
        " and dates are lines, or linear splines with up to five bends, in 1,024 steps; of a"
        " category the twelve most frequent values are told apart. Variances are CR2 with"
        " Satterthwaite’s degrees of freedom, by the unit that was chosen (Pustejovsky and Tipton"
        " 2018). With fewer than five units on a side nothing is said, nor where one unit alone"
        " decides.",
    ),
    "effect-named": Term(
        "beyond chance",
        "Among many topics some differ by chance. Of the topics that are said to differ beyond"
        " chance, at most one in twenty does not, on average.",
        "The procedure of Benjamini and Hochberg (1995) over all topics of the run that are neither"
        " hidden nor merged; their intervals are at the level of Benjamini and Yekutieli (2005).",
    ),
    "corrected": Term(
        "corrected for reading",
        "As each word is given to one topic, every text is pulled towards what is usual, and"
        " differences are counted too small. This is the difference without that loss, if the"
        " topics are right.",
        "With a hundred topics the loss was a third. Words’ sums are weighed by the inverse of the"
        " company of topics, (B P B')⁻¹ B P, B the topics’ words and P one over the words’ shares."
        " A topic whose variance others of like words inflate more than tenfold has none, nor have"
        " runs of more than 500 topics or 100 million pairs of a document and a word. What learning"
        " the topics loses is not mended.",
    ),
    "joint-test": Term(
        "one test of all runs",
        "Runs of the same texts are not independent, so their intervals can’t be added up. Here all"
        " are asked at once whether there is a difference.",
        "Units are exchanged between the groups 999 times, the same exchange in every run, where"
        " the date or a period is held constant within quarters of time; the statistic is the"
        " median over runs of the difference of the groups’ residuals (Simonsohn, Simmons and"
        " Nelson 2020), for the clearest of all topics the largest of all in each exchange"
        " (Westfall and Young 1993). A run without the topic counts as no difference. Over time"
        " nothing is exchanged: series are drawn without direction in which each period depends on"
        " the one before as much as in the texts, AR(1).",
    ),
    "distinctive-words": Term(
        "log-odds ratio of a word",
        "How certain it is that a word is more frequent in one part of the texts than in the other."
        " Words seen only a few times count little.",
        "In standard errors, with the frequencies of both parts together as the prior (Monroe,"
        " Colaresi and Quinn 2008). Words are listed from 2.58 standard errors on; chance alone"
        " reaches that once in 100 words.",
    ),
    "keyness": Term(
        "keyness of a word",
        "How many times as often one set of documents uses a word as another, with its interval."
        " Whoever speaks is counted as independent, not words: a word that few use has a wide"
        " interval.",
        "The ratio of relative frequencies (its logarithm is the log ratio of Hardie 2014), with"
        " Fieller’s interval; words are chosen by Benjamini and Hochberg’s procedure, and all"
        " intervals have the level at which those of chosen words do not contain 1, equal frequency"
        " (Benjamini and Yekutieli 2005). Evidence is the log-likelihood ratio G2 (Dunning 1993), for an order"
        " only.",
    ),
    "dp": Term(
        "dispersion of a word (DP)",
        "How unevenly a word is spread over the parts of a set, such as its presidents: 0 if it is"
        " as frequent in each, near 1 if it stands in a small part alone.",
        "Half the sum of the differences between each part’s share of the word’s tokens and its"
        " share of all tokens (Gries 2008), of documents that have a part.",
    ),
    "collocation": Term(
        "collocation of a word",
        "A word that occurs near another more often than if words were spread evenly: within some"
        " words before or after it, in one document.",
        "Of the chosen documents, f: tokens near the word, counted once where several of its"
        " occurrences are near. logDice is 14 + log2 of 2 f over the sum of both words’ tokens"
        " (Rychlý 2008): 1 more is twice as often, whatever the size of the corpus. G² is the"
        " log-likelihood ratio of the four cells, near or not, this word or another (Dunning 1993),"
        " below 0 where there are fewer than expected. t is (f − expected) / √f (Church et al."
        " 1991). G² and t take tokens as independent: use them for an order only.",
    ),
    "collocation-network": Term(
        "network of collocations",
        "Which collocations of a word come together: two are linked if they are near the same"
        " occurrences of it more often than if each came there independently.",
        "Each occurrence of the word has one window, also where it overlaps the next one, and of n"
        " windows f₁ and f₂ have one word and the other: f₁ f₂ / n are expected to have both."
        " Linked are two of the first fifteen collocations if more have both, in at least so many"
        " documents as are asked for, with a G² of 10.83 or more: of independent windows 1 in 1,000"
        " pairs has as much by chance. Windows of one document are seldom independent.",
    ),
    "jensen-shannon": Term(
        "Jensen–Shannon divergence",
        "How different two topics are, from the weights of all their words: 0 if they are the same,"
        " 0.69 if they share no word.",
        "Lin 1991, in nats; the maximum is log 2. Distances on the topic map approximate its square"
        " root.",
    ),
    "similarity": Term(
        "similarity of topics",
        "How alike two topics are in their words: 100% if each word has the same weight in both, 0%"
        " if they share no word.",
        "One minus the Jensen–Shannon divergence as a part of its largest value, over all words of"
        " both. Two topics of different runs are counterparts when the best pairing of"
        " all topics puts them together and their similarity is at least 60%: distinct topics of"
        " one run hardly come so near.",
    ),
    "stability": Term(
        "stability",
        "How reliably other runs find the same topic: the mean of its similarity to its"
        " counterpart in each of them.",
        "A run without a counterpart counts as 0%. Topics that return with every seed say more"
        " about the texts than those that do not. Greene, O’Callaghan and Cunningham 2014.",
    ),
    # How sure a number is
    "finding": Term(
        "finding",
        "Something that stands out in the documents, as a sentence with its number and its"
        " interval. It opens the passages it is about.",
        "Findings are ranked by size times certainty. What rose, fell, marks a group or changed its"
        " use passed a test with a false discovery rate of 5% (Benjamini and Hochberg 1995): of"
        " twenty that are named about one may be due to chance. That nothing is named does not mean"
        " that nothing changed.",
    ),
    "share-interval": Term(
        "95% confidence interval of a share",
        "The range that would contain the true share in 95 of 100 samples of documents of the same"
        " kind.",
        "It is computed from how much the share varies between the documents of a group, or"
        " between those who speak, where the corpus says who does: it is wide where there are few"
        " of them, or where a few hold most of the topic. Where each document counts by itself,"
        " sections of one speech or chapters of one book are alike, and then the interval is too"
        " narrow. It does not cover errors of the model itself. The linearised variance of a ratio"
        " on the scale of the logit: Cochran 1977, section 6.4.",
    ),
    "interval": Term(
        "interval",
        "The range in which the true number is expected, for other texts of the same kind. A"
        " difference is beyond chance where its interval lies on one side of 0.",
        "A confidence interval of 95%, in which who speaks is the unit. Where many topics are"
        " compared at once all rows of a table share one wider level, which the note below it says:"
        " at 95% chance alone would make some of them seem to differ (Benjamini and Yekutieli"
        " 2005). How many times as large a share is differs from chance where the interval lies on"
        " one side of 1.",
    ),
    "topic-information": Term(
        "mutual information of a topic and a group",
        "How much the year, the party or another group tells about the topic of a word. At 0 the"
        " topic is equally large in every group.",
        "Each topic’s part of the mutual information between topic and group, in nats per word. A"
        " large topic that changes a little and a small topic that changes much can have the same"
        " value. Cover and Thomas 2006, section 2.3.",
    ),
    "thin-bin": Term(
        "thin bin",
        "A year or other group with so few documents or words that its value says little. It is"
        " drawn lightly or not at all.",
    ),
    # How a run is made
    "run": Term(
        "run",
        "One training of a topic model on one corpus. Each run has its own topics; topic numbers of"
        " one run mean nothing in another.",
    ),
    "snapshot": Term(
        "snapshot", "The topics at one moment of a training. The pages show the last snapshot."
    ),
    "seed": Term(
        "seed",
        "The number that starts the random choices of a training. The same corpus, settings and"
        " seed give exactly the same topics; another seed gives different ones.",
        "A topic that appears with several seeds is more reliable than one that appears once.",
    ),
    "held-out": Term(
        "held-out likelihood",
        "How well the model predicts words it has not seen. Higher (nearer to 0) is better: −7.5 is"
        " better than −7.6.",
        "Some documents are held out of the training. The model sees half of the words of each and"
        " predicts the other half. The value is the mean natural logarithm of the probability of"
        " each word (nats per token). Good prediction and readable topics are not the same: Chang"
        " and others 2009.",
    ),
    "objective": Term(
        "objective",
        "What the training itself raises from step to step. Higher (nearer to 0) is better.",
        "For variational engines, a lower bound of the log probability of the words and of the"
        " model; for Frank-Wolfe and OPE, the log likelihood of the words at the mixtures that are"
        " inferred. It is divided by the words that are trained on, and measured on about 125 of"
        " their documents, the same at each point. Each engine has an objective of its own. Sparse"
        " stochastic inference, CVB0 and sequential Monte Carlo have none that can be measured on"
        " the way.",
    ),
    "left-to-right": Term(
        "left-to-right likelihood",
        "How well the model predicts whole documents it has not seen, each word from the words"
        " before it. Higher (nearer to 0) is better.",
        "The mean natural logarithm of the probability of each word (nats per token), estimated"
        " with particles: Wallach, Murray, Salakhutdinov and Mimno 2009. It is measured at the end"
        " of a run on the first 200 words, in random order, of some of the held-out documents.",
    ),
    "sparsity": Term(
        "non-zero parameters",
        "The percentage of word weights in topics that exceed the default weight of every word."
        " Fewer non-zero parameters need less memory and are faster to work with.",
        "Engines that spread every word over every topic have 100%; that does not make their topics"
        " worse.",
    ),
    "nat": Term(
        "nat",
        "A unit of information, from the natural logarithm: one nat is 1.44 bits.",
        "A difference of 0.1 nats per word means that the words are about 10% more probable.",
    ),
    "alpha": Term(
        "alpha (α)",
        "A setting: how many topics a document is expected to mix. With small values each document"
        " has few topics.",
        "The Dirichlet prior of a document’s proportions, as if each topic had been seen α times in"
        " each document before reading it.",
    ),
    "eta": Term(
        "eta (η)",
        "A setting: how many different words a topic is expected to use. Small values give topics"
        " of fewer words.",
        "The Dirichlet prior of a topic’s weights, as if each word had been seen η times in each"
        " topic before training.",
    ),
    # What people say of documents
    "agreement": Term(
        "Krippendorff’s alpha",
        "How far coders agree beyond chance: 1 is agreement on every text, 0 what chance would"
        " give. From 0.8 on codes are usually called reliable, from 0.67 on they bear tentative"
        " conclusions.",
        "Krippendorff 2011; of a scale by the squared distances of codes. Where one code is rare it"
        " can be low though coders nearly always agree: Gwet’s AC1 (2008) stands beside it. Texts"
        " count by 1 / the probability with which they were drawn.",
    ),
    "corrected-share": Term(
        "corrected share",
        "How many of all documents have a concept: predictions of all of them, corrected by the"
        " codes of those that were drawn at random.",
        "Design-based supervised learning (Egami, Hinck, Stewart and Wei 2023). Its interval holds"
        " however bad the predictions are; good ones make it narrower than that of the coded"
        " documents alone.",
    ),
}
