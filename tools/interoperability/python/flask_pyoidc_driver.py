"""Flask-pyoidc: the whole way of a person through the application, and out again by a sign-out at the service."""

import checks as c
import json
from flask import Flask, jsonify
from flask_pyoidc import OIDCAuthentication
from flask_pyoidc.provider_configuration import ClientMetadata, ProviderConfiguration
from flask_pyoidc.user_session import UserSession
import flask

app = Flask(__name__)
app.config.update(SECRET_KEY="of this run", OIDC_REDIRECT_URI=c.CALLBACK)
client = ClientMetadata(c.CLIENT_ID, c.CLIENT_SECRET, post_logout_redirect_uris=[f"{c.APP_URL}/logout"])
asked = {"scope": ["openid", "email", "profile"]}
auth = OIDCAuthentication({"hygie": ProviderConfiguration(c.ISSUER, client_metadata=client, auth_request_params=asked)}, app)


@app.get("/")
@auth.oidc_auth("hygie")
def who():
    session = UserSession(flask.session)
    return jsonify({"id": session.id_token["sub"], **session.userinfo})


@app.get("/logout")
@auth.oidc_logout
def logout():
    return "left"


with c.serving(app):
    with c.check("sign-in by discovery; userinfo"):
        person = json.loads(c.journey(f"{c.APP_URL}/", "someone"))
        c.equal((person["id"], person["email"]), (c.PERSON_SUB, c.PERSON_EMAIL), "person")
    with c.check("sign-out at the service and back"):
        c.equal(c.journey(f"{c.APP_URL}/logout", "someone"), "left", "page")
