"""mozilla-django-oidc: the whole way of a person through a Django application, and out again."""

import checks as c
import django
from django.conf import settings

settings.configure(
    SECRET_KEY="of this run",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:app?mode=memory&cache=shared"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "mozilla_django_oidc"],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    OIDC_RP_CLIENT_ID=c.CLIENT_ID,
    OIDC_RP_CLIENT_SECRET=c.CLIENT_SECRET,
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_RP_SCOPES="openid email profile",
    OIDC_USE_PKCE=True,
    OIDC_OP_AUTHORIZATION_ENDPOINT=c.AUTHORIZE,
    OIDC_OP_TOKEN_ENDPOINT=c.TOKEN,
    OIDC_OP_USER_ENDPOINT=c.USERINFO,
    OIDC_OP_JWKS_ENDPOINT=c.JWKS,
    LOGIN_REDIRECT_URL="/who",
)
django.setup()

from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path("oidc/", include("mozilla_django_oidc.urls")),
    path("who", lambda request: HttpResponse(getattr(request.user, "email", "nobody"))),
]
call_command("migrate", verbosity=0)

with c.serving(get_wsgi_application()), c.check("sign-in with PKCE, state and nonce"):
    c.equal(c.journey(f"{c.APP_URL}/oidc/authenticate/"), c.PERSON_EMAIL, "person")
