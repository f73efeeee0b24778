"""What the drivers in Python share: a line for each check, and the way to the scripted person."""

import os
import re
import traceback
from contextlib import contextmanager
from threading import Thread
from urllib.parse import urlencode
from urllib.request import urlopen
from urllib.error import HTTPError
from wsgiref.simple_server import WSGIRequestHandler, make_server

ISSUER = os.environ["HYGIE_ISSUER"]
DIRECTORY = os.environ["HYGIE_DIRECTORY"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]
CALLBACK = os.environ["CALLBACK"]
SIGNED_OUT = os.environ["SIGNED_OUT"]
APP_URL = os.environ["APP_URL"]
PORT = int(os.environ["PORT"])
PERSON_SUB = os.environ["PERSON_SUB"]
PERSON_EMAIL = os.environ["PERSON_EMAIL"]

AUTHORIZE = f"{ISSUER}/authorize"
TOKEN = f"{ISSUER}/oauth/token"
REVOKE = f"{ISSUER}/oauth/revoke"
USERINFO = f"{ISSUER}/userinfo"
JWKS = f"{ISSUER}/.well-known/jwks.json"
LOGOUT = f"{ISSUER}/logout"
DISCOVERY = f"{ISSUER}/.well-known/openid-configuration"


@contextmanager
def check(what):
    """Prints whether the block could be done; what fails does not end the driver."""
    try:
        yield
        print(f"ok - {what}")
    except Exception as error:
        if "VERBOSE" in os.environ:
            traceback.print_exc()
        why = re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")
        print(f"not ok - {what}: {why[:1000]}")


def equal(found, expected, of):
    if found != expected:
        raise AssertionError(f"{of} is {found!r} instead of {expected!r}")


def refused(run, matches):
    """That a refusal reached the caller as what it was."""
    try:
        run()
    except Exception as error:
        if not matches(error):
            raise AssertionError(f"does not name the error: {error!r}") from error
        return
    raise AssertionError("was not refused")


def ask(way, url, person=None):
    query = {"url": url, **({"person": person} if person else {})}
    try:
        with urlopen(f"{os.environ['BROWSER_URL']}/{way}?{urlencode(query)}") as answer:
            return answer.read().decode(), answer.headers
    except HTTPError as error:
        raise AssertionError(error.read().decode()) from None


def sign_in(url, person=None):
    """The callback to which the service sends the browser after a person signed in at this authorization request."""
    return ask("sign-in", url, person)[0]


def journey(url, person=None):
    """The page on which the browser of a person ends that opens this address of an application."""
    page, headers = ask("journey", url, person)
    if headers["X-Final-Status"] != "200":
        raise AssertionError(f"{headers['X-Final-Url']} answers {headers['X-Final-Status']}: {page[:600]}")
    return page


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def serving(application):
    """A WSGI application on the port of the driver."""
    server = make_server("127.0.0.1", PORT, application, handler_class=Quiet)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
