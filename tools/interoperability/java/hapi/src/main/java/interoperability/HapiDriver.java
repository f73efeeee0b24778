package interoperability;

import ca.uhn.fhir.context.FhirContext;

/**
 * Drives HAPI FHIR's client against a directory, and holds its answers against HAPI's validator. FHIR_BASE and ACCESS_TOKEN (of a
 * person with both scopes) come from the environment. Prints a line for each check; exits with 1 when one failed.
 */
public final class HapiDriver {
  private static int failed;

  private HapiDriver() {}

  @FunctionalInterface
  interface Attempt {
    void run() throws Exception;
  }

  static void check(String what, Attempt attempt) {
    try {
      attempt.run();
      System.out.println("ok - " + what);
    } catch (Exception | AssertionError error) {
      failed++;
      System.out.println("not ok - " + what + ": " + String.valueOf(error).replaceAll("\\s+", " ").trim());
    }
    System.out.flush();
  }

  static void that(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }

  /** The refusal with which a call has to end. */
  static <E extends Exception> E refused(Class<E> by, Attempt attempt) throws Exception {
    try {
      attempt.run();
    } catch (Exception error) {
      if (by.isInstance(error)) return by.cast(error);
      throw error;
    }
    throw new AssertionError("it was answered, instead of " + by.getSimpleName());
  }

  private static String told(String name) {
    var value = System.getenv(name);
    if (value == null || value.isEmpty()) throw new IllegalStateException("set " + name);
    return value;
  }

  public static void main(String[] arguments) throws Exception {
    var base = told("FHIR_BASE");
    var token = told("ACCESS_TOKEN");
    var context = FhirContext.forDstu3();
    new ClientChecks(context, base, token).run();
    new ReferenceChecks(base.replaceFirst("/v2$", "/docs"), token).run();
    new ValidatorChecks(context, base, token).run();
    System.exit(failed == 0 ? 0 : 1);
  }
}
