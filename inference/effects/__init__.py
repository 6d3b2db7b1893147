"""How large an effect on topics' shares is, with intervals that are true: of groups, contrasts and
trends.

A share is a ratio of tokens; an effect is a contrast of a regression of documents' shares on what
is known of them, documents weighted by their words. Documents of one *unit* (who speaks, which
source) depend on each other, so variances are of sums over units: CR2 with Satterthwaite's degrees
of freedom (Bell and McCaffrey 2002; Pustejovsky and Tipton 2018).

Two estimands. *In these texts*: what was counted is all there is, and the count is the answer.
*Beyond them*: other texts of such units would give other counts; the intervals of this package are
of that. Naive twins: tests/inference/naive_effects.py; `python -m benchmarks.conclusions` measures
how often intervals hold the truth.
"""
