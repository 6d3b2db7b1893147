"""Python's garbage collector while a process starts.

What a start makes, some hundred thousand objects of modules, stays as long as the process. To look
through them again and again took a seventh of the processor's seconds of a start.
"""

import gc

RARELY = 100  # searches through young objects between two through all; Python's own number is 10
_start_is_passed_over = False


def pause() -> None:
    """Collect nothing until `resume`."""
    gc.disable()


def resume() -> None:
    """Collect from now on, and pass over all that is there by now: in processes that are forked from
    this one, too, which so go on sharing its memory."""
    global _start_is_passed_over
    gc.collect()
    gc.freeze()
    _start_is_passed_over = True
    gc.enable()


def start_is_passed_over() -> bool:
    """Whether this process, or one that it was forked from, has come to `resume`. Python can count
    what it passes over, but looks at each object for that."""
    return _start_is_passed_over


def search_all_rarely() -> None:
    """From now on, go through all objects less often."""
    gc.set_threshold(*gc.get_threshold()[:2], RARELY)
