"""idpy-oidc, the Swedish federations' library: the flow of its RP handler with PKCE, userinfo, refresh."""

from urllib.parse import parse_qs, urlsplit

import checks as c
from idpyoidc.client.rp_handler import RPHandler

own = {
    "issuer": c.ISSUER,
    "client_id": c.CLIENT_ID,
    "client_secret": c.CLIENT_SECRET,
    "redirect_uris": [c.CALLBACK],
    "client_type": "oidc",
    "preference": {
        "scopes_supported": ["openid", "email", "profile"],
        "response_types_supported": ["code"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    },
    "add_ons": {
        "pkce": {
            "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
            "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
        }
    },
}
handler = RPHandler(base_url=c.APP_URL, client_configs={"hygie": own})

with c.check("sign-in with PKCE and nonce by discovery; userinfo"):
    url = handler.begin("hygie")
    answer = {name: values[0] for name, values in parse_qs(urlsplit(c.sign_in(url)).query).items()}
    found = handler.finalize(c.ISSUER, answer)
    assert "userinfo" in found, found
    c.equal((found["userinfo"]["sub"], found["userinfo"]["email"]), (c.PERSON_SUB, c.PERSON_EMAIL), "person")
