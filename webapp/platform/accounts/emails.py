"""Letters to those with whom a corpus is shared, where the operator has set mail up. What allauth
sends is not here.

They are sent in the request, once its transaction has ended, so that the page can say what became
of them.
"""

import smtplib

import redis
import structlog
from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.urls import reverse

from webapp.models import Corpus, User
from webapp.platform import logs
from webapp.platform.pages import addresses

log = structlog.get_logger(__name__)

A_DAY = 100  # of one user: e-mails hold words of theirs, and go to whomever they say
NAME = 100  # characters of a corpus's name

SHARED_MESSAGE = """\
{by} shares the corpus “{name}” with you on Topograph. You may {may}.

{address}

{sign_in}If you did not expect this, ignore this e-mail.
"""
OFFERED_MESSAGE = """\
{by} wants to hand the corpus “{name}” over to you. You may {may} already. It is yours once you accept it:

{address}

If you don’t want it, ignore this e-mail.
"""
MAY = {
    "viewer": "read it",
    "trainer": "read it and train on it",
    "editor": "read it, add to it and train on it",
}


def shared(corpus: Corpus, email: str, role: str, by: User, known: bool) -> str:
    """What became of the e-mail, in a sentence. known: whether there is an account with that
    address."""
    new = (
        ""
        if known
        else f"Sign in with this address, {email}; then you will see what is shared with you.\n\n"
    )
    return _send("shared with", SHARED_MESSAGE, "corpus", corpus, email, role, by, sign_in=new)


def offered(corpus: Corpus, to: User, role: str, by: User) -> str:
    return _send("offered to", OFFERED_MESSAGE, "corpus_owner", corpus, to.email or "", role, by)


def _send(
    done: str, letter: str, page: str, corpus: Corpus, email: str, role: str, by: User, **more: str
) -> str:
    """done: what was done with the corpus; page: the name of the one that the letter leads to;
    more: what else it says."""
    if not settings.MAIL:
        return "No e-mail was sent, because e-mail is not set up here. Tell them yourself."
    name = " ".join(corpus.name.split())[:NAME]
    address = addresses.at_site(reverse(page, args=[corpus.pk]))
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}“{name}” is {done} you"
    text = letter.format(by=by.name, name=name, may=MAY[role], address=address, **more)
    try:
        key = f"letters:{by.pk}"
        cache.add(key, 0, 24 * 3600)
        if cache.incr(key) > A_DAY:
            return (
                f"No e-mail was sent, because you have sent {A_DAY} within a day. Tell them"
                " yourself."
            )
        EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [email]).send()
    # ValueError: the count ended between two commands
    except (OSError, smtplib.SMTPException, redis.RedisError, ValueError) as error:
        log.warning("an e-mail could not be sent", error=logs.error_name(error))
        return "The e-mail about it could not be sent. Tell them yourself."
    return "We sent them an e-mail."
