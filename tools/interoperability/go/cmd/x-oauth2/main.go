// golang.org/x/oauth2 alone: client credentials of a service account, and how a wrong secret is told.
package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	c "hygie.example/interoperability/checks"
)

func main() {
	config := clientcredentials.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Issuer + "/oauth/token", Scopes: []string{"email"},
	}
	c.Check("client credentials", func() error {
		_, err := config.Token(context.Background())
		return err
	})
	c.Check("client credentials read the directory, where the entry says directoryAccess", func() error {
		config.Scopes = []string{"PRACTITIONER_READ"}
		answer, err := config.Client(context.Background()).Get(c.Directory + "/Practitioner?_count=1")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		return c.Equal(answer.Status, "200 OK", "status")
	})
	c.Check("a wrong secret is invalid_client", func() error {
		config.ClientSecret = "wrong"
		_, err := config.Token(context.Background())
		var refusal *oauth2.RetrieveError
		if !errors.As(err, &refusal) {
			return fmt.Errorf("no error of the service: %v", err)
		}
		return c.Equal(refusal.ErrorCode, "invalid_client", "error")
	})
}
