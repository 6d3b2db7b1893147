"""What readers ask of topics: which are alike, where they are on a map, what changed, how sure a
share is.

Pure functions of topics, and of the tokens of documents that are assigned to them; each has a slow
twin in tests/inference/naive_explore.py.
"""
