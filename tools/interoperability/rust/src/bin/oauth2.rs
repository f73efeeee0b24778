//! oauth2: client credentials of a service account, sign-in with PKCE, introspection by an api, revocation.

use interoperability::{check, equal, http, parameter, sign_in, told, Outcome};
use oauth2::basic::BasicClient;
use oauth2::{
    AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IntrospectionUrl, PkceCodeChallenge, RedirectUrl,
    RevocationUrl, Scope, StandardRevocableToken, TokenIntrospectionResponse, TokenResponse, TokenUrl,
};

fn main() {
    let http = http();
    let at = |path: &str| format!("{}{path}", told("HYGIE_ISSUER"));
    let client = BasicClient::new(ClientId::new(told("CLIENT_ID")))
        .set_client_secret(ClientSecret::new(told("CLIENT_SECRET")))
        .set_auth_uri(AuthUrl::new(at("/authorize")).expect("an address"))
        .set_token_uri(TokenUrl::new(at("/oauth/token")).expect("an address"))
        .set_revocation_url(RevocationUrl::new(at("/oauth/revoke")).expect("an address"))
        .set_redirect_uri(RedirectUrl::new(told("CALLBACK")).expect("an address"));

    let scope = || Scope::new("email".into());
    let own = client.exchange_client_credentials().add_scope(scope()).request(&http);
    check("client credentials", own.map_err(Into::into));

    let signed_in = (|| -> Outcome<_> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let request = client.authorize_url(CsrfToken::new_random).add_scope(Scope::new("openid".into()));
        let (address, _state) = request.add_scope(scope()).set_pkce_challenge(challenge).url();
        let code = AuthorizationCode::new(parameter(&sign_in(&address)?, "code"));
        Ok(client.exchange_code(code).set_pkce_verifier(verifier).request(&http)?)
    })();
    let Some(tokens) = check("sign-in with PKCE", signed_in) else {
        return;
    };
    let api = BasicClient::new(ClientId::new(told("API_ID")))
        .set_client_secret(ClientSecret::new(told("API_SECRET")))
        .set_introspection_url(IntrospectionUrl::new(at("/oauth/introspect")).expect("an address"));
    let introspected = (|| -> Outcome {
        let answer = api.introspect(tokens.access_token()).request(&http)?;
        equal(answer.sub().unwrap_or(""), &told("PERSON_SUB"), "sub")
    })();
    check("introspection by an api", introspected);
    let revoked = (|| -> Outcome {
        let token = StandardRevocableToken::AccessToken(tokens.access_token().clone());
        client.revoke_token(token)?.request(&http)?;
        let active = api.introspect(tokens.access_token()).request(&http)?.active();
        equal(&active.to_string(), "false", "active")
    })();
    check("revocation", revoked);
}
