package interoperability;

import static interoperability.Checks.*;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.BearerAccessToken;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import com.nimbusds.openid.connect.sdk.*;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.token.OIDCTokens;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.net.URI;

/**
 * Nimbus' OAuth 2.0 SDK, of which Spring Security, pac4j and others are made, with the HTTP client of the JDK and its own Accept
 * header: discovery, sign-in with PKCE, userinfo, refresh, introspection, revocation, and what it is told of refusals.
 */
public final class Nimbus {
  private static OIDCProviderMetadata metadata;
  private static OIDCTokens tokens;
  private static final ClientSecretBasic CLIENT =
      new ClientSecretBasic(new ClientID(CLIENT_ID), new Secret(CLIENT_SECRET));

  public static void main(String[] arguments) {
    check("discovery", () -> metadata = OIDCProviderMetadata.resolve(new Issuer(ISSUER)));
    check("sign-in with PKCE and nonce, ID token verified", Nimbus::signIn);
    check("userinfo", () -> {
      var request = new UserInfoRequest(metadata.getUserInfoEndpointURI(), tokens.getBearerAccessToken());
      var answer = UserInfoResponse.parse(request.toHTTPRequest().send()).toSuccessResponse();
      equal(answer.getUserInfo().getEmailAddress(), PERSON_EMAIL, "email");
    });
    check("refresh", () -> tokens = redeem(new RefreshTokenGrant(tokens.getRefreshToken())));
    check("introspection by an api", () -> {
      var api = new ClientSecretBasic(new ClientID(API_ID), new Secret(API_SECRET));
      var at = metadata.getIntrospectionEndpointURI();
      var request = new TokenIntrospectionRequest(at, api, tokens.getAccessToken());
      var answer = TokenIntrospectionResponse.parse(request.toHTTPRequest().send()).toSuccessResponse();
      equal(answer.getSubject(), PERSON_SUB, "sub");
    });
    check("RFC 6749 section 5.2 a refused refresh token is invalid_grant", () -> {
      var request = new TokenRequest(metadata.getTokenEndpointURI(), CLIENT, grant("nothing"), null);
      var answer = TokenResponse.parse(request.toHTTPRequest().send());
      equal(answer.toErrorResponse().getErrorObject().getCode(), "invalid_grant", "error");
    });
    check("RFC 6749 section 5.2 a wrong secret is invalid_client", () -> {
      var wrong = new ClientSecretBasic(new ClientID(CLIENT_ID), new Secret("wrong"));
      var request = new TokenRequest(metadata.getTokenEndpointURI(), wrong, grant("nothing"), null);
      var answer = TokenResponse.parse(request.toHTTPRequest().send());
      equal(answer.toErrorResponse().getErrorObject().getCode(), "invalid_client", "error");
    });
    check("RFC 6750 section 3.1 a refused access token is invalid_token", () -> {
      var request = new UserInfoRequest(metadata.getUserInfoEndpointURI(), new BearerAccessToken("nothing"));
      var answer = UserInfoResponse.parse(request.toHTTPRequest().send());
      equal(answer.toErrorResponse().getErrorObject().getCode(), "invalid_token", "error");
    });
    check("RFC 9126 section 2.3 a refused pushed request is invalid_client", () -> {
      var wrong = new ClientSecretBasic(new ClientID(CLIENT_ID), new Secret("wrong"));
      var pushed = authentication(new CodeVerifier(), new State(), new Nonce());
      var at = metadata.getPushedAuthorizationRequestEndpointURI();
      var answer = new PushedAuthorizationRequest(at, wrong, pushed).toHTTPRequest().send();
      equal(PushedAuthorizationResponse.parse(answer).toErrorResponse().getErrorObject().getCode(), "invalid_client", "error");
    });
    check("revocation", () -> {
      var at = metadata.getRevocationEndpointURI();
      var answer = new TokenRevocationRequest(at, CLIENT, tokens.getRefreshToken()).toHTTPRequest().send();
      equal(answer.getStatusCode(), 200, "status");
    });
  }

  private static void signIn() throws Exception {
    var verifier = new CodeVerifier();
    var state = new State();
    var nonce = new Nonce();
    var callback = Checks.signIn(authentication(verifier, state, nonce).toURI().toString());
    var answer = AuthenticationResponseParser.parse(callback).toSuccessResponse();
    equal(answer.getState(), state, "state");
    equal(answer.getIssuer(), ISSUER, "iss");
    tokens = redeem(new AuthorizationCodeGrant(answer.getAuthorizationCode(), URI.create(CALLBACK), verifier));
    var keys = metadata.getJWKSetURI().toURL();
    var validator = new IDTokenValidator(metadata.getIssuer(), new ClientID(CLIENT_ID), JWSAlgorithm.RS256, keys);
    equal(validator.validate(tokens.getIDToken(), nonce).getSubject(), PERSON_SUB, "sub");
  }

  private static AuthenticationRequest authentication(CodeVerifier verifier, State state, Nonce nonce) {
    var scope = new Scope("openid", "email", "offline_access");
    return new AuthenticationRequest.Builder(ResponseType.CODE, scope, new ClientID(CLIENT_ID), URI.create(CALLBACK))
        .endpointURI(metadata.getAuthorizationEndpointURI())
        .codeChallenge(verifier, CodeChallengeMethod.S256)
        .prompt(new Prompt("consent"))
        .state(state)
        .nonce(nonce)
        .build();
  }

  private static RefreshTokenGrant grant(String token) {
    return new RefreshTokenGrant(new RefreshToken(token));
  }

  private static OIDCTokens redeem(AuthorizationGrant grant) throws Exception {
    var request = new TokenRequest(metadata.getTokenEndpointURI(), CLIENT, grant, null);
    var answer = OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
    if (!answer.indicatesSuccess()) throw new AssertionError(answer.toErrorResponse().getErrorObject().toString());
    return (OIDCTokens) answer.toSuccessResponse().getTokens();
  }
}
