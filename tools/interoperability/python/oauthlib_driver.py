"""oauthlib alone, with requests: client credentials for a service account, and how a wrong secret is told."""

import checks as c
import requests
from oauthlib.oauth2 import BackendApplicationClient, InvalidClientError

client = BackendApplicationClient(c.CLIENT_ID)
body = client.prepare_request_body(scope=["email"])
form = {"Content-Type": "application/x-www-form-urlencoded"}

with c.check("client credentials"):
    answer = requests.post(c.TOKEN, data=body, headers=form, auth=(c.CLIENT_ID, c.CLIENT_SECRET))
    token = client.parse_request_body_response(answer.text)
    assert token["access_token"], "no access token"
with c.check("a wrong secret is invalid_client"):
    answer = requests.post(c.TOKEN, data=body, headers=form, auth=(c.CLIENT_ID, "wrong"))
    c.refused(lambda: client.parse_request_body_response(answer.text), lambda error: isinstance(error, InvalidClientError))
