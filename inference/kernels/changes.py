"""A draw that is not what it was, as gibbs.sample lists it: one uint64 with the word in 32 bits,
the new topic in 16 and the old one in 16, gibbs.UNSEEN where there was none.

A word's number fits, as it is an int32, and a topic's, as it is a uint16 in what is remembered.
"""

import numpy as np

from inference.runtime.jit import njit

_TO_WORD = np.uint64(32)
_TO_NEW = np.uint64(16)
_TOPIC = np.uint64(0xFFFF)


@njit(cache=True, inline="always")
def packed(word, new, old):
    """uint64: a change of a draw of this word. word, new, old: uint64."""
    return (word << _TO_WORD) | (new << _TO_NEW) | old


@njit(cache=True, inline="always")
def word_of(change):
    """uint64: the word of a change, uint64."""
    return change >> _TO_WORD


@njit(cache=True, inline="always")
def new_topic(change):
    """uint64: the topic that was drawn. change: uint64."""
    return (change >> _TO_NEW) & _TOPIC


@njit(cache=True, inline="always")
def old_topic(change):
    """uint64: the topic that it was before, gibbs.UNSEEN for none. change: uint64."""
    return change & _TOPIC
