"""The interval of one share of words, and its rules where a formula does not hold: where few units
have the topic, none, all words are its, or there is one unit only.

All rules have two formulas in common: Student's t on the scale of the logit (`logit_interval`), and
the end of Clopper and Pearson where few units have the topic (`high_of_few`). There are three
rules, as published figures rest on each; none may take another's place:

- `interval_of_documents`, where documents are independent: charts and tables of shares
  (explore.bands).
- `interval_of_units`, where documents of one unit are alike: the same charts and tables of a
  collection with a unit (effects.shares).
- `interval_of_finding`, whose error is the larger of both: what stands out (findings.sums). Shares
  are tested by it, too.

                           of documents       of units             of a finding
    few have the topic     the lower of       that of Clopper and Pearson, whatever
    (at most FEW_WITH_     both upper ends    Student's t says; it is tested in
    TOPIC): upper end                         place of the share (`tested`)
    none has it: low       0                  0                    0
    share of 1             no width           no width             no rule of its own
    one unit               from 0 to 1        none (least_units)   from 0 to 1
    share in those that    a ratio of words   share times units    a ratio of words
    have the topic                            over holders

The last line is the caller's: `Estimate.of_holders`. Of units it is as if they were equally long.

Two other intervals are in inference.answers (docs/intervals.md): that of a difference of two
shares, and that of the share of each of its sides, `Answers.ends`. The second is the share plus and
minus the side's error times the critical value of the difference, so of the same level, and is cut
at 0 and 1: else symmetric, and with no rule for few units.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, logit, stdtrit

USUAL_LEVEL = 0.95  # of an interval where no other is asked for
FEW_WITH_TOPIC = 2  # units with a topic up to which their own variance says too little
LEAST_OTHERS = 1e-9  # stands for no unit without the topic, of which there is no distribution


class Estimate(NamedTuple):
    """What is known of shares, in arrays of one shape; of that of error, df may be a row.

    share: NaN of no words. error: standard error of its logit; df: degrees of freedom of Student's
    t, above 0. units: how many have words, documents where these are independent; holding: how many
    of them have the topic. of_holders: the share of the topic in those that have it, in the whole
    corpus or here, whichever is larger.
    """

    share: np.ndarray
    error: np.ndarray
    df: np.ndarray
    units: np.ndarray
    holding: np.ndarray
    of_holders: np.ndarray

    @property
    def few_have_it(self) -> np.ndarray:
        """bool: where at most FEW_WITH_TOPIC units have the topic, and others do not; so not where
        there are no units."""
        return (self.holding <= FEW_WITH_TOPIC) & (self.holding < self.units)


class ShareInterval(NamedTuple):
    """low, high: of a share, NaN where unknown. tested: the share, or instead the upper end where
    FEW_WITH_TOPIC units have the topic. error: standard error of its logit, 0 of an upper end."""

    low: np.ndarray
    high: np.ndarray
    tested: np.ndarray
    error: np.ndarray


def interval_of_documents(estimate: Estimate, level: float) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) where documents are independent. With few that have the topic it ends at the
    lower of the two upper ends, but not below the share."""
    share, error, df, units, holding, of_holders = estimate
    low, high = logit_interval(share, error, df, level)
    has_few = estimate.few_have_it
    end_of_few = high_of_few(units[has_few], holding[has_few], of_holders[has_few], level)
    lower_end = np.minimum(high[has_few], np.maximum(end_of_few, share[has_few]))
    high[has_few] = np.where(holding[has_few] > 0, lower_end, end_of_few)
    none_has_it = holding == 0
    low[none_has_it] = np.where(units[none_has_it] > 0, 0.0, np.nan)
    has_all_words = (units > 0) & (share == 1)
    low[has_all_words] = 1.0
    high[has_all_words] = 1.0
    low[units == 1] = 0.0
    high[units == 1] = 1.0
    return low, high


def interval_of_units(estimate: Estimate, level: float, least_units: int) -> ShareInterval:
    """Where documents of one unit are alike. With few that have the topic it ends where Clopper and
    Pearson's does, and at the share at least. least_units: below so many nothing is said."""
    share, error, df, units, holding, of_holders = estimate
    low, high = logit_interval(share, error, df, level)
    end_of_few = high_of_few(units, holding, of_holders, level)
    low = np.where(holding == 0, 0.0, low)
    has_few = estimate.few_have_it
    high = np.where(has_few, np.clip(np.maximum(end_of_few, share), 0.0, 1.0), high)
    low = np.where(share == 1, 1.0, low)
    high = np.where(share == 1, 1.0, high)
    is_known = (units >= least_units) & np.isfinite(share)
    return ShareInterval(
        low=np.where(is_known, low, np.nan),
        high=np.where(is_known, high, np.nan),
        tested=np.where(has_few, high, share),
        error=np.where(has_few | (share == 1), 0.0, error),
    )


def interval_of_finding(estimate: Estimate, level: float) -> ShareInterval:
    """Of the larger error of documents and units. With few documents that have the topic it ends
    where Clopper and Pearson's does, and at the share at least."""
    share, error, df, units, holding, of_holders = estimate
    low, high = logit_interval(share, error, df, level)
    has_few = estimate.few_have_it
    end_of_few = high_of_few(units[has_few], holding[has_few], of_holders[has_few], level)
    high[has_few] = np.maximum(end_of_few, share[has_few])
    tested = np.where(has_few, high, share)
    low = np.where((holding == 0) & (units > 0), 0.0, low)
    low = np.where(units == 1, 0.0, low)
    high = np.where(units == 1, 1.0, high)
    return ShareInterval(low, high, tested, error=np.where(has_few, 0.0, error))


def logit_interval(
    share: np.ndarray, error: np.ndarray, df: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of a share, within 0 and 1.

    share, error, df: float64, of shapes that broadcast; error: standard error of the share's logit;
    df: degrees of freedom of Student's t, above 0. NaN where the share or the error is.
    """
    # The logit of 0 and of 1 is endless, as their error may be; so is t of next to no degrees
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
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
