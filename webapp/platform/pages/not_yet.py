"""An answer that a worker has to make first, as pages and the API say it."""

from dataclasses import dataclass


@dataclass
class NotYet(Exception):
    """A worker makes the answer, or is asked to. page: what is shown meanwhile, a type of the page;
    None where the caller knows it. `typed` and the API answer with it, and with status 202.
    has_failed: the last try came to nothing, and the next one waits."""

    page: object = None
    has_failed: bool = False
