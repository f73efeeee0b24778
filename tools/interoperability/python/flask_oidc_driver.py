"""Flask-OIDC: the whole way of a person through the application, by discovery."""

import checks as c
import json
from flask import Flask, g, jsonify
from flask_oidc import OpenIDConnect

app = Flask(__name__)
app.config.update(
    SECRET_KEY="of this run",
    OIDC_CLIENT_SECRETS={"web": {"issuer": c.ISSUER, "client_id": c.CLIENT_ID, "client_secret": c.CLIENT_SECRET}},
    OIDC_SCOPES="openid email profile",
)
oidc = OpenIDConnect(app)


@app.get("/")
@oidc.require_login
def who():
    return jsonify({"sub": g.oidc_user.unique_id, "email": g.oidc_user.email})


with c.serving(app), c.check("sign-in by discovery; userinfo"):
    person = json.loads(c.journey(f"{c.APP_URL}/"))
    c.equal((person["sub"], person["email"]), (c.PERSON_SUB, c.PERSON_EMAIL), "person")
