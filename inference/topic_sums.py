"""Columns of sums over documents, from which shares of topics and their intervals are computed:
explore.bands sums them in one pass, day_sums keeps them by day."""

# Of one topic, over the documents that have it: how many they are, and the sums of their tokens of
# it N_dk, of their words N_d, of N_dk^2 and of N_dk N_d
NUMBER, TOKENS, LENGTH, SQUARE, PRODUCT = range(5)
MEASURES = (NUMBER, TOKENS, LENGTH, SQUARE, PRODUCT)

# Over all documents: how many they are, how many have words, and the sums of N_d and of N_d^2
ALL_DOCUMENTS, ALL_WITH_WORDS, ALL_WORDS, ALL_SQUARES = range(4)
MEASURES_OF_ALL = 4

# Over the documents with words alone: the last three of these
WORDED_DOCUMENTS, WORDED_WORDS, WORDED_SQUARES = range(3)
MEASURES_OF_WORDED = 3
