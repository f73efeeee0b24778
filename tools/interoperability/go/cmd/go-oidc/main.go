// coreos/go-oidc with golang.org/x/oauth2: discovery, sign-in with PKCE and a verified ID token, userinfo, refresh, and errors.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	c "hygie.example/interoperability/checks"
)

func main() {
	ctx := context.Background()
	var provider *oidc.Provider
	c.Check("discovery", func() (err error) {
		provider, err = oidc.NewProvider(ctx, c.Issuer)
		return err
	})
	config := oauth2.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: c.Callback, Endpoint: provider.Endpoint(),
		Scopes: []string{oidc.ScopeOpenID, "email", oidc.ScopeOfflineAccess},
	}
	var token *oauth2.Token
	c.Check("sign-in with PKCE and nonce, ID token verified", func() error {
		verifier := oauth2.GenerateVerifier()
		options := []oauth2.AuthCodeOption{
			oauth2.S256ChallengeOption(verifier), oidc.Nonce("a-nonce"), oauth2.SetAuthURLParam("prompt", "consent"),
		}
		callback, err := c.SignIn(config.AuthCodeURL("a-state", options...), "")
		if err != nil {
			return err
		}
		token, err = config.Exchange(ctx, callback.Query().Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			return err
		}
		idToken, err := provider.Verifier(&oidc.Config{ClientID: c.ClientID}).Verify(ctx, token.Extra("id_token").(string))
		if err != nil {
			return err
		}
		return c.Equal(idToken.Subject+" "+idToken.Nonce, c.PersonSub+" a-nonce", "sub and nonce")
	})
	c.Check("userinfo", func() error {
		info, err := provider.UserInfo(ctx, config.TokenSource(ctx, token))
		if err != nil {
			return err
		}
		return c.Equal(info.Email, c.PersonEmail, "email")
	})
	c.Check("refresh", func() error {
		renewed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if err == nil && renewed.AccessToken == token.AccessToken {
			err = errors.New("the same access token")
		}
		return err
	})
	c.Check("a refused refresh token is invalid_grant", func() error {
		_, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: "nothing"}).Token()
		var refusal *oauth2.RetrieveError
		if !errors.As(err, &refusal) {
			return fmt.Errorf("no error of the service: %v", err)
		}
		return c.Equal(refusal.ErrorCode, "invalid_grant", "error")
	})
}
