package interoperability;

import static interoperability.Checks.*;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.util.*;
import java.util.concurrent.*;
import org.pac4j.core.config.Config;
import org.pac4j.core.context.CallContext;
import org.pac4j.core.context.WebContext;
import org.pac4j.core.context.session.SessionStore;
import org.pac4j.core.credentials.SessionKeyCredentials;
import org.pac4j.core.exception.http.WithLocationAction;
import org.pac4j.core.http.callback.NoParameterCallbackUrlResolver;
import org.pac4j.core.logout.handler.SessionLogoutHandler;
import org.pac4j.oidc.client.OidcClient;
import org.pac4j.oidc.config.OidcConfiguration;
import org.pac4j.oidc.config.PrivateKeyJWTClientAuthnMethodConfig;
import org.pac4j.oidc.profile.OidcProfile;

/**
 * pac4j by its documented configuration: sign-in by discovery with private_key_jwt, whose aud is the token endpoint, and sign-out by
 * the service. Only the web server and the session, which pac4j leaves to the framework, are of this file.
 */
public final class Pac4j {
  private static final Map<String, Object> SESSION = new ConcurrentHashMap<>();
  private static final BlockingQueue<String> ENDED = new LinkedBlockingQueue<>();
  private static OidcClient client;

  public static void main(String[] arguments) throws Exception {
    var generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    var pair = generator.generateKeyPair();
    var key = new RSAKey.Builder((RSAPublicKey) pair.getPublic()).keyID("pac4j").build();
    var configuration = new OidcConfiguration();
    configuration.setClientId(CLIENT_ID);
    configuration.setDiscoveryURI(ISSUER + "/.well-known/openid-configuration");
    configuration.setScope("openid email profile");
    configuration.setUseNonce(true);
    configuration.setClientAuthenticationMethod(ClientAuthenticationMethod.PRIVATE_KEY_JWT);
    configuration.setPrivateKeyJWTClientAuthnMethodConfig(
        new PrivateKeyJWTClientAuthnMethodConfig(JWSAlgorithm.RS256, pair.getPrivate(), key.getKeyID()));
    client = new OidcClient(configuration);
    client.setConfig(new Config().withSessionLogoutHandler(new Ended()));
    client.setCallbackUrl(CALLBACK);
    client.setCallbackUrlResolver(new NoParameterCallbackUrlResolver());

    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(told("PORT"))), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/jwks.json", (exchange) -> answer(exchange, 200, new JWKSet(key).toString()));
    server.createContext("/", Pac4j::handle);
    server.start();
    try {
      check("sign-in by discovery, with private_key_jwt for the token endpoint (assertionAudience)", () ->
          equal(journey(APP_URL + "/login", "pac4j"), PERSON_SUB + " " + PERSON_EMAIL + " with acr", "person"));
      check("Back-channel logout, by a token of type JWT (logoutTokenType)", () -> {
        journey(ISSUER + "/logout", "pac4j");
        var ended = ENDED.poll(10, TimeUnit.SECONDS);
        if (ended == null) throw new AssertionError("no logout token that pac4j takes");
      });
    } finally {
      server.stop(0);
      System.exit(0);
    }
  }

  private static void handle(HttpExchange exchange) throws java.io.IOException {
    try {
      var call = new CallContext(contextOf(exchange), SESSION_STORE);
      client.init();
      if (exchange.getRequestURI().getPath().equals("/login")) {
        var action = (WithLocationAction) client.getRedirectionAction(call).orElseThrow();
        exchange.getResponseHeaders().set("Location", action.getLocation());
        answer(exchange, 302, "");
        return;
      }
      var credentials = client.getCredentials(call).orElseThrow();
      if (credentials instanceof SessionKeyCredentials) {
        answer(exchange, client.processLogout(call, credentials).getCode(), "");
        return;
      }
      var valid = client.validateCredentials(call, credentials).orElseThrow();
      var profile = (OidcProfile) client.getUserProfile(call, valid).orElseThrow();
      var acr = profile.getAttribute("acr") == null ? "without" : "with";
      answer(exchange, 200, profile.getId() + " " + profile.getEmail() + " " + acr + " acr");
    } catch (Exception error) {
      if (System.getenv("VERBOSE") != null) error.printStackTrace();
      answer(exchange, 500, String.valueOf(error));
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws java.io.IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static WebContext contextOf(HttpExchange exchange) throws java.io.IOException {
    var parameters = new HashMap<String, String[]>();
    var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    for (var pair : (Objects.toString(exchange.getRequestURI().getRawQuery(), "") + "&" + body).split("&")) {
      var parts = pair.split("=", 2);
      if (parts.length == 2) parameters.put(parts[0], new String[] {URLDecoder.decode(parts[1], StandardCharsets.UTF_8)});
    }
    var url = URI.create(APP_URL + exchange.getRequestURI().getPath());
    return only(WebContext.class, (method, arguments) -> switch (method) {
      case "getRequestParameters" -> parameters;
      case "getRequestParameter" -> Optional.ofNullable(parameters.get(arguments[0])).map((values) -> values[0]);
      case "getRequestMethod" -> exchange.getRequestMethod();
      case "getFullRequestURL", "getRequestURL" -> url.toString();
      case "getRequestContent" -> body;
      case "getPath" -> url.getPath();
      case "getScheme" -> url.getScheme();
      case "getServerName" -> url.getHost();
      case "getServerPort" -> url.getPort();
      case "isSecure" -> false;
      case "getRequestCookies" -> List.of();
      default -> method.startsWith("get") && !method.equals("getRemoteAddr") ? Optional.empty() : null;
    });
  }

  private static final SessionStore SESSION_STORE = only(SessionStore.class, (method, arguments) -> switch (method) {
    case "getSessionId", "getTrackableSession" -> Optional.of("session");
    case "get" -> Optional.ofNullable(SESSION.get(arguments[1]));
    case "set" -> arguments[2] == null ? SESSION.remove(arguments[1]) : SESSION.put((String) arguments[1], arguments[2]);
    case "buildFromTrackableSession" -> Optional.empty();
    default -> true;
  });

  /** What pac4j is told to end. */
  private static final class Ended implements SessionLogoutHandler {
    @Override
    public void recordSession(CallContext call, String key) {}

    @Override
    public void destroySession(CallContext call, String key) {
      ENDED.add(key);
    }

    @Override
    public void renewSession(CallContext call, String oldSession) {}

    @Override
    public Optional<String> cleanRecord(String session) {
      return Optional.empty();
    }
  }

  private interface Answer {
    Object to(String method, Object[] arguments) throws Exception;
  }

  private static <T> T only(Class<T> type, Answer answer) {
    var made = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
      if (method.getName().equals("toString")) return type.getName();
      var value = answer.to(method.getName(), arguments == null ? new Object[0] : arguments);
      return method.getReturnType() == void.class ? null : value;
    });
    return type.cast(made);
  }
}
