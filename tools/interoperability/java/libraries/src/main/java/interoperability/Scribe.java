package interoperability;

import static interoperability.Checks.*;

import com.github.scribejava.core.builder.ServiceBuilder;
import com.github.scribejava.core.builder.api.DefaultApi20;
import com.github.scribejava.core.model.OAuth2AccessToken;
import com.github.scribejava.core.model.OAuth2AccessTokenErrorResponse;
import com.github.scribejava.core.model.OAuthRequest;
import com.github.scribejava.core.model.Verb;
import com.github.scribejava.core.oauth.AccessTokenRequestParams;
import com.github.scribejava.core.pkce.PKCEService;
import java.util.Map;

/** ScribeJava: sign-in with PKCE, refresh, revocation, and what it is told of a refusal. */
public final class Scribe {
  private static OAuth2AccessToken token;

  private static final class Hygie extends DefaultApi20 {
    @Override
    public String getAccessTokenEndpoint() {
      return ISSUER + "/oauth/token";
    }

    @Override
    protected String getAuthorizationBaseUrl() {
      return ISSUER + "/authorize";
    }

    @Override
    public String getRevokeTokenEndpoint() {
      return ISSUER + "/oauth/revoke";
    }
  }

  public static void main(String[] arguments) {
    var builder = new ServiceBuilder(CLIENT_ID).apiSecret(CLIENT_SECRET).callback(CALLBACK);
    var service = builder.defaultScope("openid email offline_access").build(new Hygie());
    check("sign-in with PKCE", () -> {
      var pkce = PKCEService.defaultInstance().generatePKCE();
      var url = service.createAuthorizationUrlBuilder().pkce(pkce).state("a-state");
      var code = parameters(signIn(url.additionalParams(Map.of("prompt", "consent")).build())).get("code");
      token = service.getAccessToken(AccessTokenRequestParams.create(code).pkceCodeVerifier(pkce.getCodeVerifier()));
      var request = new OAuthRequest(Verb.GET, ISSUER + "/userinfo");
      service.signRequest(token, request);
      equal(service.execute(request).getBody().contains(PERSON_EMAIL), true, "userinfo with the e-mail");
    });
    check("refresh", () -> token = service.refreshAccessToken(token.getRefreshToken()));
    check("revocation", () -> service.revokeToken(token.getRefreshToken()));
    check("RFC 6749 section 5.2 a refused refresh token is invalid_grant", () -> {
      try {
        service.refreshAccessToken(token.getRefreshToken());
        throw new AssertionError("was not refused");
      } catch (OAuth2AccessTokenErrorResponse refusal) {
        equal(refusal.getError().getErrorString(), "invalid_grant", "error");
      }
    });
  }
}
