"""A corpus and its runs: training, results, documents, what readers say of topics."""
