"""The two formulas of an interval of one share of words: Student's t on the scale of the logit, and
the end of Clopper and Pearson where few units have the topic. What the error and the degrees of
freedom of a share are, callers know: explore.bands where documents are independent, effects.shares
where documents of one unit are not, and findings.sums, which takes the larger error of both.

A difference of two shares has another interval: inference.answers (docs/intervals.md).
"""

import numpy as np
from scipy.special import betaincinv, expit, logit, stdtrit

FEW_WITH_TOPIC = 2  # units with a topic up to which their own variance says too little
LEAST_OTHERS = 1e-9  # stands for no unit without the topic, of which there is no distribution


def logit_interval(
    share: np.ndarray, error: np.ndarray, df: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of a share, within 0 and 1.

    share, error, df: float64, of shapes that broadcast; error: standard error of the share's logit;
    df: degrees of freedom of Student's t, above 0. NaN where the share or the error is.
    """
    reach = stdtrit(df, 0.5 + level / 2) * error
    return expit(logit(share) - reach), expit(logit(share) + reach)


def high_of_few(
    units: np.ndarray, holding: np.ndarray, share_of_holders: np.ndarray, level: float
) -> np.ndarray:
    """The upper end of a share that at most FEW_WITH_TOPIC units have: that of the part of the
    units which may have the topic (Clopper and Pearson 1934), times the share that it has in those
    that do.

    units, holding: how many there are, and how many of them have the topic; share_of_holders:
    float64.
    """
    without = np.maximum(units - holding, LEAST_OTHERS)
    largest_part = betaincinv(holding + 1.0, without, 0.5 + level / 2)
    return largest_part * share_of_holders
