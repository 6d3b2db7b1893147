"""What stands out in a finished run, with intervals: topics that rose or fell, topics that are
particular to a group of documents, words whose topics changed, documents unlike the rest, families
of topics.

Pure functions of the tokens of documents that are assigned to topics. docs/findings.md says what
each claims, and how much evidence it needs. Naive twins: tests/inference/naive_findings.py.
"""
