"""The evidence of a finished training: a topic for every word of every document, and the sums that
follow from it.

Each word of a document is assigned, with all its tokens there, to the topic k with the largest p(k
| w, d), which is proportional to theta[d, k] beta[k, w]: under LDA the posterior of a token's topic
does not depend on its place in the text. Whatever a page counts is a sum of these tokens, so it can
be opened and read.

    gather            assigns all tokens, and writes the files
    open_evidence     opens the files, and writes nothing
    complete_and_open writes first what older versions did not write; complete_evidence only that

    Evidence          what was opened; its parts answer:
      token_topics      which topic does each token of a document have      (token_topics)
      mixtures          which topics does a document have                   (mixtures)
      topic_documents   which documents does a topic have, the first first  (topic_documents)
      word_topics       which topics does a word have, and where            (word_topics)
      token_places      where in a text does a token stand                  (token_places)
      day_sums          what are the sums over a range of days              (inference.day_sums)

`assigning` gives tokens their topics, `files` knows the names and types of the arrays on disk.
"""

from inference.evidence.assigning import Assigned, assigned, document_tokens, rows_by_word
from inference.evidence.gathering import complete_evidence, gather
from inference.evidence.opening import Evidence, complete_and_open, open_evidence
from inference.evidence.token_topics import GroupWordSums

__all__ = [
    "Assigned",
    "Evidence",
    "GroupWordSums",
    "assigned",
    "complete_and_open",
    "complete_evidence",
    "document_tokens",
    "gather",
    "open_evidence",
    "rows_by_word",
]
