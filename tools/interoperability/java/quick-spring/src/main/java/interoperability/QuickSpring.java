package interoperability;

import static interoperability.Checks.*;

import example.Application;

/** The application for Spring Security of docs/quick-starts.md, at the addresses of this run. */
public final class QuickSpring {
  private QuickSpring() {}

  public static void main(String[] arguments) {
    var client = "--spring.security.oauth2.client.";
    Application.main(
        new String[] {
          "--server.address=127.0.0.1",
          "--server.port=" + told("PORT"),
          "--logging.level.root=warn",
          "--spring.main.banner-mode=off",
          client + "provider.hygie.issuer-uri=" + ISSUER
        });
    check("docs/quick-starts.md, Spring Security: signs a person in and searches the directory", () -> {
      var page = journey(APP_URL + "/", "quick-spring");
      if (!page.contains("Bundle") || !page.contains("searchset")) throw new AssertionError("the page is " + page);
    });
    System.exit(0);
  }
}
