"""requests-oauthlib: sign-in with PKCE and the scopes as they were asked for, refresh, and an error."""

import checks as c
from oauthlib.oauth2 import InvalidGrantError
from requests_oauthlib import OAuth2Session

# Without prompt=consent: the library refuses a token whose scope is another than the one that it asked for.
scope = ["openid", "email", "offline_access"]
session = OAuth2Session(c.CLIENT_ID, redirect_uri=c.CALLBACK, scope=scope, pkce="S256")

with c.check("sign-in with PKCE; offline_access without prompt=consent gives a refresh token"):
    url, _state = session.authorization_url(c.AUTHORIZE)
    # It refuses the http address of a callback, which this run has.
    callback = c.sign_in(url).replace("http:", "https:", 1)
    session.fetch_token(c.TOKEN, authorization_response=callback, client_secret=c.CLIENT_SECRET)
    c.equal(session.get(c.USERINFO).json()["email"], c.PERSON_EMAIL, "email")
    assert session.token.get("refresh_token"), "no refresh token"
with c.check("refresh"):
    before = session.access_token
    session.refresh_token(c.TOKEN, auth=(c.CLIENT_ID, c.CLIENT_SECRET))
    assert session.access_token != before, "the same access token"
with c.check("a refused refresh token is invalid_grant"):
    again = lambda: session.refresh_token(c.TOKEN, refresh_token="nothing", auth=(c.CLIENT_ID, c.CLIENT_SECRET))
    c.refused(again, lambda error: isinstance(error, InvalidGrantError))
