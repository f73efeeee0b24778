// What an operator or an integrator had to know until it was taken away, and the tests of `npm test` that keep it away.

import type { SuiteTests } from './suite-rows.ts';

export interface Friction extends SuiteTests {
  /** What nobody has to know any more. */
  friction: string;
}

const of = (friction: string, file: string, tests = /./): Friction => ({ friction, file: `test/${file}`, tests });

export const FRICTIONS: readonly Friction[] = [
  of('offline_access is left out without prompt=consent', 'oidc/tokens/offline-access.test.ts'),
  of('Standard claims (given_name, family_name, fhirUser ...) are missing', 'oidc/standard-claims.test.ts'),
  of('Accounts have no given and family name', 'cli/account-names.test.ts'),
  of('Tokens of client_credentials are of no use at the directory', 'oidc/tokens/client-credentials.test.ts'),
  of('prompt=select_account is an error', 'oidc/interactions/select-account.test.ts'),
  of(
    'Traced pages of other origins cannot ask the directory',
    'relying-parties/oidc-client-ts.system.test.ts',
    /W3C Fetch/,
  ),
  of('A sign-out with the ID token of the session asks a question', 'oidc/logout/sign-out-by-hint.test.ts'),
  of('Messages name commands that do not exist', 'cli/printed-commands.system.test.ts'),
  of('421 does not say which host came', 'server/middleware/check-host.test.ts', /421 names/),
  of('profile: fapi2 fails the certification suite', 'config/clients/fapi2.test.ts'),
  of('Nobody can say no on the sign-in page', 'signin/login.test.ts', /can be refused/),
  of('A proof says another algorithm than its key', 'oidc/tokens/dpop-proof.test.ts', /with a key for/),
  of('Request objects and signed answers are not taken', 'oidc/clients/message-signing.test.ts'),
  of('A refused request object forgets response_mode', 'oidc/clients/request-objects.test.ts', /still says how/),
  of('Logout tokens of a client without an address wait', 'oidc/logout/backchannel-logout.test.ts', /loses its/),
  of('GET _search, as HAPI sends it, is a 405', 'directory/router.test.ts', /_search/),
  of('Entries with an outcome have no fullUrl', 'directory/router.test.ts', /says so/),
  of('_total=estimated is unknown', 'directory/search/paging.test.ts', /_total=estimated/),
  of('_elements=Practitioner.name is unknown', 'directory/format/summary-and-elements.test.ts', /Practitioner\.name/),
  of("fhirpy's count() is unknown", 'directory/search/unsupported-hints.test.ts', /_totalMethod is/),
  of("fhirpy's elements() is unknown", 'directory/format/summary-and-elements.test.ts', /fhirpy/),
  of('XML answers have two Cache-Control', 'directory/format/content-negotiation.test.ts', /one Cache-Control/),
  of(
    'The base address says another thing by each method',
    'directory/metadata/capability-claims.test.ts',
    /at the base/,
  ),
  of('Descriptions read as HTML to validators', 'directory/metadata/capability-statement.test.ts', /take for HTML/),
  of('OAuth errors are pages for the HTTP client of Java', 'oidc/errors/json-errors.test.ts'),
  of('Discovery and key set are made anew each time', 'oidc/middleware/public-documents.test.ts'),
  of('check says its verdict last', 'cli/command-line.test.ts', /verdict first/),
  of('A restart loses requests', 'server/process/serve.system.test.ts', /SIGTERM/),
  of('SIGTERM to npm leaves the service running', 'server/process/npm-start.system.test.ts'),
  of('HSTS binds other hosts', 'config/service/connections.test.ts', /host alone|preload/),
  of('An installation for sign-in alone is never ready', 'server/readiness.test.ts'),
  of('A staging system is either development or production', 'server/sandbox.test.ts'),
  of('The image has a configuration, and root', 'deploy/container.system.test.ts'),
  of('Files of systemd, Compose and Kubernetes are homework', 'deploy/manifests.system.test.ts'),
  of('sslmode means something else than it says', 'config/environment/database-url.test.ts'),
  of('PostgreSQL refuses, and nobody says what to do', 'server/database-remedy.system.test.ts'),
  of('A cold directory stops sign-ins', 'server/searches-aside.test.ts'),
  of('A snapshot is switched to before it is in memory', 'search-index/read-ahead.test.ts'),
];
