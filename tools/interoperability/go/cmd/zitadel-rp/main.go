// The relying party of zitadel/oidc, with its own handlers: the whole way of a person through the application, refresh and
// sign-out; and its resource server, which asks about the token.
package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/client/rs"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	c "hygie.example/interoperability/checks"
)

func main() {
	ctx := context.Background()
	key := []byte("a-key-of-32-bytes-for-cookies-01")
	cookies := httphelper.NewCookieHandler(key, key, httphelper.WithUnsecure())
	scopes := []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile, oidc.ScopeOfflineAccess}
	var party rp.RelyingParty
	c.Check("discovery", func() (err error) {
		party, err = rp.NewRelyingPartyOIDC(ctx, c.Issuer, c.ClientID, c.ClientSecret, c.Callback, scopes,
			rp.WithCookieHandler(cookies), rp.WithPKCE(cookies))
		return err
	})

	var tokens *oidc.Tokens[*oidc.IDTokenClaims]
	signedIn := func(w http.ResponseWriter, _ *http.Request, found *oidc.Tokens[*oidc.IDTokenClaims], _ string,
		_ rp.RelyingParty, info *oidc.UserInfo) {
		tokens = found
		_ = json.NewEncoder(w).Encode(info)
	}
	http.Handle("/login", rp.AuthURLHandler(func() string { return "a-state" }, party, rp.WithPromptURLParam("consent")))
	http.Handle("/callback", rp.CodeExchangeHandler(rp.UserinfoCallback(signedIn), party))
	go func() { _ = http.ListenAndServe("127.0.0.1:"+c.Port, nil) }()

	c.Check("sign-in with PKCE, ID token verified; userinfo", func() error {
		page, err := c.Journey(c.AppURL+"/login", "zitadel")
		if err != nil {
			return err
		}
		var info oidc.UserInfo
		if err := json.Unmarshal([]byte(page), &info); err != nil {
			return err
		}
		return c.Equal(info.Subject+" "+info.Email, c.PersonSub+" "+c.PersonEmail, "person")
	})
	c.Check("refresh", func() error {
		renewed, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, party, tokens.RefreshToken, "", "")
		if err == nil {
			tokens = renewed
		}
		return err
	})
	c.Check("introspection by an api", func() error {
		server, err := rs.NewResourceServerClientCredentials(ctx, c.Issuer, c.APIID, c.APISecret)
		if err != nil {
			return err
		}
		answer, err := rs.Introspect[*oidc.IntrospectionResponse](ctx, server, tokens.AccessToken)
		if err != nil {
			return err
		}
		return c.Equal(answer.Subject, c.PersonSub, "sub")
	})
	c.Check("sign-out", func() error {
		to, err := rp.EndSession(ctx, party, tokens.IDToken, c.SignedOut, "a-state", "", nil)
		if err != nil {
			return err
		}
		callback, err := c.SignIn(to.String(), "zitadel")
		if err != nil {
			return err
		}
		return c.Equal(callback.String(), c.SignedOut+"?state=a-state", "address after the sign-out")
	})
}
