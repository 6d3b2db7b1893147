"""As for all tests of the web application: no heartbeat within a transaction, pages that are made
anew, and JSON that is compared with the type that is declared for it."""

from tests.webapp.conftest import (  # noqa: F401
    no_heartbeat_in_a_transaction,
    pages_answer_the_json_that_is_declared,
    pages_are_made_anew,
)
