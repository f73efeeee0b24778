// The FHIR STU3 directory (specification 2.3, 2.4, 4.5), read-only: every route with its guards.

import { type RequestHandler, Router } from 'express';
import { type ExportLimits, exportRoutes } from './bulk-export/export-routes.ts';
import { LIMITS } from './limits.ts';
import { baseAddress, searchOfAllTypes } from './metadata/base-address.ts';
import { capabilityStatement, type Publication } from './metadata/capability-statement.ts';
import { type AuthorizationServer, openidConfiguration, smartConfiguration } from './metadata/smart-configuration.ts';
import { authenticate, type Introspect } from './middleware/authenticate.ts';
import { methodNotAllowed } from './middleware/method-not-allowed.ts';
import { notFound } from './middleware/not-found.ts';
import { type DirectoryLog, operationOutcome } from './middleware/operation-outcome.ts';
import { type RateRules, withRateLimits } from './middleware/rate-limit.ts';
import { requireScopes } from './middleware/require-scopes.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { searchForm } from './middleware/search-form.ts';
import { boundUnreadAnswers } from './middleware/unread-answers.ts';
import { history, read } from './read.ts';
import type { Snapshots } from './resolve-snapshot.ts';
import { ORGANIZATION } from './resources/organization.ts';
import { PRACTITIONER } from './resources/practitioner.ts';
import { PRACTITIONER_ROLE } from './resources/practitioner-role.ts';
import { SERVED } from './resources/resource-types.ts';
import { SEARCH_PARAMETER } from './resources/search-parameter.ts';
import { definitionSnapshots } from './resources/search-parameter-definitions.ts';
import { includedScopes, search } from './search/search.ts';

/** The FHIR server, to be mounted at the path of `baseUrl`. */
export function directoryRouter(options: DirectoryOptions): Router {
  const { introspect, rates, authorizationServer, version, log } = options;
  const base = new URL(options.baseUrl).href.replace(/\/+$/, '');
  const exported = options.exports?.downloads !== 0;
  const docs = options.publication?.docs;
  const directory = { ...options, base, exported };
  const definitions = { ...directory, snapshots: definitionSnapshots({ base, version }) };
  const metadata = capabilityStatement(directory);

  const signedIn = [
    authenticate(rates ? withRateLimits(introspect, rates) : introspect, options.usedWithoutPerson), // 401, 429
    boundUnreadAnswers(options.unreadBytes ?? LIMITS.unreadBytes),
  ];
  const practitionerRead = [
    ...signedIn,
    requireScopes(['PRACTITIONER_READ'], includedScopes(PRACTITIONER, directory)), // 403
  ];
  const organizationRead = [...signedIn, requireScopes(['ORGANIZATION_READ'], includedScopes(ORGANIZATION, directory))];
  const roleRead = [...signedIn, requireScopes(['PRACTITIONER_READ', 'ORGANIZATION_READ'])];

  const router = Router({ caseSensitive: true });
  const get = (path: string | string[], ...handlers: (RequestHandler | RequestHandler[])[]) =>
    router
      .route(path)
      .get(...handlers)
      .all(methodNotAllowed);
  const searches = (type: string, guards: RequestHandler[], found: RequestHandler) => {
    get(`/${type}`, guards, found);
    // Search by GET works at this address too: HAPI's client calls it GET_WITH_SEARCH.
    router.route(`/${type}/_search`).get(guards, found).post(guards, searchForm, found).all(methodNotAllowed);
  };
  const reads = (type: string, guards: RequestHandler[], found: RequestHandler) =>
    get([`/${type}/:id`, `/${type}/:id/_history/:vid`], guards, found);

  router.use(responseHeaders);

  get('/metadata', metadata);
  get('/.well-known/smart-configuration', smartConfiguration(authorizationServer));
  get('/.well-known/openid-configuration', openidConfiguration(authorizationServer));

  searches('Practitioner', practitionerRead, search(PRACTITIONER, directory));
  searches('Organization', organizationRead, search(ORGANIZATION, directory));
  searches('PractitionerRole', roleRead, search(PRACTITIONER_ROLE, directory));
  searches('SearchParameter', [], search(SEARCH_PARAMETER, definitions));
  router.route('/_search').get(searchOfAllTypes).post(searchOfAllTypes).all(methodNotAllowed);

  router.use(exportRoutes(directory, signedIn));
  get(HISTORIES, history);

  reads('Practitioner', practitionerRead, read(PRACTITIONER, directory));
  reads('Organization', organizationRead, read(ORGANIZATION, directory));
  reads('PractitionerRole', roleRead, read(PRACTITIONER_ROLE, directory));
  reads('SearchParameter', [], read(SEARCH_PARAMETER, definitions));

  router.use(baseAddress(metadata, docs));
  router.use(notFound({ known: [...SERVED.map(({ type }) => type), ...(exported ? ['$export'] : [])], docs }));
  router.use(operationOutcome({ docs, log }));
  return router;
}

const HISTORIES = ['/_history', ...SERVED.flatMap(({ type }) => [`/${type}/_history`, `/${type}/:id/_history`])];

export interface DirectoryOptions {
  /** {directory_url}, absolute and public. Every link and fullUrl begins with it, regardless of the request's Host. */
  baseUrl: string;
  /** {claim_ns}, the prefix of the directory's own identifier systems. Searches may write them with http. */
  namespace: string;
  /** The authorization server, published for applications. */
  authorizationServer: AuthorizationServer;
  introspect: Introspect;
  snapshots: Snapshots;
  /** Called with the client of each request that comes with a token of a client's own. */
  usedWithoutPerson?: (clientId: string) => void;
  /** Limits on the requests of clients; without them there is no limit. */
  rates?: RateRules;
  /** Limits on exports; the defaults of `limits.ts` if absent. */
  exports?: Partial<ExportLimits>;
  /** Bytes of responses that one client may leave unread; the default of `limits.ts` if absent. */
  unreadBytes?: number;
  /** Version of the service. */
  version: string;
  /** The publisher of the directory, for the CapabilityStatement. */
  publication?: Publication;
  log?: DirectoryLog;
}
