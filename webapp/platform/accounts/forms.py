"""Forms of django-allauth that ask more: another password may end what programs hold, too
(settings.ACCOUNT_FORMS)."""

from typing import Any

from allauth.account import forms as allauth
from django import forms

from webapp.models import User
from webapp.platform.accounts import tokens

TOKENS_NAMED = 5  # tokens, the newest


class _Revokes:
    """A box, ticked, where the account has tokens of the API: whoever knew the password may have
    made one."""

    # Of the form that it is mixed into.
    user: User | None
    cleaned_data: dict[str, Any]
    fields: dict[str, forms.Field]

    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        held_tokens = tokens.holding(self.user)[: TOKENS_NAMED + 1] if self.user else []
        names = [token.name for token in held_tokens]
        if names:
            token_names = ", ".join(f"“{name}”" for name in names[:TOKENS_NAMED])
            if len(names) > TOKENS_NAMED:
                token_names += " and others"
            self.fields["tokens"] = forms.BooleanField(
                required=False,
                initial=True,
                label=(
                    "Revoke the tokens of the API too, with which programs act for this account:"
                    f" {token_names}"
                ),
            )

    def save(self) -> None:
        super().save()  # type: ignore[misc]  # of the form
        if self.user and self.cleaned_data.get("tokens"):
            tokens.revoke_all(self.user)


class ChangePassword(_Revokes, allauth.ChangePasswordForm):
    pass


class SetPassword(_Revokes, allauth.SetPasswordForm):
    pass


class ResetPasswordKey(_Revokes, allauth.ResetPasswordKeyForm):
    pass
