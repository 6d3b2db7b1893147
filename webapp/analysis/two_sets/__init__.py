"""Two sets of documents compared: which topics and words one has more of."""
