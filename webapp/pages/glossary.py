"""The words that pages use in a sense of their own, explained once: {% term "coherence" %} in a template, and the page
/glossary/.

`says` is what opens beside the word: one or two sentences that stand by themselves. `more` goes on, on the page: how
the number is made, how it is to be read, where it comes from.
"""

from typing import NamedTuple


class Term(NamedTuple):
    name: str
    says: str
    more: str = ""


TERMS = {
    # What is looked at
    "corpus": Term("corpus", "A collection of texts that was uploaded together."),
    "document": Term(
        "document",
        "One text of the corpus: a row of a table, a file, a section of a speech.",
        "What counts as one document decides what topics can be found: words keep company within a document, and nowhere else.",
    ),
    "token": Term(
        "word (token)",
        "One occurrence of a word in a text. “War, war, peace” has three tokens of two different words.",
        "Where a page counts words it counts tokens, and only those of the vocabulary. A figure such as 5.4% of the words is such a count "
        "divided by all of them.",
    ),
    "vocabulary": Term(
        "vocabulary",
        "The different words that the model knows. Stop words, very rare and very common words were left out when the corpus was read.",
        "Words are compared in lower case and are not reduced to their stems: “war” and “wars” are two words.",
    ),
    "stop-word": Term(
        "stop word",
        "A word such as “the”, “of” or “and” that says little about what a text is about, and is left out.",
        "The page of a corpus says how many words were left out, and why.",
    ),
    "metadata": Term(
        "metadata", "What is known of a document besides its text: its date, author, party, whatever its file has."
    ),
    # What is found
    "topic": Term(
        "topic",
        "A group of words that tend to occur in the same documents, found by the model alone. What it means is for the reader to say.",
        "Each topic gives a weight to every word of the vocabulary; its first words are those with the largest weights. A topic may be a "
        "subject, a manner of speaking, a genre, or an artefact of how texts were made. Its number (T07) is a name and says nothing about "
        "its size; it holds for one run only.",
    ),
    "topic-model": Term(
        "topic model",
        "A description of a corpus by topics: each document is a mixture of topics, each topic a mixture of words. The usual one "
        "is latent Dirichlet allocation (LDA).",
        "Blei, Ng and Jordan 2003. The order of words is not looked at. How a run was trained, and by which paper, stands on its page of "
        "methods; by default it is sparse stochastic inference (Mimno, Hoffman and Blei 2012).",
    ),
    "share": Term(
        "share",
        "The part of the words that the model puts down to a topic: of a document, of a group of documents, or of the whole corpus.",
        "It is counted, not estimated anew: at the end of a run each word of each document is assigned to one topic, and every share is a "
        "number of such words divided by the number of all of them. Words outside the vocabulary are in neither.",
    ),
    "proportion": Term(
        "proportion (theta)",
        "How large each topic is in a document. In the model it is written θ (theta), and adds up to 100% over the topics.",
        "In a short document it rests on few words, and is uncertain accordingly.",
    ),
    "weight": Term(
        "weight (beta)",
        "The probability of a word in a topic: of 1,000 words that belong to the topic, a word with weight 0.012 should be about 12.",
        "Written β (beta). The weights of all words of a topic add up to 1.",
    ),
    "certainty": Term(
        "certainty",
        "How sure the model is which topic a word of a document belongs to: the probability of the topic to which it was assigned.",
        "It depends on the word and on the topics of its document. Below one half, other topics together are more probable.",
    ),
    "sense": Term(
        "sense",
        "A word seen from one topic: “power” among nations is not “power” from a river. The senses of a word are the topics that use it.",
        "The model knows nothing of dictionaries. One sense of a dictionary may be spread over several topics, and one topic may join two.",
    ),
    "keyword-in-context": Term(
        "keyword in context",
        "Lines from the texts with one word in the middle, so that its uses can be compared. Also called a concordance (KWIC).",
    ),
    "rank-1": Term(
        "rank 1",
        "How often a topic is the largest in a document: the share of the documents in which it comes first.",
        "A topic with a large share of all words that is never first is spread thinly: often a manner of speaking and no subject.",
    ),
    # How good a topic is
    "coherence": Term(
        "coherence",
        "Whether the first words of a topic occur in the same documents. Topics with a high coherence are mostly easier to interpret.",
        "There are two ways to count it here, UMass and NPMI; both look at the first ten words. Low coherence is a reason to look closer, "
        "not a verdict.",
    ),
    "umass": Term(
        "UMass coherence",
        "Coherence from how often two of a topic’s first ten words are in the same document, given the higher ranked one. Nearer to 0 is "
        "better; numbers such as −70 are usual.",
        "The sum over all pairs of log((documents with both words + 1) / documents with the higher ranked word). Mimno, Wallach, Talley, "
        "Leenders and McCallum 2011. Compare it between topics of one corpus only: it favours frequent words.",
    ),
    "npmi": Term(
        "NPMI coherence",
        "Coherence from how much more often two of a topic’s first ten words meet in a document than chance would have it. From −1 to 1; "
        "0 is chance, higher is better.",
        "Normalised pointwise mutual information, the mean over all pairs. Bouma 2009; Lau, Newman and Baldwin 2014 found that it agrees "
        "well with the judgement of readers.",
    ),
    "exclusivity": Term(
        "exclusivity",
        "Whether a topic’s first words are its own. Near 1, no other topic uses them much; near 0, it shares them with many.",
        "The mean, over the first ten words, of the word’s weight in this topic divided by the sum of its weights in all topics.",
    ),
    "effective-words": Term(
        "effective words",
        "How many words a topic is really made of. A topic of 40 effective words is as narrow as one with 40 equally frequent words.",
        "One divided by the sum of the squared weights. Very few: often a name or a formula. Very many: often a topic of what was left.",
    ),
    "document-entropy": Term(
        "document entropy",
        "How evenly a topic is spread over documents. Low: a few documents hold most of it. High: it is a little everywhere.",
        "The entropy, in nats, of the distribution of the topic’s words over documents. Its exponential is about the number of documents "
        "over which an evenly spread topic would extend.",
    ),
    "corpus-distance": Term(
        "distance from the corpus",
        "How much a topic differs from the language of the corpus as a whole. Near 0 it says what all documents say.",
        "The Kullback–Leibler divergence, in nats, of the topic from the frequencies of words in the corpus.",
    ),
    "uniform-distance": Term(
        "distance from uniform",
        "How much a topic differs from one in which all words are equally probable. Near 0 it has hardly learned anything.",
        "The Kullback–Leibler divergence, in nats, of the topic from equal weights for all words of the vocabulary.",
    ),
    # Which words tell topics apart
    "lift": Term(
        "lift",
        "How many times more frequent something is here than overall: 1 is as often as anywhere, 3 is three times as often.",
        "For a word in a topic: its weight in the topic divided by its frequency in the corpus. For two topics: how many times more documents "
        "have both than chance would give. It favours what is rare.",
    ),
    "relevance": Term(
        "relevance",
        "An order of a topic’s words between the most frequent and the most distinctive ones; λ (lambda) says how much of each.",
        "λ log(weight) + (1 − λ) log(lift). With λ = 1 words are in the order of their weights, with λ = 0 in that of their lift. Sievert and "
        "Shirley 2014 found about 0.6 best for interpreting topics.",
    ),
    "distinctive-words": Term(
        "log-odds ratio of a word",
        "How surely a word is more frequent in one part of the texts than in the other; words that were seen only a few times count little.",
        "In standard errors, with the frequencies of both parts together as prior. Monroe, Colaresi and Quinn 2008. Words are listed from 2.58 "
        "standard errors on, which chance alone reaches once in 100 words.",
    ),
    "jensen-shannon": Term(
        "Jensen–Shannon divergence",
        "How different two topics are, from the weights of all their words: 0 if they are the same, 0.69 if they share no word.",
        "Lin 1991. In nats, where the largest value is the logarithm of 2. The map of topics shows its square root, as nearly as a plane can.",
    ),
    "similarity": Term(
        "similarity of topics",
        "How far two topics use their words alike: 100% if each word has the same weight in both, 0% if they share no word.",
        "One minus the Jensen–Shannon divergence as a part of its largest value, over all words of both. Two topics of different runs are "
        "called the same when the best pairing of all topics puts them together and their similarity is at least 60%: distinct topics of one run hardly come so near.",
    ),
    "stability": Term(
        "stability",
        "How surely a topic is found again by other runs: the mean of its similarity to its partner in each of them.",
        "A run in which it has no partner counts as 0%. Topics that come back with every seed say more about the texts than those that do not. "
        "Greene, O’Callaghan and Cunningham 2014.",
    ),
    # How sure a number is
    "share-interval": Term(
        "interval of a share",
        "The range in which a share would mostly lie, 95 times of 100, had chance given us other documents of the same kind.",
        "From how much the share varies between the documents of a group: few documents, or a topic that a few of them hold, make it wide. "
        "It takes documents for independent draws; parts of one speech or chapters of one book are more alike, and then it is too narrow. "
        "It does not cover what the model itself may have got wrong. The linearised variance of a ratio on the scale of the logit: Cochran "
        "1977, section 6.4.",
    ),
    "share-difference": Term(
        "interval of a difference",
        "The range in which the difference of two shares would mostly lie, had chance given us other documents. If it holds 0, the two may be the same.",
        "Made from the intervals of the two shares: Newcombe 1998, method 10. Of twenty topics that do not differ at all, one will seem to.",
    ),
    "topic-information": Term(
        "mutual information of a topic and a group",
        "How much it tells about a word’s topic to know the year, the party, or whatever the group is. 0: the topic is as large everywhere.",
        "Each topic’s part of the mutual information between topic and group, in nats for a word. A large topic that changes a little and a "
        "small one that changes much can have the same. Cover and Thomas 2006, section 2.3.",
    ),
    "thin-bin": Term(
        "thin bin",
        "A year, or other group, with so few documents or words that its figure says little. It is drawn lightly or not at all.",
    ),
    # How a run is made
    "run": Term(
        "run",
        "One training of a topic model on one corpus. Two runs are two readings of the same texts; topic numbers of one mean nothing in the other.",
    ),
    "snapshot": Term(
        "snapshot", "The topics as they stood at one moment of a training. The last one is what you browse."
    ),
    "seed": Term(
        "seed",
        "The number that a training’s chance begins with. The same corpus, settings and seed give exactly the same topics; another seed gives others.",
        "What appears with several seeds can be relied on more than what appears with one.",
    ),
    "held-out": Term(
        "held-out likelihood",
        "How well the model predicts words that it has not seen. Higher, nearer to 0, is better: −7.5 is better than −7.6.",
        "Some documents are kept from the training; of each, one half of the words is shown to the model, and the other half predicted. The "
        "figure is the mean natural logarithm of the probability given to each word (nats per token). Good prediction and topics that are "
        "easy to read are not the same thing: Chang and others 2009.",
    ),
    "left-to-right": Term(
        "left-to-right likelihood",
        "How well the model predicts whole documents that it has not seen, each word from the words before it. Higher, nearer to 0, is "
        "better.",
        "The mean natural logarithm of the probability given to each word (nats per token), estimated with particles: Wallach, Murray, "
        "Salakhutdinov and Mimno 2009. It is measured at the end of a run, of the first 200 words, in random order, of some of the documents "
        "that were kept from the training.",
    ),
    "sparsity": Term(
        "non-zero parameters",
        "The share of all weights of words in topics that are above what every word has by default. Fewer take less room, and are quicker to "
        "work with.",
        "Engines that spread every word over every topic have 100%, which says nothing against their topics.",
    ),
    "nat": Term(
        "nat",
        "A unit of information, from the natural logarithm: one nat is 1.44 bits.",
        "A difference of 0.1 nats per word means that the words are about 10% more probable.",
    ),
    "alpha": Term(
        "alpha (α)",
        "A setting: how many topics a document is expected to mix. Small values give each document few topics.",
        "The Dirichlet prior of a document’s proportions, as if each topic had been seen α times in each document before reading it.",
    ),
    "eta": Term(
        "eta (η)",
        "A setting: how many different words a topic is expected to use. Small values give topics of fewer words.",
        "The Dirichlet prior of a topic’s weights, as if each word had been seen η times in each topic before training.",
    ),
}
