"""pyoidc (oic): discovery, sign-in with a verified ID token, userinfo, refresh."""

import checks as c
from oic.oauth2.message import ErrorResponse
from oic.oic import Client
from oic.oic.message import AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD

client = Client(client_authn_method=CLIENT_AUTHN_METHOD)
state, nonce = "a-state-of-this-run", "a-nonce-of-this-run"

with c.check("discovery"):
    c.equal(client.provider_config(c.ISSUER)["issuer"], c.ISSUER, "issuer")
    own = {"client_id": c.CLIENT_ID, "client_secret": c.CLIENT_SECRET}
    client.store_registration_info(RegistrationResponse(**own, redirect_uris=[c.CALLBACK]))
with c.check("sign-in with a nonce"):
    asked = {"response_type": "code", "scope": ["openid", "email", "profile", "offline_access"], "prompt": "consent"}
    request = client.construct_AuthorizationRequest(
        request_args={**asked, "state": state, "nonce": nonce, "redirect_uri": c.CALLBACK}
    )
    url = request.request(client.authorization_endpoint)
    query = c.sign_in(url).split("?", 1)[1]
    answer = client.parse_response(AuthorizationResponse, info=query, sformat="urlencoded")
    grant = {"code": answer["code"], "redirect_uri": c.CALLBACK}
    tokens = client.do_access_token_request(state=state, request_args=grant, authn_method="client_secret_basic")
    assert not isinstance(tokens, ErrorResponse), tokens
    c.equal((tokens["id_token"]["sub"], tokens["id_token"]["nonce"]), (c.PERSON_SUB, nonce), "sub and nonce")
with c.check("userinfo"):
    info = client.do_user_info_request(method="GET", state=state, scope="email")
    c.equal(info.get("email", info), c.PERSON_EMAIL, "email")
with c.check("refresh"):
    renewed = client.do_access_token_refresh(state=state, authn_method="client_secret_basic")
    assert renewed.get("access_token"), renewed
