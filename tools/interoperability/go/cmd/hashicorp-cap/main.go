// hashicorp/cap, the OpenID Connect of Vault, Boundary and Consul: sign-in with PKCE, ID token verified, userinfo.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/cap/oidc"
	c "hygie.example/interoperability/checks"
)

func main() {
	ctx := context.Background()
	config, err := oidc.NewConfig(c.Issuer, c.ClientID, oidc.ClientSecret(c.ClientSecret), []oidc.Alg{oidc.RS256},
		[]string{c.Callback})
	if err != nil {
		fmt.Printf("not ok - configuration: %v\n", err)
		return
	}
	var provider *oidc.Provider
	c.Check("discovery", func() (err error) {
		provider, err = oidc.NewProvider(config)
		return err
	})
	var token oidc.Token
	c.Check("sign-in with PKCE and nonce, ID token verified", func() error {
		verifier, err := oidc.NewCodeVerifier()
		if err != nil {
			return err
		}
		request, err := oidc.NewRequest(time.Minute, c.Callback, oidc.WithPKCE(verifier), oidc.WithScopes("openid", "email"))
		if err != nil {
			return err
		}
		address, err := provider.AuthURL(ctx, request)
		if err != nil {
			return err
		}
		callback, err := c.SignIn(address, "")
		if err != nil {
			return err
		}
		token, err = provider.Exchange(ctx, request, callback.Query().Get("state"), callback.Query().Get("code"))
		return err
	})
	c.Check("userinfo", func() error {
		var claims struct{ Email string }
		source := token.(oidc.StaticTokenSource).StaticTokenSource()
		if err := provider.UserInfo(ctx, source, c.PersonSub, &claims); err != nil {
			return err
		}
		return c.Equal(claims.Email, c.PersonEmail, "email")
	})
}
