"""The SMART client for Python: finds the endpoints at the directory, signs a person in, and searches with the token."""

import checks as c
from fhirclient import client
from fhirclient.models.practitionerrole import PractitionerRole
from urllib.parse import urlencode

settings = {
    "app_id": c.CLIENT_ID,
    "app_secret": c.CLIENT_SECRET,
    "api_base": c.DIRECTORY,
    "redirect_uri": c.CALLBACK,
    "scope": "openid profile PRACTITIONER_READ ORGANIZATION_READ",
}
smart = client.FHIRClient(settings=settings)

with c.check("endpoints from the directory"):
    url = smart.authorize_url
    assert url.startswith(c.AUTHORIZE), url
with c.check("sign-in"):
    smart.handle_callback(c.sign_in(smart.authorize_url))
    assert smart.ready, "not ready"
with c.check("search of the directory"):
    found = smart.server.request_json("Practitioner?_count=2&name=mart")
    c.equal(found["resourceType"], "Bundle", "type")
    assert found["entry"], "nothing found"
with c.check("a chained search by its models, and _has"):
    roles = PractitionerRole.where({"practitioner.name": "mart"}).perform_resources(smart.server)
    assert roles and all(isinstance(one, PractitionerRole) for one in roles), roles
    staff = {"_has:PractitionerRole:practitioner:organization": roles[0].organization.reference}
    found = smart.server.request_json("Practitioner?" + urlencode(staff))
    ids = [one["resource"]["id"] for one in found["entry"]]
    assert roles[0].practitioner.reference.split("/")[-1] in ids, ids
