"""What stands out in a finished run, with intervals: topics that rose or fell, that mark a group of documents, words whose
topics changed, documents unlike the rest, families of topics.

Pure functions of the tokens that documents give to topics; docs/findings.md says what each claims, and from which
evidence on. Naive twins: tests/inference/naive_findings.py.
"""
