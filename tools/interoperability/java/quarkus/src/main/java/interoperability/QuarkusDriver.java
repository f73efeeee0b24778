package interoperability;

import static interoperability.Checks.*;

import io.quarkus.oidc.IdToken;
import io.quarkus.oidc.UserInfo;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import org.eclipse.microprofile.jwt.JsonWebToken;

/** Quarkus as a web application: sign-in with PKCE and nonce, userinfo, sign-out at the service and by the service. */
@QuarkusMain
public class QuarkusDriver implements QuarkusApplication {
  @Override
  public int run(String... arguments) {
    var person = PERSON_SUB + " " + PERSON_EMAIL;
    check("sign-in with PKCE and nonce by discovery, ID token verified; userinfo", () ->
        equal(journey(APP_URL + "/who", "quarkus"), person, "person"));
    check("RP-initiated logout, and back", () -> equal(journey(APP_URL + "/logout", "quarkus"), "signed out", "page"));
    check("Back-channel logout ends the session of the application", () -> {
      journey(APP_URL + "/who", "quarkus");
      journey(ISSUER + "/logout", "quarkus");
      // Until the application has heard of it, it shows the page without a sign-in.
      var pressed = "";
      for (var left = 100; left > 0 && !pressed.contains("sign-in"); left--) {
        Thread.sleep(100);
        pressed = pressed(APP_URL + "/who", "quarkus");
      }
      equal(pressed.contains("sign-in"), true, "asked to sign in again");
    });
    return 0;
  }

  @Path("/")
  @Produces("text/html;charset=UTF-8")
  public static class Pages {
    @Inject @IdToken JsonWebToken idToken;
    @Inject UserInfo userInfo;

    @GET
    @Path("who")
    public String who() {
      return idToken.getSubject() + " " + userInfo.getEmail();
    }

    @GET
    @Path("signed-out")
    public String signedOut() {
      return "signed out";
    }
  }
}
