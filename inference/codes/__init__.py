"""From a topic to a measured concept: documents are drawn, people code them, and shares follow with intervals that are true.

draw: which documents are coded, with what probability. predict: a model of the codes, of which each document is predicted.
estimate: shares of cells of documents, corrected by the codes: right however wrong the prediction is, and narrow where it is good.
Agreement of the coders: inference.evaluate.agreement. `python -m benchmarks.codebook` measures how often intervals hold the truth.
"""
