package interoperability;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@Configuration
class SpringSecurity {
  @Bean
  @Order(1)
  SecurityFilterChain api(HttpSecurity http) throws Exception {
    return http.securityMatcher("/api/**")
        .authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
        .oauth2ResourceServer((server) -> server.opaqueToken(Customizer.withDefaults()))
        .build();
  }

  @Bean
  @Order(2)
  SecurityFilterChain pages(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var back = new OidcClientInitiatedLogoutSuccessHandler(clients);
    back.setPostLogoutRedirectUri("{baseUrl}/signed-out");
    var logout = PathPatternRequestMatcher.withDefaults().matcher("/logout");
    return http.authorizeHttpRequests(
            (requests) -> requests.requestMatchers("/seen", "/signed-out").permitAll().anyRequest().authenticated())
        .oauth2Login(Customizer.withDefaults())
        .oidcLogout((oidc) -> oidc.backChannel(Customizer.withDefaults()))
        .logout((out) -> out.logoutRequestMatcher(logout).logoutSuccessHandler(back))
        .build();
  }

  @RestController
  static class Pages {
    @GetMapping("/who")
    String who(@AuthenticationPrincipal OidcUser person) {
      return person.getSubject() + " " + person.getUserInfo().getEmail();
    }

    @GetMapping("/token")
    String token(@RegisteredOAuth2AuthorizedClient("hygie") OAuth2AuthorizedClient client) {
      return client.getAccessToken().getTokenValue();
    }

    @GetMapping("/seen")
    String seen(@AuthenticationPrincipal OidcUser person) {
      return person == null ? "nobody" : person.getSubject();
    }

    @GetMapping("/signed-out")
    String signedOut() {
      return "signed out";
    }

    @GetMapping("/api/who")
    String api(java.security.Principal principal) {
      return principal.getName();
    }
  }
}
