"""httpx-oauth, of FastAPI Users: its OpenID client by discovery, with refresh, revocation and an error."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import checks as c
from httpx_oauth.clients.openid import OpenID
from httpx_oauth.exceptions import GetIdEmailError
from httpx_oauth.oauth2 import RefreshTokenError


async def main():
    client = OpenID(c.CLIENT_ID, c.CLIENT_SECRET, c.DISCOVERY)
    with c.check("sign-in by discovery; userinfo"):
        scope = ["openid", "email", "offline_access"]
        url = await client.get_authorization_url(c.CALLBACK, "a-state", scope, extras_params={"prompt": "consent"})
        code = parse_qs(urlsplit(c.sign_in(url)).query)["code"][0]
        token = await client.get_access_token(code, c.CALLBACK)
        c.equal(await client.get_id_email(token["access_token"]), (c.PERSON_SUB, c.PERSON_EMAIL), "person")
    with c.check("refresh"):
        token = await client.refresh_token(token["refresh_token"])
    with c.check("revocation"):
        await client.revoke_token(token["refresh_token"], "refresh_token")
    with c.check("a refused refresh token is an error it knows"):
        try:
            await client.refresh_token(token["refresh_token"])
        except RefreshTokenError:
            pass
        else:
            raise AssertionError("was not refused")
    with c.check("a refused access token is an error it knows"):
        try:
            await client.get_id_email("nothing")
        except GetIdEmailError:
            pass
        else:
            raise AssertionError("was not refused")


asyncio.run(main())
