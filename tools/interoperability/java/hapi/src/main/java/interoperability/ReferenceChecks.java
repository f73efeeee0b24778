package interoperability;

import static interoperability.HapiDriver.check;
import static interoperability.HapiDriver.that;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The Java code of the directory's reference page, compiled and run as it stands. */
final class ReferenceChecks {
  private static final Pattern CODE =
      Pattern.compile("<pre[^>]* data-language=\"java\" aria-label=\"([^\"]*)\"><code>(.*?)</code>", Pattern.DOTALL);

  private final String page;
  private final String token;

  ReferenceChecks(String page, String token) {
    this.page = page;
    this.token = token;
  }

  void run() throws Exception {
    var request = HttpRequest.newBuilder(URI.create(page)).header("Accept-Language", "en").build();
    var found = CODE.matcher(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
    var tried = 0;
    while (found.find()) {
      var code = textOf(found.group(2));
      check("the reference's Java code runs as it stands: " + textOf(found.group(1)), () -> runs(code));
      tried++;
    }
    var count = tried;
    check("the reference has Java code for its examples", () -> that(count > 12, "there are " + count));
  }

  private void runs(String code) throws Exception {
    var folder = Files.createTempDirectory("reference");
    var file = Files.writeString(folder.resolve("Ask.java"), code);
    var output = folder.resolve("output");
    var program = new ProcessBuilder("java", "-cp", System.getProperty("java.class.path"), file.toString());
    program.environment().put("TOKEN", token);
    program.redirectErrorStream(true).redirectOutput(output.toFile());
    var process = program.start();
    that(process.waitFor(120, TimeUnit.SECONDS), "it does not end");
    var printed = Files.readString(output).replaceFirst("^Picked up [^\\n]*\\n", "").trim();
    that(process.exitValue() == 0 && printed.startsWith("{"), printed);
  }

  private static String textOf(String html) {
    return html.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
  }
}
