"""Under embargo: readers of one account who ask at the same time. Other connections see what they
write."""

import threading

import pytest
from django.db import connection

from webapp.models import Corpus, Membership, User
from webapp.platform.accounts import embargo
from webapp.platform.accounts.embargo.budgets import Wanted, charge
from webapp.platform.accounts.roles import Person


@pytest.mark.django_db(transaction=True)
def test_readers_who_ask_at_the_same_time_do_not_get_more(settings):
    settings.ACCOUNTS = True
    owner, ann = (User.objects.create_user(f"{name}@example.org", name) for name in ("o", "a"))
    corpus = Corpus.objects.create(owner=owner, name="x", embargo=True, status="ready")
    Membership.objects.create(corpus=corpus, user=ann, role="viewer")
    gate = threading.Barrier(8)
    seen = []

    def ask(i: int) -> None:
        with embargo.reading(Person(ann.pk)):
            embargo.readers(corpus)
            gate.wait()
            seen.extend(charge(corpus, [Wanted(b"y" * 32, 1600, 200 * i, 200 * i + 200, 200 * i)]))
        connection.close()

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(end - begin for begin, end in seen) == 400
