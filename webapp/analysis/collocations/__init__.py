"""Which words tend to occur near a word, in a set of documents and in one of its senses:
collocations."""
