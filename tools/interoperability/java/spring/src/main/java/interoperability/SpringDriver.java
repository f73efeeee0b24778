package interoperability;

import static interoperability.Checks.*;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Spring Security in Spring Boot, all of it by documented configuration: sign-in by OpenID Connect, sign-out at the service
 * (RP-Initiated Logout), by the service (Back-Channel Logout), and an API that asks about tokens.
 */
@SpringBootApplication
public class SpringDriver {
  public static void main(String[] arguments) {
    var client = "spring.security.oauth2.client.";
    var introspection = "spring.security.oauth2.resourceserver.opaquetoken.";
    var application = new SpringApplication(SpringDriver.class);
    application.setDefaultProperties(Map.ofEntries(
        Map.entry("server.address", "127.0.0.1"),
        Map.entry("server.port", told("PORT")),
        Map.entry("logging.level.root", "warn"),
        Map.entry("spring.main.banner-mode", "off"),
        Map.entry(client + "provider.hygie.issuer-uri", ISSUER),
        Map.entry(client + "registration.hygie.client-id", CLIENT_ID),
        Map.entry(client + "registration.hygie.client-secret", CLIENT_SECRET),
        Map.entry(client + "registration.hygie.scope", "openid,email,profile"),
        Map.entry(introspection + "introspection-uri", ISSUER + "/oauth/introspect"),
        Map.entry(introspection + "client-id", API_ID),
        Map.entry(introspection + "client-secret", API_SECRET)));
    try (var context = application.run()) {
      run();
    }
  }

  private static void run() {
    check("sign-in by discovery, ID token verified; userinfo", () ->
        equal(journey(APP_URL + "/who", "spring"), PERSON_SUB + " " + PERSON_EMAIL, "person"));
    check("resource server, introspection of the token by an api", () ->
        equal(api(journey(APP_URL + "/token", "spring")), "200 " + PERSON_SUB, "answer"));
    check("resource server, a refused token is a 401", () -> equal(api("nothing").substring(0, 3), "401", "answer"));
    check("RP-initiated logout, and back", () -> {
      equal(journey(APP_URL + "/logout", "spring"), "signed out", "page");
      equal(journey(APP_URL + "/seen", "spring"), "nobody", "person in the application");
    });
    check("Back-channel logout ends the session of the application", () -> {
      equal(journey(APP_URL + "/who", "spring"), PERSON_SUB + " " + PERSON_EMAIL, "person");
      journey(ISSUER + "/logout", "spring");
      var seen = "";
      for (var left = 100; left > 0 && !seen.equals("nobody"); left--) {
        Thread.sleep(100);
        seen = journey(APP_URL + "/seen", "spring");
      }
      equal(seen, "nobody", "person in the application");
    });
  }

  private static String api(String token) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(APP_URL + "/api/who")).header("Authorization", "Bearer " + token);
    var answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body();
  }
}
