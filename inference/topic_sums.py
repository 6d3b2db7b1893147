"""Columns of sums over documents, from which shares of topics and their intervals are computed:
explore.bands sums them in one pass, day_sums keeps them by day."""

# Of one topic, over the documents that have it: how many they are, and the sums of their tokens of
# it N_dk, of their words N_d, of N_dk^2 and of N_dk N_d
NUMBER, TOKENS, LENGTH, SQUARE, PRODUCT = range(5)
MEASURES = (NUMBER, TOKENS, LENGTH, SQUARE, PRODUCT)

# Of all documents: how many they are, how many have words, and the sums of N_d and of N_d^2
ALL, WORDED, WORDS, SQUARES = range(4)
MEASURES_OF_ALL = 4

# The same without ALL, of the documents with words alone
DOCUMENTS_WITH_WORDS, WORDS_OF_DOCUMENTS, SQUARES_OF_WORDS = range(3)
MEASURES_OF_WORDED = 3
