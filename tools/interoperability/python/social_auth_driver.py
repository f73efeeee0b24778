"""social-auth-core's OpenID Connect backend, with a strategy in memory as its documentation has it."""

from urllib.parse import parse_qsl, urlsplit

import checks as c
from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.storage import AssociationMixin
from social_core.strategy import BaseStrategy

SETTINGS = {
    "SOCIAL_AUTH_OIDC_OIDC_ENDPOINT": c.ISSUER,
    "SOCIAL_AUTH_OIDC_KEY": c.CLIENT_ID,
    "SOCIAL_AUTH_OIDC_SECRET": c.CLIENT_SECRET,
}


class User:
    is_active = True


class Storage:
    """Nonces and associations, which the backend keeps between its two halves."""

    class association:
        known = {}

        @classmethod
        def store(cls, server_url, association):
            kept = AssociationMixin()
            kept.__dict__.update(vars(association), id=association.handle)
            cls.known[association.handle] = kept

        @classmethod
        def get(cls, server_url=None, handle=None):
            return [cls.known[handle]] if handle in cls.known else []

        @classmethod
        def remove(cls, ids):
            pass

    class nonce:
        @staticmethod
        def consume(server_url, timestamp, salt):
            return True

        @staticmethod
        def use(server_url, timestamp, salt):
            return True


class Strategy(BaseStrategy):
    def __init__(self):
        super().__init__(storage=Storage)
        self.session, self.data = {}, {}

    def get_setting(self, name):
        return SETTINGS[name]

    def request_data(self, merge=True):
        return self.data

    def request_host(self):
        return urlsplit(c.APP_URL).netloc

    def build_absolute_uri(self, path=None):
        return path

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def session_pop(self, name):
        return self.session.pop(name, None)

    def redirect(self, url):
        return url

    def authenticate(self, backend, *args, **kwargs):
        """What the pipeline of an application would be given."""
        return backend.get_user_details(kwargs["response"]), backend.get_user_id({}, kwargs["response"])


strategy = Strategy()
backend = OpenIdConnectAuth(strategy, redirect_uri=c.CALLBACK)

with c.check("sign-in with state and nonce by discovery; userinfo"):
    url = backend.start()
    strategy.data = backend.data = dict(parse_qsl(urlsplit(c.sign_in(url)).query))
    details, uid = backend.auth_complete()
    c.equal((details["email"], uid), (c.PERSON_EMAIL, c.PERSON_SUB), "person")
