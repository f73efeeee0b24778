"""fhirpy: searches, reads and pages of the directory with the token of a person."""

import checks as c
from authlib.integrations.requests_client import OAuth2Session
from fhirpy import SyncFHIRClient
from fhirpy.base.exceptions import OperationOutcome, ResourceNotFound

session = OAuth2Session(c.CLIENT_ID, c.CLIENT_SECRET, scope="openid PRACTITIONER_READ ORGANIZATION_READ", redirect_uri=c.CALLBACK)
url, state = session.create_authorization_url(c.AUTHORIZE)
token = session.fetch_token(c.TOKEN, authorization_response=c.sign_in(url), state=state)["access_token"]
client = SyncFHIRClient(c.DIRECTORY, authorization=f"Bearer {token}")

with c.check("search"):
    found = client.resources("Practitioner").search(name="mart").limit(5).fetch()
    assert found and all(one.resource_type == "Practitioner" for one in found), found
with c.check("count() and pages to the end"):
    wanted = client.resources("Practitioner").search(name="mart")
    total = client.execute("Practitioner", method="get", params={"name": "mart", "_summary": "count"})["total"]
    c.equal(wanted.count(), total, "count()")
    c.equal(len(wanted.limit(3).fetch_all()), total, "number of resources")
with c.check("elements()"):
    part = client.resources("Practitioner").search(name="mart").elements("name").first()
    c.equal(set(part) - {"meta"}, {"resourceType", "id", "name"}, "elements")
with c.check("read"):
    c.equal(client.get("Practitioner", found[0].id)["id"], found[0].id, "id")
with c.check("a chained search, with the type in front and without"):
    roles = client.resources("PractitionerRole")
    chained = roles.search(practitioner__name="mart").fetch_all()
    assert chained, "no role"
    c.equal({one.id for one in roles.search(practitioner__Practitioner__name="mart").fetch_all()}, {one.id for one in chained}, "typed")
    people = {one.id for one in client.resources("Practitioner").search(name="mart").fetch_all()}
    assert {one["practitioner"]["reference"].split("/")[-1] for one in chained} <= people, "roles of others"
with c.check("has()"):
    structure = chained[0]["organization"]["reference"]
    staff = client.resources("Practitioner").has("PractitionerRole", "practitioner", organization=structure).fetch_all()
    assert chained[0]["practitioner"]["reference"].split("/")[-1] in {one.id for one in staff}, "not among the staff"
with c.check("a batch of reads and searches"):
    entries = [{"request": {"method": "GET", "url": url}} for url in (f"Practitioner/{found[0].id}", "Practitioner?name=mart&_count=1")]
    answers = client.execute("", method="post", data={"resourceType": "Bundle", "type": "batch", "entry": entries})["entry"]
    c.equal([one["response"]["status"][:3] for one in answers], ["200", "200"], "statuses")
    c.equal(answers[0]["resource"]["id"], found[0].id, "id")
with c.check("an absent resource, and a faulty search, are errors it knows"):
    c.refused(lambda: client.get("Practitioner", "nobody"), lambda error: isinstance(error, ResourceNotFound))
    wrong = client.resources("Practitioner").search(nonsense="x")
    c.refused(lambda: wrong.fetch(), lambda error: isinstance(error, OperationOutcome))
