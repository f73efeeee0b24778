"""Authlib in Starlette (and so FastAPI): the whole way of a person through the application, by discovery."""

import json
from threading import Thread
from time import sleep

import checks as c
import uvicorn
from authlib.integrations.starlette_client import OAuth
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Route

oauth = OAuth()
scope = {"scope": "openid email profile", "code_challenge_method": "S256"}
oauth.register(
    "hygie", client_id=c.CLIENT_ID, client_secret=c.CLIENT_SECRET, server_metadata_url=c.DISCOVERY, client_kwargs=scope
)


async def login(request):
    return await oauth.hygie.authorize_redirect(request, c.CALLBACK)


async def callback(request):
    return JSONResponse(dict((await oauth.hygie.authorize_access_token(request))["userinfo"]))


routes = [Route("/login", login), Route("/callback", callback)]
app = Starlette(routes=routes, middleware=[Middleware(SessionMiddleware, secret_key="of this run")])
server = uvicorn.Server(uvicorn.Config(app, port=c.PORT, log_level="error"))
Thread(target=server.run, daemon=True).start()
while not server.started:
    sleep(0.05)

with c.check("sign-in with PKCE and nonce by discovery"):
    person = json.loads(c.journey(f"{c.APP_URL}/login"))
    c.equal((person["sub"], person["email"]), (c.PERSON_SUB, c.PERSON_EMAIL), "person")
server.should_exit = True
