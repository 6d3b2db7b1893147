"""What readers ask of topics: which are alike, where they lie, what changed, how sure a share is.

Pure functions of topics, and of the tokens that documents give to them; each has a slow twin in
tests/inference/naive_explore.py.
"""
