"""The pages that explore a run: topics, words, time, comparisons, findings."""
