package interoperability;

import static interoperability.Checks.*;

import java.io.File;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Keycloak as broker, set up by the commands of docs/quick-starts.md, at the addresses of this run. */
public final class QuickKeycloak {
  private static final String REALM = APP_URL + "/realms/clinic";
  private static final String ACCOUNT = REALM + "/account/";
  private static final String VERIFIER = "a-verifier-of-an-interoperability-run-that-opens-nothing";
  private static final String PASSWORD = "of-an-administrator-of-this-run";
  private static final int START_SECONDS = 400;

  private QuickKeycloak() {}

  public static void main(String[] arguments) throws Exception {
    var home = home();
    forget(home.resolve("data"));
    var server =
        program(home, "kc.sh", "start-dev", "--http-port=" + told("PORT"), "--http-host=127.0.0.1", "--hostname=" + APP_URL)
            .start();
    try {
      check("docs/quick-starts.md, Keycloak: its commands set the broker up", () -> {
        ready(server);
        var commands = Files.readString(Path.of("broker.sh"))
            .replace("http://localhost:8180", APP_URL)
            .replace("http://localhost:3000", ISSUER);
        var set = program(home, "/bin/sh", "-c", commands);
        set.environment().put("PATH", home.resolve("bin") + ":" + told("PATH"));
        equal(set.start().waitFor(), 0, "exit code");
      });
      check("signs a person in to Keycloak, with PKCE; ID token verified, userinfo", () -> {
        var claims = claimsOf(tokens(arrival(authorization(""), "keycloak")));
        if (!claims.contains('"' + PERSON_EMAIL + '"')) throw new AssertionError("the claims are " + claims);
      });
      check("back-channel logout ends the session at Keycloak", () -> {
        var silent = authorization("&prompt=none");
        if (!arrival(silent, "keycloak").toString().contains("code=")) throw new AssertionError("there is no session");
        journey(ISSUER + "/logout", "keycloak");
        var end = "";
        for (var left = 300; left > 0 && !end.contains("login_required"); left--) {
          Thread.sleep(200);
          end = arrival(silent, "keycloak").toString();
        }
        if (!end.contains("login_required")) throw new AssertionError("the session goes on: " + end);
      });
    } finally {
      server.descendants().forEach(ProcessHandle::destroy);
      server.destroy();
      server.waitFor(30, TimeUnit.SECONDS);
    }
    System.exit(0);
  }

  private static Path home() throws Exception {
    try (var folders = Files.list(Path.of("target"))) {
      return folders.filter(Files::isDirectory)
          .filter((one) -> one.getFileName().toString().startsWith("keycloak-"))
          .findFirst()
          .orElseThrow()
          .toAbsolutePath();
    }
  }

  /** The realm of the run before. */
  private static void forget(Path folder) throws Exception {
    if (!Files.exists(folder)) return;
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }

  private static ProcessBuilder program(Path home, String name, String... arguments) throws Exception {
    var command = new java.util.ArrayList<String>();
    command.add(name.startsWith("/") ? name : home.resolve("bin").resolve(name).toString());
    command.addAll(java.util.List.of(arguments));
    var program = new ProcessBuilder(command).redirectErrorStream(true);
    program.redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/keycloak.log")));
    // Keycloak chooses another collector.
    program.environment().computeIfPresent("JAVA_TOOL_OPTIONS", (variable, options) -> options.replace("-XX:+UseSerialGC", ""));
    program.environment().put("KC_BOOTSTRAP_ADMIN_USERNAME", "admin");
    program.environment().put("KC_BOOTSTRAP_ADMIN_PASSWORD", PASSWORD);
    return program;
  }

  private static void ready(Process server) throws Exception {
    for (var left = START_SECONDS; left > 0 && server.isAlive(); left--) {
      try {
        if (get(APP_URL + "/realms/master").contains("public_key")) return;
      } catch (java.io.IOException notYet) {
        // It is still being built.
      }
      Thread.sleep(1000);
    }
    throw new AssertionError("it does not start, see target/keycloak.log");
  }

  /** A request of Keycloak's own account pages, which goes to the broker at once. */
  private static String authorization(String more) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256").digest(VERIFIER.getBytes(StandardCharsets.US_ASCII));
    var challenge = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    return REALM + "/protocol/openid-connect/auth?client_id=account-console&response_type=code&scope=openid&state=s&nonce=n"
        + "&kc_idp_hint=hygie&code_challenge_method=S256&code_challenge=" + challenge + "&redirect_uri=" + encode(ACCOUNT) + more;
  }

  private static String tokens(URI callback) throws Exception {
    var code = Pattern.compile("[?&#]code=([^&]+)").matcher(callback.toString());
    if (!code.find()) throw new AssertionError("it ended at " + callback);
    var form = "grant_type=authorization_code&client_id=account-console&redirect_uri=" + encode(ACCOUNT) + "&code="
        + code.group(1) + "&code_verifier=" + VERIFIER;
    var request = HttpRequest.newBuilder(URI.create(REALM + "/protocol/openid-connect/token"))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form));
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString()).body();
  }

  private static String claimsOf(String answer) {
    var token = Pattern.compile("\"id_token\":\"[^.]+\\.([^.]+)\\.").matcher(answer);
    if (!token.find()) throw new AssertionError("the answer is " + answer);
    return new String(Base64.getUrlDecoder().decode(token.group(1)), StandardCharsets.UTF_8);
  }

  private static String get(String address) throws Exception {
    return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString()).body();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
