"""django-allauth's OpenID Connect provider: the whole way of a person through a Django application."""

import checks as c
import django
from django.conf import settings

app = {"provider_id": "hygie", "name": "Hygie", "client_id": c.CLIENT_ID, "secret": c.CLIENT_SECRET}
settings.configure(
    SECRET_KEY="of this run",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:app?mode=memory&cache=shared"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.messages",
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    SOCIALACCOUNT_LOGIN_ON_GET=True,
    ACCOUNT_EMAIL_VERIFICATION="none",
    LOGIN_REDIRECT_URL="/who",
    SOCIALACCOUNT_PROVIDERS={
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [{**app, "settings": {"server_url": c.ISSUER}}]}
    },
)
django.setup()

from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("who", lambda request: HttpResponse(getattr(request.user, "email", "nobody"))),
]
call_command("migrate", verbosity=0)

with c.serving(get_wsgi_application()), c.check("sign-in with PKCE by discovery"):
    c.equal(c.journey(f"{c.APP_URL}/accounts/oidc/hygie/login/"), c.PERSON_EMAIL, "person")
