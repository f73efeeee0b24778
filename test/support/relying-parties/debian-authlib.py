# Signs in with Authlib as Debian ships it. Reads one JSON line with the settings, prints the authorization URL, reads the
# callback that the browser was sent to, and prints the verified claims and userinfo as JSON.

import json
import sys

from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import jwt
from authlib.oidc.core import CodeIDToken

settings = json.loads(sys.stdin.readline())
session = OAuth2Session(
    settings["client_id"],
    settings["client_secret"],
    scope="openid email profile",
    redirect_uri=settings["redirect_uri"],
    code_challenge_method="S256",
)
server = session.get(settings["issuer"] + "/.well-known/openid-configuration", withhold_token=True).json()
verifier = "a-verifier-of-this-run-with-more-than-43-characters"
url, state = session.create_authorization_url(server["authorization_endpoint"], nonce="n-of-this-run", code_verifier=verifier)
print(url, flush=True)

callback = sys.stdin.readline().strip()
token = session.fetch_token(
    server["token_endpoint"], authorization_response=callback, state=state, code_verifier=verifier
)
keys = session.get(server["jwks_uri"], withhold_token=True).json()
options = {
    "iss": {"essential": True, "value": server["issuer"]},
    "aud": {"essential": True, "value": settings["client_id"]},
    "nonce": {"essential": True, "value": "n-of-this-run"},
}
claims = jwt.decode(token["id_token"], keys, claims_cls=CodeIDToken, claims_options=options)
claims.validate()
print(json.dumps({"claims": claims, "userinfo": session.get(server["userinfo_endpoint"]).json()}), flush=True)
