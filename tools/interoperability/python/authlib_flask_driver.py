"""Authlib in Flask: the whole way of a person through the application, by discovery."""

import checks as c
import json
from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, url_for

app = Flask(__name__)
app.secret_key = "of this run"
app.config["SERVER_NAME"] = f"localhost:{c.PORT}"
scope = {"scope": "openid email profile", "code_challenge_method": "S256"}
oauth = OAuth(app)
oauth.register(
    "hygie", client_id=c.CLIENT_ID, client_secret=c.CLIENT_SECRET, server_metadata_url=c.DISCOVERY, client_kwargs=scope
)


@app.get("/login")
def login():
    return oauth.hygie.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    return jsonify(oauth.hygie.authorize_access_token()["userinfo"])


with c.serving(app), c.check("sign-in with PKCE and nonce by discovery"):
    person = json.loads(c.journey(f"{c.APP_URL}/login"))
    c.equal((person["sub"], person["email"]), (c.PERSON_SUB, c.PERSON_EMAIL), "person")
