"""Documents and sets of documents: selection, search, listing, one document and its words."""
