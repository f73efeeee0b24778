package interoperability;

import static interoperability.HapiDriver.check;
import static interoperability.HapiDriver.that;

import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;

/** Holds the bytes of answers against HL7's STU3 definitions, by the validator of HAPI. */
final class ValidatorChecks {
  private static final List<String> TYPES = List.of("Practitioner", "Organization", "PractitionerRole", "SearchParameter");
  private static final List<String> OF_TYPE = List.of(
    "?_count=5", "?_count=0", "/_search?_count=2", "?_count=2&_summary=true", "?_count=2&_summary=text",
      "?_count=2&_summary=data",
    "?_count=2&_elements=id", "?_total=none&_count=1", "?_id=nobody", "?colour=red", "/nobody", "/nobody/_history/1",
      "/_history");
  private static final List<String> OTHERS = List.of(
    "/metadata", "/metadata?_summary=true", "", "/", "/?name=ma", "/_search?name=ma", "/_history", "/Patient", "/Patient/1",
    "/Practitioner?name=ma&_revinclude=PractitionerRole:practitioner&_include:recurse=PractitionerRole:organization&_count=5",
    "/PractitionerRole?_include=*&_count=5", "/Organization?part-of:missing=false&_count=5", "/Practitioner?name=m",
    "/Practitioner?name:near=x", "/Practitioner?_sort=-family&_count=2", "/$export?_type=Patient", "/$export/nothing");

  private final HttpClient http = HttpClient.newHttpClient();
  private final FhirValidator validator;
  private final String base;
  private final String token;

  ValidatorChecks(FhirContext context, String base, String token) {
    this.base = base;
    this.token = token;
    var support = new ValidationSupportChain(
      new DefaultProfileValidationSupport(context),
      new CommonCodeSystemsTerminologyService(context),
      new InMemoryTerminologyServerValidationSupport(context));
    validator = context.newValidator().registerValidatorModule(new FhirInstanceValidator(support));
  }

  void run() {
    for (var format : List.of("application/fhir+json", "application/fhir+xml")) {
      var answers = new TreeMap<String, Integer>();
      var ofType = TYPES.stream().flatMap((type) -> OF_TYPE.stream().map((query) -> "/" + type + query));
      for (var path : Stream.concat(ofType, OTHERS.stream()).toList())
        check(format + " is valid: GET " + path, () ->
          valid(answers, "GET", path, format, Map.of("Authorization", "Bearer " + token)));
      for (var type : TYPES)
        check(format + " is valid: read of " + type, () ->
          valid(answers, "GET", "/" + type + "/" + someId(type), format, Map.of("Authorization", "Bearer " + token)));
      check(format + " is valid: ignored criteria", () ->
        valid(answers, "GET", "/Practitioner?name=ma&colour=red&_count=1", format, Map.of("Authorization",
          "Bearer " + token, "Prefer", "handling=lenient")));
      for (var method : List.of("PUT", "PATCH", "DELETE", "POST", "OPTIONS"))
        check(format + " is valid: " + method, () ->
          valid(answers, method, method.equals("OPTIONS") ? "" : "/Practitioner/x", format, Map.of()));
      check(format + " is valid: no token", () -> valid(answers, "GET", "/Practitioner", format, Map.of()));
      check(format + " is valid: a wrong token", () ->
        valid(answers, "GET", "/Practitioner", format, Map.of("Authorization", "Bearer x")));
      System.out.println("# " + format + ": answers by status " + answers);
    }
    check("every resource of the bulk export is valid, up to 1,000 of each file", this::exportIsValid);
  }

  private String someId(String type) throws Exception {
    var answer = send("GET", "/" + type + "?_count=1", "application/fhir+json", Map.of("Authorization", "Bearer " + token));
    var id = Pattern.compile("\"resource\":\\{\"resourceType\":\"\\w+\",\"id\":\"([^\"]+)\"").matcher(answer.body());
    that(id.find(), "nothing was found");
    return id.group(1);
  }

  private HttpResponse<String> send(String method, String path, String accept, Map<String, String> headers) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(path.startsWith("http") ? path : base + path));
    headers.forEach(request::header);
    request.header("Accept", accept).method(method, HttpRequest.BodyPublishers.noBody());
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private void valid(Map<String, Integer> answers, String method, String path, String format, Map<String,
    String> headers) throws Exception {
    var answer = send(method, path, format, headers);
    answers.merge(String.valueOf(answer.statusCode()), 1, Integer::sum);
    that(answer.statusCode() < 500, "status " + answer.statusCode());
    that(answer.headers().firstValue("Content-Type").orElse("").equals(format + "; charset=utf-8"), "of another type");
    that(answer.headers().allValues("Cache-Control").size() == 1, "Cache-Control " + answer.headers().allValues("Cache-Control"));
    validate(answer.body());
  }

  private void validate(String resource) {
    var faults = new ArrayList<String>();
    for (var message : validator.validateWithResult(resource).getMessages())
      if (message.getSeverity()
        .compareTo(ResultSeverityEnum.ERROR) >= 0) faults.add(message.getLocationString() + ": " + message.getMessage());
    that(faults.isEmpty(), String.join("; ", faults));
  }

  private void exportIsValid() throws Exception {
    var bearer = Map.of("Authorization", "Bearer " + token, "Prefer", "respond-async");
    var kickOff = send("GET", "/$export", "application/fhir+json", bearer);
    var status = kickOff.headers().firstValue("Content-Location");
    var manifest = status.isEmpty() ? kickOff : send("GET", status.get(), "application/json", bearer);
    var address = Pattern.compile("https?://[^\"]+\\.ndjson").matcher(manifest.body());
    var files = 0;
    while (address.find()) {
      files++;
      var lines = send("GET", address.group(), "application/fhir+ndjson", bearer).body().lines().limit(1000).toList();
      that(!lines.isEmpty(), "an empty file");
      lines.forEach(this::validate);
    }
    that(files >= 3, files + " files");
  }
}
