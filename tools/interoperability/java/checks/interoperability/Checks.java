package interoperability;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** What the drivers in Java share: a line for each check, and the way to the scripted person. */
public final class Checks {
  public static final String ISSUER = told("HYGIE_ISSUER");
  public static final String CLIENT_ID = told("CLIENT_ID");
  public static final String CLIENT_SECRET = told("CLIENT_SECRET");
  public static final String CALLBACK = told("CALLBACK");
  public static final String SIGNED_OUT = told("SIGNED_OUT");
  public static final String APP_URL = told("APP_URL");
  public static final String API_ID = told("API_ID");
  public static final String API_SECRET = told("API_SECRET");
  public static final String PERSON_SUB = told("PERSON_SUB");
  public static final String PERSON_EMAIL = told("PERSON_EMAIL");

  private Checks() {}

  public static String told(String name) {
    return System.getenv().getOrDefault(name, "");
  }

  @FunctionalInterface
  public interface Attempt {
    void run() throws Exception;
  }

  /** Prints whether it could be done; what fails does not end the driver. */
  public static void check(String what, Attempt attempt) {
    try {
      attempt.run();
      System.out.println("ok - " + what);
    } catch (Exception | AssertionError error) {
      var causes = new StringBuilder();
      for (Throwable at = error; at != null; at = at.getCause()) causes.append(at).append(' ');
      System.out.println("not ok - " + what + ": " + causes.toString().replaceAll("\\s+", " ").trim());
      if (System.getenv("VERBOSE") != null) error.printStackTrace();
    }
    System.out.flush();
  }

  public static void equal(Object found, Object expected, String of) {
    if (!String.valueOf(found).equals(String.valueOf(expected))) {
      throw new AssertionError(of + " is " + found + " instead of " + expected);
    }
  }

  /** The callback to which the service sends the browser after a person signed in at this authorization request. */
  public static URI signIn(String address) throws Exception {
    return URI.create(ask("sign-in", address, null).body());
  }

  /** The page on which the browser of a person ends that opens this address of an application. */
  public static String journey(String address, String person) throws Exception {
    var page = ask("journey", address, person);
    var status = page.headers().firstValue("X-Final-Status").orElse("");
    if (!status.equals("200")) {
      var at = page.headers().firstValue("X-Final-Url").orElse("");
      throw new AssertionError(at + " answers " + status + " " + page.body());
    }
    return page.body();
  }

  /** The buttons of the service that such a journey had to press. */
  public static String pressed(String address, String person) throws Exception {
    return ask("journey", address, person).headers().firstValue("X-Pressed").orElse("");
  }

  /** The address at which such a journey ends. */
  public static URI arrival(String address, String person) throws Exception {
    return URI.create(ask("journey", address, person).headers().firstValue("X-Final-Url").orElse(""));
  }

  private static HttpResponse<String> ask(String way, String address, String person) throws Exception {
    var query = "?url=" + encode(address) + (person == null ? "" : "&person=" + encode(person));
    var request = HttpRequest.newBuilder(URI.create(told("BROWSER_URL") + "/" + way + query)).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new AssertionError(answer.body());
    return answer;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** The parameters of a callback. */
  public static Map<String, String> parameters(URI address) {
    var found = new HashMap<String, String>();
    for (var pair : address.getRawQuery().split("&")) {
      var parts = pair.split("=", 2);
      found.put(parts[0], java.net.URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return found;
  }
}
