// The FHIR STU3 directory (specification 2.3, 2.4, 4.5), read-only: every route with what it takes to pass.

import { type RequestHandler, Router } from 'express';
import {
  type ExportLimits,
  endExport,
  exportFile,
  exportKickOff,
  exportStatus,
  requireExport,
} from './bulk-export/export-routes.ts';
import { fhirError } from './errors.ts';
import { criterionOf } from './format/serialize.ts';
import { LIMITS } from './limits.ts';
import { capabilityStatement, type Publication } from './metadata/capability-statement.ts';
import { type AuthorizationServer, openidConfiguration, smartConfiguration } from './metadata/smart-configuration.ts';
import { authenticate, type Introspect } from './middleware/authenticate.ts';
import { methodNotAllowed } from './middleware/method-not-allowed.ts';
import { notFound } from './middleware/not-found.ts';
import { type DirectoryLog, operationOutcome } from './middleware/operation-outcome.ts';
import { limited, type RateRules } from './middleware/rate-limit.ts';
import { requireScopes } from './middleware/require-scopes.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { searchForm } from './middleware/search-form.ts';
import { boundUnreadAnswers } from './middleware/unread-answers.ts';
import { history, read } from './read.ts';
import { ORGANIZATION } from './resources/organization.ts';
import { PRACTITIONER } from './resources/practitioner.ts';
import { PRACTITIONER_ROLE } from './resources/practitioner-role.ts';
import type { Snapshots } from './resources/resolve-snapshot.ts';
import { SERVED, TABLES } from './resources/resource-types.ts';
import { definitionSnapshots, SEARCH_PARAMETER } from './resources/search-parameter.ts';
import { ownSearchParameters } from './resources/search-parameter-definitions.ts';
import { includedScopes, search } from './search/search.ts';

export interface DirectoryOptions {
  /** {directory_url}: absolute and public. Every link and fullUrl begins with it, whatever Host a request names. */
  baseUrl: string;
  /** {claim_ns}, under which the directory's own identifier systems stand; searches may write them with http. */
  namespace: string;
  /** Where and how people sign in, for those who ask the directory. */
  authorizationServer: AuthorizationServer;
  introspect: Introspect;
  snapshots: Snapshots;
  /** Told of every request that a client makes with a token of its own. */
  usedWithoutPerson?: (clientId: string) => void;
  /** How many requests clients may make; as many as they like when absent. */
  rates?: RateRules;
  /** What exports may cost; the defaults of `limits.ts` when absent. */
  exports?: Partial<ExportLimits>;
  /** Bytes of answers that one client may leave unread; the default of `limits.ts` when absent. */
  unreadBytes?: number;
  /** Of the service. */
  version: string;
  /** For the CapabilityStatement. */
  publication?: Publication;
  log?: DirectoryLog;
}

/** To be mounted at the path of `baseUrl`. */
export function directoryRouter(options: DirectoryOptions): Router {
  const { introspect, rates, authorizationServer: server, version, log } = options;
  const base = new URL(options.baseUrl).href.replace(/\/+$/, '');
  const offered = options.exports?.downloads !== 0;
  const docs = options.publication?.docs;
  const directory = { ...options, base };
  const definitions = {
    ...directory,
    snapshots: definitionSnapshots(ownSearchParameters({ base, version, tables: TABLES })),
  };
  const metadata = capabilityStatement({ ...directory, tables: SERVED, exported: offered });
  const unknownAddress = notFound({
    known: [...SERVED.map(({ type }) => type), ...(offered ? ['$export'] : [])],
    docs,
  });

  const exportOffered = requireExport(offered); // 404 where it is switched off
  const signedIn = [
    authenticate(rates ? limited(introspect, rates) : introspect, options.usedWithoutPerson), // 401
    boundUnreadAnswers(options.unreadBytes ?? LIMITS.unreadBytes),
  ];
  const practitionerRead = requireScopes(['PRACTITIONER_READ'], includedScopes(PRACTITIONER, directory)); // 403
  const organizationRead = requireScopes(['ORGANIZATION_READ'], includedScopes(ORGANIZATION, directory));
  const roleRead = requireScopes(['PRACTITIONER_READ', 'ORGANIZATION_READ']);

  const router = Router({ caseSensitive: true });
  const get = (path: string | string[], ...handlers: (RequestHandler | RequestHandler[])[]) =>
    router
      .route(path)
      .get(...handlers)
      .all(methodNotAllowed);
  // By GET, too: HAPI's client calls it GET_WITH_SEARCH.
  const searchAddress = (path: string, guards: RequestHandler[], found: RequestHandler) =>
    router.route(path).get(guards, found).post(guards, searchForm, found).all(methodNotAllowed);

  router.use(responseHeaders);

  get('/metadata', metadata);
  get('/.well-known/smart-configuration', smartConfiguration(server));
  get('/.well-known/openid-configuration', openidConfiguration(server));
  get(HISTORIES, history);

  const practitioners = search(PRACTITIONER, directory);
  get('/Practitioner', signedIn, practitionerRead, practitioners);
  searchAddress('/Practitioner/_search', [...signedIn, practitionerRead], practitioners);
  get(exportOf('/Practitioner'), exportOffered, signedIn, exportKickOff(directory, 'Practitioner'));
  get('/Practitioner/:id', signedIn, practitionerRead, read(PRACTITIONER, directory));
  get('/Practitioner/:id/_history/:vid', signedIn, practitionerRead, read(PRACTITIONER, directory));

  const organizations = search(ORGANIZATION, directory);
  get('/Organization', signedIn, organizationRead, organizations);
  searchAddress('/Organization/_search', [...signedIn, organizationRead], organizations);
  get(exportOf('/Organization'), exportOffered, signedIn, exportKickOff(directory, 'Organization'));
  get('/Organization/:id', signedIn, organizationRead, read(ORGANIZATION, directory));
  get('/Organization/:id/_history/:vid', signedIn, organizationRead, read(ORGANIZATION, directory));

  const roles = search(PRACTITIONER_ROLE, directory);
  get('/PractitionerRole', signedIn, roleRead, roles);
  searchAddress('/PractitionerRole/_search', [...signedIn, roleRead], roles);
  get(exportOf('/PractitionerRole'), exportOffered, signedIn, exportKickOff(directory, 'PractitionerRole'));
  get('/PractitionerRole/:id', signedIn, roleRead, read(PRACTITIONER_ROLE, directory));
  get('/PractitionerRole/:id/_history/:vid', signedIn, roleRead, read(PRACTITIONER_ROLE, directory));

  const searchParameters = search(SEARCH_PARAMETER, definitions);
  get('/SearchParameter', searchParameters);
  searchAddress('/SearchParameter/_search', [], searchParameters);
  get(['/SearchParameter/:id', '/SearchParameter/:id/_history/:vid'], read(SEARCH_PARAMETER, definitions));

  get(exportOf(''), exportOffered, signedIn, exportKickOff(directory));
  router
    .route(exportOf('', '/:edition'))
    .get(exportOffered, signedIn, exportStatus(directory))
    .delete(exportOffered, signedIn, endExport)
    .all(methodNotAllowed);
  router
    .route(exportOf('', '/:edition/:name'))
    .get(exportOffered, signedIn, exportFile(directory))
    .delete(exportOffered, signedIn, endExport)
    .all(methodNotAllowed);

  searchAddress('/_search', [], searchOfAllTypes);
  router
    .route('/')
    .get(pageForBrowsers(docs), withoutCriteria, metadata)
    .options(optionsOfBase, metadata)
    .all(methodNotAllowed);
  router.use(unknownAddress);
  router.use(operationOutcome({ docs, log }));
  return router;
}

const HISTORIES = ['/_history', ...SERVED.flatMap(({ type }) => [`/${type}/_history`, `/${type}/:id/_history`])];

/** Clients may percent-encode the `$`. */
function exportOf(path: string, below = ''): string[] {
  return [`${path}/$export${below}`, `${path}/%24export${below}`];
}

/** Who opens the base in a browser is led to the reference page. Nothing that speaks FHIR asks for XHTML. */
function pageForBrowsers(docs: string | undefined): RequestHandler {
  return ({ headers: { accept = '' } }, res, next) => {
    if (docs === undefined || !/^\s*text\/html\s*,\s*application\/xhtml\+xml\b/i.test(accept)) next();
    else res.status(302).set('Location', docs).end();
  };
}

/** The base describes itself; with criteria it would be a search of all types. */
const withoutCriteria: RequestHandler = (req, res, next) => {
  if (criterionOf(req) === undefined) next();
  else searchOfAllTypes(req, res, next);
};

const searchOfAllTypes: RequestHandler = () => {
  const types = TABLES.map(({ type }) => `/${type}`).join(', ');
  throw fhirError(400, 'not-supported', `A search is one of a type: send it to ${types}, or to _search below one.`);
};

/** OPTIONS of the base gives the CapabilityStatement (STU3 http 2.20.0.11), except to a browser's preflight. */
const optionsOfBase: RequestHandler = ({ headers }, res, next) => {
  if (headers['access-control-request-method'] !== undefined) return next('route');
  res.set('Allow', 'GET, HEAD, OPTIONS');
  next();
};
