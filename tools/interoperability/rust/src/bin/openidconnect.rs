//! openidconnect: discovery, sign-in with PKCE and a verified ID token, userinfo, refresh, and an error.

use interoperability::{check, equal, http, parameter, sign_in, told, Outcome};
use openidconnect::core::{CoreClient, CoreErrorResponseType, CoreProviderMetadata, CoreResponseType, CoreUserInfoClaims};
use openidconnect::{
    AuthenticationFlow, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, OAuth2TokenResponse,
    PkceCodeChallenge, RedirectUrl, RefreshToken, RequestTokenError, Scope, TokenResponse,
};

fn main() {
    let http = http();
    let issuer = IssuerUrl::new(told("HYGIE_ISSUER")).expect("an address");
    let Some(metadata) = check(
        "discovery",
        CoreProviderMetadata::discover(&issuer, &http).map_err(Into::into),
    ) else {
        return;
    };
    let secret = ClientSecret::new(told("CLIENT_SECRET"));
    let client = CoreClient::from_provider_metadata(metadata, ClientId::new(told("CLIENT_ID")), Some(secret))
        .set_redirect_uri(RedirectUrl::new(told("CALLBACK")).expect("an address"));

    let signed_in = (|| -> Outcome<_> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = AuthenticationFlow::<CoreResponseType>::AuthorizationCode;
        let (address, state, nonce) = client
            .authorize_url(flow, CsrfToken::new_random, Nonce::new_random)
            .add_scopes(["email", "offline_access"].map(|name| Scope::new(name.into())))
            .add_extra_param("prompt", "consent")
            .set_pkce_challenge(challenge)
            .url();
        let callback = sign_in(&address)?;
        equal(&parameter(&callback, "state"), state.secret(), "state")?;
        let code = AuthorizationCode::new(parameter(&callback, "code"));
        let tokens = client.exchange_code(code)?.set_pkce_verifier(verifier).request(&http)?;
        let id_token = tokens.id_token().ok_or("no ID token")?;
        let claims = id_token.claims(&client.id_token_verifier(), &nonce)?;
        equal(claims.subject(), &told("PERSON_SUB"), "sub")?;
        Ok(tokens)
    })();
    let Some(tokens) = check("sign-in with PKCE and nonce, ID token verified", signed_in) else {
        return;
    };
    let userinfo = (|| -> Outcome {
        let claims: CoreUserInfoClaims = client.user_info(tokens.access_token().clone(), None)?.request(&http)?;
        equal(claims.email().map_or("", |email| email.as_str()), &told("PERSON_EMAIL"), "email")
    })();
    check("userinfo", userinfo);
    let refreshed = (|| -> Outcome {
        let token = tokens.refresh_token().ok_or("no refresh token")?;
        client.exchange_refresh_token(token)?.request(&http)?;
        Ok(())
    })();
    check("refresh", refreshed);
    let refused = (|| -> Outcome {
        let nothing = RefreshToken::new("nothing".into());
        match client.exchange_refresh_token(&nothing)?.request(&http) {
            Err(RequestTokenError::ServerResponse(answer)) if *answer.error() == CoreErrorResponseType::InvalidGrant => Ok(()),
            other => Err(format!("{other:?}").into()),
        }
    })();
    check("a refused refresh token is invalid_grant", refused);
}
