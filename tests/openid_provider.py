"""A real OpenID Connect provider for tests of single sign-on: that of django-allauth, in a process of
its own with a database of its own.

    python -m tests.openid_provider FOLDER CALLBACK HOME

FOLDER gets `port`, and has `claims.json`: what is said of the one person there beyond what the standard
asks for, or instead of it, read at each sign-in. CALLBACK and HOME are addresses of the program that
asks: where a sign-in, and a sign-out, lead back.
"""

import json
import os
import sys
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

NAME = "tests.openid_provider"
EMAIL = "eve@university.example"
PASSWORD = "hedgehogs in the fog"
CLIENT = "topograph"
SECRET = "a secret of the client"


def settings_for(folder: Path) -> dict:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return {
        "SECRET_KEY": "of a test",
        "ALLOWED_HOSTS": ["127.0.0.1"],
        "DEBUG": False,
        "ROOT_URLCONF": NAME,
        "DATABASES": {
            "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "database"}
        },
        "CACHES": {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        "INSTALLED_APPS": [
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.messages",
            "django.contrib.sessions",
            "allauth",
            "allauth.account",
            "allauth.idp.oidc",
        ],
        "MIDDLEWARE": [
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        # Quick: a sign-in compares a password and a client's secret
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
        "AUTHENTICATION_BACKENDS": ["allauth.account.auth_backends.AuthenticationBackend"],
        "LOGIN_URL": "/account/login/",
        "SESSION_COOKIE_NAME": "provider",
        "ACCOUNT_LOGIN_METHODS": {"email"},
        "ACCOUNT_SIGNUP_FIELDS": ["email*", "password1*"],
        "ACCOUNT_EMAIL_VERIFICATION": "none",
        "ACCOUNT_RATE_LIMITS": False,
        "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
        "IDP_OIDC_PRIVATE_KEY": pem.decode(),
        "IDP_OIDC_ADAPTER": f"{NAME}.Adapter",
        "IDP_OIDC_RATE_LIMITS": False,
    }


def __getattr__(name: str):
    """What needs Django to be set up: its addresses, and what it says of a person."""
    if name == "urlpatterns":
        from django.urls import include, path

        return [
            path("", include("allauth.idp.urls")),
            path("account/", include("allauth.account.urls")),
        ]
    if name == "Adapter":
        from allauth.idp.oidc.adapter import DefaultOIDCAdapter

        class Adapter(DefaultOIDCAdapter):
            def get_claims(self, purpose, user, client, scopes, email=None, **more):
                said = super().get_claims(purpose, user, client, scopes, email, **more)
                return said | json.loads((folder / "claims.json").read_text()).get(purpose, {})

        return Adapter
    raise AttributeError(name)


class Quiet(WSGIRequestHandler):
    def log_message(self, format, *args) -> None:
        pass


def serve(callback: str, home: str) -> None:
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    settings.configure(**settings_for(folder))
    django.setup()
    call_command("migrate", verbosity=0)
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.models import User

    user = User.objects.create_user("eve", EMAIL, PASSWORD)
    EmailAddress.objects.create(user=user, email=EMAIL, verified=True, primary=True)
    client = Client(id=CLIENT, name="Topograph", skip_consent=True)
    client.scopes = "openid\nprofile\nemail"
    client.set_secret(SECRET)
    client.set_redirect_uris([callback])
    client.set_post_logout_redirect_uris([home])
    client.save()
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    (folder / "port.new").write_text(str(server.server_port))
    os.replace(folder / "port.new", folder / "port")
    server.serve_forever()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.modules["tests.openid_provider"] = sys.modules["__main__"]
    serve(*sys.argv[2:])
