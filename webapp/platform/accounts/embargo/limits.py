"""How much of a text an embargo allows, and how much of any text is read at once."""

PASSAGE = 200  # characters of consecutive text, markers aside
# A length divided by one of these is the most characters
SECTION_PART = 4  # of a passage of a section, by the section's length
READER_PART = 4  # that a reader is shown of a text in all
ALL_READERS_PART = 2  # that all readers of its corpus are shown of a text together
LINES = 3  # of one document in a list of lines
COUNT_STEP = 10  # counts of words in their order are told in such steps
PAGE_CHARACTERS = 50_000  # characters of a document that a page shows
CUT_SLACK = 1_000  # before the end of a part in which a line or a space is looked for, to cut there
QUOTE = 5_000  # characters of a quotation
FARTHEST_CHARACTER = 2**31 - 1  # places in a text that the database can count
