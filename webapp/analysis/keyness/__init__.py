"""Which words set two sets of documents apart: keyness (inference.explore.keyness) of any two sets,
over all words of the texts, those that no topic counts among them."""
