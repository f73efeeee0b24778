// markbates/goth with its openidConnect provider: the whole way of a person through the application.
package main

import (
	"encoding/json"
	"net/http"

	"github.com/gorilla/sessions"
	"github.com/markbates/goth"
	"github.com/markbates/goth/gothic"
	"github.com/markbates/goth/providers/openidConnect"
	c "hygie.example/interoperability/checks"
)

func main() {
	discovery := c.Issuer + "/.well-known/openid-configuration"
	c.Check("discovery", func() error {
		provider, err := openidConnect.New(c.ClientID, c.ClientSecret, c.Callback, discovery, "email", "profile")
		if err == nil {
			goth.UseProviders(provider)
		}
		return err
	})
	store := sessions.NewCookieStore([]byte("of this run"))
	store.Options.Secure = false
	gothic.Store = store
	gothic.GetProviderName = func(*http.Request) (string, error) { return "openid-connect", nil }
	http.HandleFunc("/login", gothic.BeginAuthHandler)
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		user, err := gothic.CompleteUserAuth(w, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(user)
	})
	go func() { _ = http.ListenAndServe("127.0.0.1:"+c.Port, nil) }()

	c.Check("sign-in, userinfo", func() error {
		page, err := c.Journey(c.AppURL+"/login", "")
		if err != nil {
			return err
		}
		var user goth.User
		if err := json.Unmarshal([]byte(page), &user); err != nil {
			return err
		}
		return c.Equal(user.UserID+" "+user.Email, c.PersonSub+" "+c.PersonEmail, "person")
	})
}
