// The FHIR STU3 directory, read-only (specification 2.3, 2.4, 4.5). This file has every route, with the checks that come before its
// handler. `server/wire-halves.ts` makes this router, and `server/app.ts` mounts it. From here a request goes to `search/search.ts` (its
// head outlines a search), `read.ts`, `batch/batch.ts` or `bulk-export/export-routes.ts`.

import { type RequestHandler, Router } from 'express';
import { batch } from './batch/batch.ts';
import { type ExportLimits, exportRoutes } from './bulk-export/export-routes.ts';
import { LIMITS } from './limits.ts';
import { baseAddress, searchOfAllTypes } from './metadata/base-address.ts';
import { capabilityStatement, type Publication } from './metadata/capability-statement.ts';
import { type AuthorizationServer, openidConfiguration, smartConfiguration } from './metadata/smart-configuration.ts';
import { type ActiveToken, authenticate, type Introspect } from './middleware/authenticate.ts';
import { type Interaction, respond } from './middleware/interaction.ts';
import { openRenderingCounter, type RateRules, requestCounter, withRateLimits } from './middleware/limit-requests.ts';
import { methodNotAllowed, notFound, unknownAddress } from './middleware/not-found-or-allowed.ts';
import { type DirectoryLog, operationOutcome } from './middleware/operation-outcome.ts';
import { searchForm } from './middleware/request-body.ts';
import { requireScopes } from './middleware/require-scopes.ts';
import { boundUnreadAnswers, responseHeaders } from './middleware/send-response.ts';
import { history } from './read.ts';
import type { Snapshots } from './resolve-snapshot.ts';
import { codeSystemSnapshots } from './resources/edition-codes.ts';
import { SERVED } from './resources/resource-types.ts';
import { definitionSnapshots } from './resources/search-parameter-resources.ts';
import type { SuggestionLimits } from './search/suggestions.ts';
import { type TypeInteractions, typeInteractions } from './type-interactions.ts';

/** Makes the router of the directory. Mount it at the path of `baseUrl`. */
export function directoryRouter(options: DirectoryOptions): Router {
  const { introspect, rates, authorizationServer, version, log } = options;
  const base = new URL(options.baseUrl).href.replace(/\/+$/, '');
  const exported = options.exports?.downloads !== 0;
  const docs = options.publication?.docs;
  const directory = { ...options, base, exported };
  const definitions = { ...directory, snapshots: definitionSnapshots({ base, version }) };
  const metadata = capabilityStatement(directory);

  const count = rates && requestCounter(rates);
  const rendering = rates && openRenderingCounter(rates);
  const describing = respond(metadata, rendering);
  const signedIn = [
    authenticate(rates && count ? withRateLimits(introspect, rates, count) : introspect, options.usedWithoutPerson), // 401, 403 (no person), 429, 503
    boundUnreadAnswers(options.unreadBytes ?? LIMITS.unreadBytes),
  ];
  const codes = { ...directory, snapshots: codeSystemSnapshots(options.snapshots) };
  const types = typeInteractions(directory, definitions, codes);
  const guards = ({ check }: TypeInteractions) => (check ? [...signedIn, requireScopes(check)] : []); // 403
  const unknown = unknownAddress({
    known: [...types.map(({ type }) => type), ...(exported ? ['$export'] : [])],
    docs,
  });

  const router = Router({ caseSensitive: true });
  const get = (path: string | string[], ...handlers: (RequestHandler | RequestHandler[])[]) =>
    router
      .route(path)
      .get(...handlers)
      .all(methodNotAllowed);

  router.use(responseHeaders);

  get('/metadata', describing);
  get('/.well-known/smart-configuration', smartConfiguration(authorizationServer));
  get('/.well-known/openid-configuration', openidConfiguration(authorizationServer));

  const respondTo = ({ check }: TypeInteractions, interaction: Interaction) =>
    respond(interaction, check ? undefined : rendering);
  for (const one of types) {
    const searching = respondTo(one, one.search);
    get(`/${one.type}`, guards(one), searching);
    // The address `_search` also answers GET, because HAPI's client can send searches in this way (GET_WITH_SEARCH).
    router
      .route(`/${one.type}/_search`)
      .get(guards(one), searching)
      .post(guards(one), searchForm, searching)
      .all(methodNotAllowed);
  }
  router.route('/_search').get(respond(searchOfAllTypes)).post(respond(searchOfAllTypes)).all(methodNotAllowed);

  router.use(exportRoutes(directory, signedIn));
  get(HISTORIES, respond(history));

  for (const one of types)
    get([`/${one.type}/:id`, `/${one.type}/:id/_history/:vid`], guards(one), respondTo(one, one.read));

  const routes = { base, types, metadata, history, searchOfAllTypes, unknownAddress: unknown };
  const countEntry = (token: ActiveToken) => {
    count?.(token);
    if (token.accountId === undefined) options.usedWithoutPerson?.(token.clientId);
  };
  const batched = batch({ ...routes, count: countEntry, entryAnswered: options.entryAnswered, log });
  router.use(baseAddress({ metadata: describing, batch: [...signedIn, batched], docs }));
  router.use(notFound(unknown));
  router.use(operationOutcome({ docs, log }));
  return router;
}

const HISTORIES = ['/_history', ...SERVED.flatMap(({ type }) => [`/${type}/_history`, `/${type}/:id/_history`])];

export interface DirectoryOptions {
  /**
   * {directory_url}, the absolute public address of the directory. Every link and fullUrl begins with it, even if the header Host of the
   * request has another name.
   */
  baseUrl: string;
  /**
   * {claim_ns}, the prefix of the directory's own identifier systems. In searches, clients may write these systems with http instead of
   * https.
   */
  namespace: string;
  /** Metadata of the authorization server, which the directory publishes for applications. */
  authorizationServer: AuthorizationServer;
  introspect: Introspect;
  snapshots: Snapshots;
  /** Called for each request with a client's own token, which belongs to no person. */
  usedWithoutPerson?: (clientId: string) => void;
  /** Called after each entry of a batch was answered: with its path below the base address, its status, and the seconds that it took. */
  entryAnswered?: (path: string, status: number, seconds: number) => void;
  /** The rates of clients; without them there is no limit. */
  rates?: RateRules;
  /** Limits of exports; the defaults of `limits.ts` if absent. */
  exports?: Partial<ExportLimits>;
  /** Limits of the suggestions for searches that find nothing; the default of `search/suggestions.ts` if absent. */
  suggestions?: SuggestionLimits;
  /** Bytes of responses that one client may leave unread; the default of `limits.ts` if absent. */
  unreadBytes?: number;
  /** Version of the service. */
  version: string;
  /** The publisher of the directory, for the CapabilityStatement. */
  publication?: Publication;
  log?: DirectoryLog;
}
