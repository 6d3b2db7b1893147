"""The codebook: concepts that readers define, documents drawn for them at random, what coders say
of these, how far they agree, and how many of all documents have a concept. docs/codebook.md."""
