package example;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@SpringBootApplication
@RestController
public class Application {
  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }

  @GetMapping("/")
  String search(
      @AuthenticationPrincipal OidcUser person,
      @RegisteredOAuth2AuthorizedClient("hygie") OAuth2AuthorizedClient client) {
    var claim = person.getClaims().keySet().stream().filter((name) -> name.endsWith("/userInfo")).findFirst();
    Map<String, Object> userInfo = person.getClaimAsMap(claim.orElseThrow());
    return RestClient.create(userInfo.get("apiUrl").toString())
        .get()
        .uri("/Practitioner?name={name}", "mart")
        .header("Authorization", "Bearer " + client.getAccessToken().getTokenValue())
        .retrieve()
        .body(String.class);
  }
}
