package interoperability;

import static interoperability.HapiDriver.check;
import static interoperability.HapiDriver.refused;
import static interoperability.HapiDriver.that;

import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.model.api.Include;
import ca.uhn.fhir.rest.api.EncodingEnum;
import ca.uhn.fhir.rest.api.SearchStyleEnum;
import ca.uhn.fhir.rest.api.SearchTotalModeEnum;
import ca.uhn.fhir.rest.api.SummaryEnum;
import ca.uhn.fhir.rest.client.api.IGenericClient;
import ca.uhn.fhir.rest.client.interceptor.BearerTokenAuthInterceptor;
import ca.uhn.fhir.rest.gclient.ICriterion;
import ca.uhn.fhir.rest.gclient.IQuery;
import ca.uhn.fhir.rest.gclient.StringClientParam;
import ca.uhn.fhir.rest.gclient.TokenClientParam;
import ca.uhn.fhir.rest.param.DateRangeParam;
import ca.uhn.fhir.rest.param.ReferenceParam;
import ca.uhn.fhir.rest.server.exceptions.AuthenticationException;
import ca.uhn.fhir.rest.server.exceptions.BaseServerResponseException;
import ca.uhn.fhir.rest.server.exceptions.InvalidRequestException;
import ca.uhn.fhir.rest.server.exceptions.MethodNotAllowedException;
import ca.uhn.fhir.rest.server.exceptions.NotModifiedException;
import ca.uhn.fhir.rest.server.exceptions.ResourceNotFoundException;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.hl7.fhir.dstu3.model.Bundle;
import org.hl7.fhir.dstu3.model.CapabilityStatement;
import org.hl7.fhir.dstu3.model.OperationOutcome;
import org.hl7.fhir.dstu3.model.Organization;
import org.hl7.fhir.dstu3.model.Practitioner;
import org.hl7.fhir.dstu3.model.PractitionerRole;
import org.hl7.fhir.dstu3.model.SearchParameter;
import org.hl7.fhir.dstu3.model.Resource;
import org.hl7.fhir.instance.model.api.IBaseBundle;

/** What an application does with HAPI's generic client, in both formats. */
final class ClientChecks {
  private static final Map<Class<? extends Resource>, ICriterion<?>> CRITERIA = Map.of(
    Practitioner.class, new StringClientParam("name").matches().value("ma"),
    Organization.class, new StringClientParam("name").matches().value("ce"),
    PractitionerRole.class, new TokenClientParam("active").exactly().code("true"),
    SearchParameter.class, new TokenClientParam("base").exactly().code("Practitioner"));

  private final FhirContext context;
  private final String base;
  private final String token;

  ClientChecks(FhirContext context, String base, String token) {
    this.context = context;
    this.base = base;
    this.token = token;
  }

  void run() {
    for (var encoding : List.of(EncodingEnum.JSON, EncodingEnum.XML)) {
      var client = context.newRestfulGenericClient(base);
      client.registerInterceptor(new BearerTokenAuthInterceptor(token));
      client.setEncoding(encoding);
      var as = encoding + ": ";
      check(as + "capabilities", () -> {
        var statement = client.capabilities().ofType(CapabilityStatement.class).execute();
        that(statement.getFhirVersion().equals("3.0.2"), "of version " + statement.getFhirVersion());
        that(statement.getRestFirstRep().getResource().size() == 5, "not five types");
      });
      for (var type : CRITERIA.keySet()) ofType(as, client, type);
      searches(as, client);
      refusals(as, client);
    }
  }

  private static IQuery<Bundle> search(IGenericClient client, Class<? extends Resource> type) {
    return client.search().forResource(type).returnBundle(Bundle.class);
  }

  private void ofType(String as, IGenericClient client, Class<? extends Resource> type) {
    var name = as + type.getSimpleName() + ": ";
    var criterion = CRITERIA.get(type);
    var plain = search(client, type).where(criterion).count(3).execute();
    check(name + "search, its total and its first page", () -> {
      that(plain.getTotal() > 0 && plain.hasEntry() && plain.getEntry().size() <= 3, "total " + plain.getTotal());
      that(plain.getEntryFirstRep().getResource().getClass() == type, "of another type");
    });
    for (var style : SearchStyleEnum.values())
      check(name + "search by " + style + " is the same", () -> {
        var found = search(client, type).where(criterion).count(3).usingStyle(style).execute();
        that(ids(found).equals(ids(plain)) && found.getTotal() == plain.getTotal(), "found " + ids(found));
        that(found.getLink("self").getUrl().startsWith(base + "/" + type.getSimpleName() + "?"), "self is another");
      });
    for (var mode : SearchTotalModeEnum.values())
      check(name + "_total " + mode, () -> {
        var found = search(client, type).where(criterion).totalMode(mode).execute();
        that(found.hasTotal() == (mode != SearchTotalModeEnum.NONE), "total " + found.getTotal());
      });
    for (var summary : SummaryEnum.values())
      check(name + "_summary " + summary, () -> {
        var found = search(client, type).where(criterion).summaryMode(summary).execute();
        that(found.getTotal() == plain.getTotal(), "total " + found.getTotal());
        that(found.hasEntry() == (summary != SummaryEnum.COUNT), found.getEntry().size() + " entries");
      });
    check(name + "the next page and the one before", () -> {
      var one = search(client, type).where(criterion).count(1).execute();
      var next = client.loadPage().next(one).execute();
      that(!ids(next).equals(ids(one)), "the same page again");
      that(ids(client.loadPage().previous(next).execute()).equals(ids(one)), "another page than before");
    });
    var first = (Resource) plain.getEntryFirstRep().getResource();
    var id = first.getIdElement();
    check(name + "read, by id and by address", () -> {
      that(client.read().resource(type).withId(id.getIdPart()).execute().equalsDeep(first), "not what was found");
      that(client.read().resource(type).withUrl(plain.getEntryFirstRep().getFullUrl()).execute().equalsDeep(first), "not it");
    });
    check(name + "vread", () -> {
      var version = first.getMeta().getVersionId();
      var read = client.read().resource(type).withIdAndVersion(id.getIdPart(), version).execute();
      that(read.getMeta().getVersionId().equals(version), "another version");
    });
    check(name + "read unless it is the version at hand", () -> {
      var reading = client.read().resource(type).withId(id.getIdPart());
      refused(NotModifiedException.class, () ->
        reading.ifVersionMatches(first.getMeta().getVersionId()).throwNotModifiedException().execute());
    });
    check(name + "an unknown id", () -> {
      var refusal = refused(ResourceNotFoundException.class, () -> client.read().resource(type).withId("nobody").execute());
      outcomeOf(refusal);
    });
  }

  private void searches(String as, IGenericClient client) {
    var person = (Practitioner) search(client, Practitioner.class).count(1).execute().getEntryFirstRep().getResource();
    check(as + "by identifier, with its system", () -> {
      var identifier = person.getIdentifierFirstRep();
      var where = Practitioner.IDENTIFIER.exactly().systemAndIdentifier(identifier.getSystem(), identifier.getValue());
      that(ids(search(client, Practitioner.class).where(where).execute()).equals(List.of(person.getIdElement()
        .getIdPart())), "not it");
    });
    check(as + "by several values, and by criteria together", () -> {
      var either = search(client, Practitioner.class).where(Practitioner.FAMILY.matches().values("ma", "du")).execute();
      var both = search(client, Practitioner.class).where(Practitioner.FAMILY.matches().value("ma"))
        .and(Practitioner.ACTIVE.exactly().code("true")).execute();
      that(either.getTotal() > 0 && both.getTotal() > 0 && both.getTotal() <= either.getTotal(), "totals");
    });
    check(as + "exact and missing", () -> {
      var family = person.getNameFirstRep().getFamily();
      that(search(client, Practitioner.class).where(Practitioner.FAMILY.matchesExactly().value(family)).execute()
        .getTotal() > 0, "no exact one");
      that(search(client, Practitioner.class).where(Practitioner.FAMILY.isMissing(true)).execute()
        .getTotal() == 0, "people without a name");
    });
    check(as + "_id, _lastUpdated and _sort", () -> {
      var where = Resource.RES_ID.exactly().code(person.getIdElement().getIdPart());
      that(search(client, Practitioner.class).where(where).execute().getTotal() == 1, "not one");
      var until = new DateRangeParam(null, new Date());
      that(search(client, Practitioner.class).lastUpdated(until).execute().getTotal() > 0, "none");
      var descending = search(client, Practitioner.class).sort().descending(Practitioner.FAMILY).count(5).execute();
      var ascending = search(client, Practitioner.class).sort().ascending(Practitioner.FAMILY).count(5).execute();
      that(!ids(descending).equals(ids(ascending)), "the same order");
    });
    check(as + "_include and _revinclude", () -> {
      var with = search(client, PractitionerRole.class).include(PractitionerRole.INCLUDE_PRACTITIONER)
        .include(PractitionerRole.INCLUDE_ORGANIZATION).count(2).execute();
      that(with.getEntry().stream().anyMatch((entry) -> entry.getResource() instanceof Practitioner), "no person");
      var back = search(client, Practitioner.class).revInclude(new Include("PractitionerRole:practitioner")).count(5).execute();
      that(back.getEntry().stream().anyMatch((entry) -> entry.getResource() instanceof PractitionerRole), "no role");
    });
    check(as + "chains, with the type in front and without, and _has", () -> {
      var named = search(client, PractitionerRole.class).where(PractitionerRole.PRACTITIONER.hasChainedProperty(
        Practitioner.NAME.matches().value("ma"))).include(PractitionerRole.INCLUDE_PRACTITIONER).count(5).execute();
      that(named.getTotal() > 0, "no role");
      var typed = search(client, PractitionerRole.class).where(PractitionerRole.PRACTITIONER.hasChainedProperty("Practitioner",
        Practitioner.NAME.matches().value("ma"))).include(PractitionerRole.INCLUDE_PRACTITIONER).count(5).execute();
      that(ids(typed).equals(ids(named)) && typed.getTotal() == named.getTotal(), "the type in front finds others");
      var role = (PractitionerRole) named.getEntryFirstRep().getResource();
      var staff = search(client, Practitioner.class).where(Map.of("_has:PractitionerRole:practitioner:organization",
        List.of(new ReferenceParam(role.getOrganization().getReference())))).count(50).execute();
      that(ids(staff).contains(role.getPractitioner().getReferenceElement().getIdPart()), "not among the staff");
    });
    check(as + "a batch of reads and searches, and of a write that is refused", () -> {
      var batch = new Bundle().setType(Bundle.BundleType.BATCH);
      for (var url : List.of(person.getIdElement().toUnqualifiedVersionless().getValue(), "Practitioner?name=ma&_count=1"))
        batch.addEntry().getRequest().setMethod(Bundle.HTTPVerb.GET).setUrl(url);
      batch.addEntry().getRequest().setMethod(Bundle.HTTPVerb.DELETE).setUrl("Practitioner/1");
      var answers = client.transaction().withBundle(batch).encodedJson().execute().getEntry();
      var statuses = answers.stream().map((one) -> one.getResponse().getStatus().substring(0, 3)).toList();
      that(statuses.equals(List.of("200", "200", "405")), "statuses " + statuses);
      var read = (Practitioner) answers.get(0).getResource();
      that(read.getIdElement().getIdPart().equals(person.getIdElement().getIdPart()), "another person");
      that(read.getNameFirstRep().equalsDeep(person.getNameFirstRep()), "of another name");
    });
    check(as + "_elements, with the type in front and without", () -> {
      for (var element : List.of("name", "Practitioner.name")) {
        var found = search(client, Practitioner.class).elementsSubset(element).count(1).execute();
        var subset = (Practitioner) found.getEntryFirstRep().getResource();
        that(subset.hasName() && !subset.hasQualification() && !subset.getMeta().getTag().isEmpty(), element + " has more");
      }
      var read = client.read().resource(Practitioner.class).withId(person.getIdElement().getIdPart())
        .elementsSubset("name").execute();
      that(read.hasName() && !read.hasQualification(), "read has more");
    });
    check(as + "search by address, and pretty", () -> {
      that(client.search().byUrl(base + "/Practitioner?name=ma").returnBundle(Bundle.class).execute().hasEntry(), "absolute");
      that(client.search().byUrl("Practitioner?name=ma").returnBundle(Bundle.class).prettyPrint().execute()
        .hasEntry(), "relative");
    });
    check(as + "Prefer: handling=lenient leaves a criterion out, and says so", () -> {
      var found = client.search().byUrl("Practitioner?name=ma&colour=red").returnBundle(Bundle.class)
        .withAdditionalHeader("Prefer", "handling=lenient").execute();
      var last = found.getEntry().get(found.getEntry().size() - 1);
      that(last.getResource() instanceof OperationOutcome && last.getFullUrl().startsWith("urn:uuid:"), last.getFullUrl());
    });
    check(as + "traced, through a cache, as by a browser library", () -> {
      var call = search(client, Practitioner.class)
        .withAdditionalHeader("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
      that(call.withAdditionalHeader("Cache-Control", "no-cache").count(1).execute().hasEntry(), "nothing");
    });
  }

  private void refusals(String as, IGenericClient client) {
    check(as + "an unknown parameter is refused, and the known ones are named", () -> {
      var refusal = refused(InvalidRequestException.class, () ->
        client.search().byUrl("Practitioner?colour=red").returnBundle(Bundle.class).execute());
      that(outcomeOf(refusal).getIssueFirstRep().getDiagnostics().contains("identifier"), "without a remedy");
    });
    check(as + "create, update, delete, transaction", () -> {
      var person = new Practitioner();
      outcomeOf(refused(MethodNotAllowedException.class, () -> client.create().resource(person).execute()));
      person.setId("Practitioner/1");
      outcomeOf(refused(MethodNotAllowedException.class, () -> client.update().resource(person).execute()));
      outcomeOf(refused(MethodNotAllowedException.class, () -> client.delete().resourceById("Practitioner", "1").execute()));
      var bundle = new Bundle().setType(Bundle.BundleType.TRANSACTION);
      outcomeOf(refused(InvalidRequestException.class, () ->
        client.transaction().withBundle((IBaseBundle) bundle).encodedJson().execute()));
    });
    check(as + "history of a type and of the server", () -> {
      outcomeOf(refused(ResourceNotFoundException.class, () ->
        client.history().onType(Practitioner.class).returnBundle(Bundle.class).execute()));
      outcomeOf(refused(ResourceNotFoundException.class, () -> client.history().onServer().returnBundle(Bundle.class).execute()));
    });
    check(as + "without a token, and with a wrong one", () -> {
      var stranger = context.newRestfulGenericClient(base);
      stranger.setEncoding(client.getEncoding());
      outcomeOf(refused(AuthenticationException.class, () -> search(stranger, Practitioner.class).execute()));
      stranger.registerInterceptor(new BearerTokenAuthInterceptor("wrong"));
      outcomeOf(refused(AuthenticationException.class, () -> search(stranger, Practitioner.class).execute()));
    });
  }

  private static List<String> ids(Bundle bundle) {
    return bundle.getEntry().stream().map((entry) -> entry.getResource().getIdElement().getIdPart()).toList();
  }

  private static OperationOutcome outcomeOf(BaseServerResponseException refusal) {
    that(refusal.getOperationOutcome() instanceof OperationOutcome, "no OperationOutcome: " + refusal.getMessage());
    return (OperationOutcome) refusal.getOperationOutcome();
  }
}
