"""From a topic to a measured concept: documents are drawn, people code them, and shares follow with
true intervals.

draw: which documents are coded, and with what probability. predict: what all documents would be
coded as. estimate: shares of cells of documents, corrected by the codes: right however wrong the
prediction is, and narrow where it is good. Agreement of coders: inference.evaluate.agreement.
`python -m benchmarks.codebook` measures how often intervals hold the truth; naive twins are in
tests/inference/codes/naive.py.
"""
