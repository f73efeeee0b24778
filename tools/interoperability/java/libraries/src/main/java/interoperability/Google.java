package interoperability;

import static interoperability.Checks.*;

import com.google.api.client.auth.oauth2.AuthorizationCodeFlow;
import com.google.api.client.auth.oauth2.BearerToken;
import com.google.api.client.auth.oauth2.ClientParametersAuthentication;
import com.google.api.client.auth.oauth2.Credential;
import com.google.api.client.auth.oauth2.RefreshTokenRequest;
import com.google.api.client.auth.oauth2.TokenResponseException;
import com.google.api.client.http.GenericUrl;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.api.client.json.gson.GsonFactory;
import java.util.List;

/** Google's OAuth client for Java: sign-in with PKCE, refresh, and what it is told of a refusal. */
public final class Google {
  private static Credential credential;

  public static void main(String[] arguments) {
    var transport = new NetHttpTransport();
    var json = GsonFactory.getDefaultInstance();
    var token = new GenericUrl(ISSUER + "/oauth/token");
    var secret = new ClientParametersAuthentication(CLIENT_ID, CLIENT_SECRET);
    var access = BearerToken.authorizationHeaderAccessMethod();
    var flow =
        new AuthorizationCodeFlow.Builder(access, transport, json, token, secret, CLIENT_ID, ISSUER + "/authorize")
            .setScopes(List.of("openid", "email", "offline_access"))
            .enablePKCE()
            .build();
    check("sign-in with PKCE", () -> {
      var url = flow.newAuthorizationUrl().setRedirectUri(CALLBACK).setState("a-state").set("prompt", "consent");
      var code = parameters(signIn(url.build())).get("code");
      credential = flow.createAndStoreCredential(flow.newTokenRequest(code).setRedirectUri(CALLBACK).execute(), "someone");
      var requests = transport.createRequestFactory(credential);
      var userinfo = requests.buildGetRequest(new GenericUrl(ISSUER + "/userinfo")).execute().parseAsString();
      equal(userinfo.contains(PERSON_EMAIL), true, "userinfo with the e-mail");
    });
    check("refresh", () -> equal(credential.refreshToken(), true, "refreshed"));
    check("RFC 6749 section 5.2 a refused refresh token is invalid_grant", () -> {
      try {
        new RefreshTokenRequest(transport, json, token, "nothing").setClientAuthentication(secret).execute();
        throw new AssertionError("was not refused");
      } catch (TokenResponseException refusal) {
        equal(refusal.getDetails().getError(), "invalid_grant", "error");
      }
    });
  }
}
