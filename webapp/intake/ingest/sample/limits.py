"""How much is read of what was uploaded, for a sample of it."""

# In the sample
CHARACTERS = 2_000_000
MOST_DOCUMENTS = 1_000
MOST_SECONDS = 2.0  # after which no document is read but the first
# Files that may have many documents; or that are tried beyond MOST_SECONDS where none can be read
MOST_FILES = 24

# Behind that, only to count: characters of all files (and documents), and seconds
COUNTED_CHARACTERS = 16_000_000
COUNTING_SECONDS = 1.0
# Entries of archives whose names are read to count documents: some tenths of a second
MOST_COUNTED_NAMES = 20_000
