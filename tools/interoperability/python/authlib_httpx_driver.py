"""Authlib on httpx: sign-in with PKCE and a verified ID token, refresh, introspection, revocation."""

import checks as c
from authlib.common.security import generate_token
from authlib.integrations.httpx_client import OAuth2Client
from joserfc import jwk, jwt
import httpx

options = {"scope": "openid email offline_access", "redirect_uri": c.CALLBACK, "code_challenge_method": "S256"}
client = OAuth2Client(c.CLIENT_ID, c.CLIENT_SECRET, token_endpoint=c.TOKEN, **options)
verifier = generate_token(48)

with c.check("sign-in with PKCE and nonce"):
    url, state = client.create_authorization_url(c.AUTHORIZE, nonce="a-nonce", code_verifier=verifier, prompt="consent")
    callback = c.sign_in(url)
    token = client.fetch_token(authorization_response=callback, state=state, code_verifier=verifier)
    keys = jwk.KeySet.import_key_set(httpx.get(c.JWKS).json())
    claims = jwt.decode(token["id_token"], keys, algorithms=["RS256"]).claims
    c.equal((claims["sub"], claims["nonce"]), (c.PERSON_SUB, "a-nonce"), "sub and nonce")
with c.check("userinfo"):
    c.equal(client.get(c.USERINFO).json()["email"], c.PERSON_EMAIL, "email")
with c.check("refresh"):
    before = client.token["access_token"]
    client.refresh_token(c.TOKEN)
    assert client.token["access_token"] != before, "the same access token"
with c.check("revocation"):
    answer = client.revoke_token(c.REVOKE, token=client.token["refresh_token"], token_type_hint="refresh_token")
    c.equal(answer.status_code, 200, "status")
    c.refused(lambda: client.refresh_token(c.TOKEN), lambda error: getattr(error, "error", "") == "invalid_grant")
