// Package checks is what the drivers in Go share: a line for each check, and the way to the scripted person.
package checks

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

var (
	Issuer       = os.Getenv("HYGIE_ISSUER")
	Directory    = os.Getenv("HYGIE_DIRECTORY")
	ClientID     = os.Getenv("CLIENT_ID")
	ClientSecret = os.Getenv("CLIENT_SECRET")
	Callback     = os.Getenv("CALLBACK")
	SignedOut    = os.Getenv("SIGNED_OUT")
	AppURL       = os.Getenv("APP_URL")
	Port         = os.Getenv("PORT")
	APIID        = os.Getenv("API_ID")
	APISecret    = os.Getenv("API_SECRET")
	PersonSub    = os.Getenv("PERSON_SUB")
	PersonEmail  = os.Getenv("PERSON_EMAIL")
)

// Check prints whether it could be done; what fails does not end the driver.
func Check(what string, run func() error) {
	err := run()
	if err == nil {
		fmt.Printf("ok - %s\n", what)
		return
	}
	fmt.Printf("not ok - %s: %s\n", what, strings.Join(strings.Fields(err.Error()), " "))
}

// Equal is an error that says of what they differ.
func Equal(found, expected, of string) error {
	if found == expected {
		return nil
	}
	return fmt.Errorf("%s is %q instead of %q", of, found, expected)
}

// SignIn gives the callback to which the service sends the browser after a person signed in at this authorization request.
func SignIn(address, person string) (*url.URL, error) {
	page, _, err := ask("sign-in", address, person)
	if err != nil {
		return nil, err
	}
	return url.Parse(page)
}

// Journey gives the page on which the browser of a person ends that opens this address of an application.
func Journey(address, person string) (string, error) {
	page, headers, err := ask("journey", address, person)
	if err != nil {
		return "", err
	}
	if status := headers.Get("X-Final-Status"); status != "200" {
		return "", fmt.Errorf("%s answers %s: %.500s", headers.Get("X-Final-Url"), status, page)
	}
	return page, nil
}

func ask(way, address, person string) (string, http.Header, error) {
	query := url.Values{"url": {address}}
	if person != "" {
		query.Set("person", person)
	}
	answer, err := http.Get(os.Getenv("BROWSER_URL") + "/" + way + "?" + query.Encode())
	if err != nil {
		return "", nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", body)
	}
	return string(body), answer.Header, err
}
