"""From an upload to a bag of words: uploads, storing, shaping, reading, vocabulary."""
