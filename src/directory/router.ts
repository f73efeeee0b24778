// Owns the addresses of the directory, all on one screen, and the order in which a request passes through it.
// Does not own what an address answers (`type-places.ts`, `metadata.ts`), nor what a token is worth (passed in).
//
// Plain Node, no Express: its layers would cost more than a search by identifier does.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { nearest } from '../shared/nearest.ts';
import { bulkPlaces, type ExportLimits } from './bulk-export/export-routes.ts';
import { checkCoding } from './format/content-negotiation.ts';
import { representationOfDescription, representationOfFault, represented } from './format/serialize.ts';
import { createMetadata, type Publication } from './metadata/capability-statement.ts';
import { searchParameters } from './metadata/search-parameter-definitions.ts';
import { type AuthorizationServer, discoveryPlaces } from './metadata/smart-configuration.ts';
import type { Introspect } from './middleware/authenticate.ts';
import { type Asked, askedOf, type Place } from './middleware/directory-request.ts';
import { otherMethod } from './middleware/method-not-allowed.ts';
import { type DirectoryLog, Fault, fault, outcomeOf } from './middleware/operation-outcome.ts';
import { limited, type RateRules } from './middleware/rate-limit.ts';
import { type Answer, createReply } from './middleware/send-response.ts';
import { HISTORY } from './resources/read.ts';
import { placesOf, READ } from './resources/resource-routes.ts';
import { SERVED, TABLES } from './resources/resource-types.ts';
import { definitionSnapshots, SEARCH_PARAMETER } from './resources/search-parameter.ts';
import type { Snapshots } from './search/resolve-snapshot.ts';

export interface DirectoryOptions {
  /** {directory_url}: absolute and public. Every link and fullUrl begins with it, whatever Host a request names. */
  baseUrl: string;
  /** {claim_ns}, under which the directory's own identifier systems stand; searches may write them with http. */
  namespace: string;
  /** Where and how people sign in, for those who ask the directory. */
  authorizationServer: AuthorizationServer;
  introspect: Introspect;
  snapshots: Snapshots;
  /** How many requests clients may make; as many as they like when absent. */
  rates?: RateRules;
  /** What exports may cost; the defaults of `limits.ts` when absent. */
  exports?: Partial<ExportLimits>;
  /** Headers of the whole service, for every answer; names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Of the service. */
  version: string;
  /** For the CapabilityStatement. */
  publication?: Publication;
  log?: DirectoryLog;
}

/** The read-only FHIR STU3 directory (specification 2.3, 2.4, 4.5), to be mounted at the path of `baseUrl`. */
export function directoryRouter(options: DirectoryOptions): (req: IncomingMessage, res: ServerResponse) => void {
  const base = new URL(options.baseUrl).href.replace(/\/+$/, '');
  const statement = metadata(options, base);
  const places = new Map<string, Place>([['/metadata', statement], ...discoveryPlaces(options.authorizationServer)]);
  const readers = new Map<string, Place>();
  const introspect = options.rates ? limited(options.introspect, options.rates) : options.introspect;
  const { kickOffs, below } = bulkPlaces({ ...options, base, introspect });
  for (const [path, place] of kickOffs) places.set(path, place);
  const definitions = definitionSnapshots(searchParameters({ base, version: options.version, tables: TABLES }));
  for (const table of SERVED) {
    const snapshots = table === SEARCH_PARAMETER ? definitions : options.snapshots;
    const { search, searchByPost, read } = placesOf(table, { ...options, base, introspect, snapshots });
    places.set(`/${table.type}`, search).set(`/${table.type}/_search`, searchByPost);
    readers.set(table.type, read);
  }
  const histories = new RegExp(`^(/(${[...readers.keys()].join('|')})(/[^/]+)?)?/_history$`);
  const reply = createReply(options.headers);
  const docs = options.publication?.docs;
  const offered = options.exports?.downloads !== 0;

  const answer = async (asked: Asked): Promise<Answer> => {
    const { path, req } = asked;
    const { method = 'GET' } = req;
    checkCoding(req.headers['accept-encoding']);
    const history = histories.test(path) ? HISTORY : undefined;
    const place = places.get(path) ?? history ?? readers.get(READ.exec(path)?.[1] ?? '') ?? below(path);
    // The base itself has nothing to read, and no method beyond reading is possible there (no batch, no transaction).
    // A browser asks everywhere whether it may ask: without a yes, pages could not even be told that an address is unknown.
    const reads = method === 'GET' || method === 'HEAD';
    if (path === '/' && reads && docs !== undefined && wantsPage(req.headers.accept))
      return { status: 302, headers: { Location: docs } };
    if (!place && (reads || (path !== '/' && method !== 'OPTIONS'))) throw unknownAddress(path, offered, docs);
    // STU3's other way to the CapabilityStatement, unless it is a browser that asks whether it may ask.
    if (method === 'OPTIONS' && path === '/' && req.headers['access-control-request-method'] === undefined)
      return optionsOf(await statement.GET?.(asked));
    const handler = place && handlerOf(place, method);
    return handler ? handler(asked) : otherMethod(method, methodsOf(place));
  };
  return async (req, res) => {
    const asked = askedOf(req, res);
    try {
      reply(res, await answer(asked));
    } catch (error) {
      const outcome = outcomeOf(withDocs(error, docs), { method: req.method, path: asked.path }, options.log);
      // A second answer cannot be sent: the client sees that the first one ends too early.
      if (res.headersSent) res.destroy();
      else reply(res, represented(outcome, representationOfFault(asked)));
    }
  };
}

function handlerOf(place: Place, method: string): Place['GET'] {
  if (method === 'GET' || method === 'HEAD') return place.GET;
  return method === 'POST' ? place.POST : method === 'DELETE' ? place.DELETE : undefined;
}

function methodsOf({ POST, DELETE }: Place = {}): string[] {
  return POST ? ['POST'] : DELETE ? ['GET', 'HEAD', 'DELETE'] : ['GET', 'HEAD'];
}

function metadata(options: DirectoryOptions, base: string): Place {
  const { authorizationServer, version, snapshots, publication } = options;
  const json = createMetadata({
    ...{ base, authorizationServer, version, ...(publication && { publication }) },
    tables: SERVED,
    exported: options.exports?.downloads !== 0,
    createdAt: (id) => snapshots.createdAt?.(id),
  });
  return {
    GET: async (asked) => {
      const representation = representationOfDescription('CapabilityStatement', asked);
      return represented({ status: 200, body: await json(snapshots.current()) }, representation);
    },
  };
}

function optionsOf(answer: Answer = { status: 204 }): Answer {
  return { ...answer, headers: { ...answer.headers, Allow: 'OPTIONS' } };
}

/** Whether it is a browser that asks: nothing that speaks FHIR names pages. */
function wantsPage(accept = ''): boolean {
  return /^\s*text\/html\b/i.test(accept);
}

/** Who has no token that holds learns where to read how to get one. */
function withDocs(error: unknown, docs: string | undefined): unknown {
  if (!(error instanceof Fault) || error.status !== 401 || docs === undefined) return error;
  const issues = error.issues.map((issue) => ({ ...issue, diagnostics: `${issue.diagnostics} How: ${docs}` }));
  return new Fault(401, issues, error.headers);
}

function unknownAddress(path: string, exported: boolean, docs: string | undefined) {
  const types = SERVED.map(({ type }) => type);
  const known = exported ? [...types, '$export'] : types;
  const asked = path.split('/', 2)[1] ?? '';
  const guess = types.some((type) => type === asked) ? undefined : nearest(asked, types);
  return fault(
    404,
    'not-found',
    `Nothing is served at this address${guess ? `: did you mean ${guess}?` : '.'} Known are /metadata, /${known.join(', /')}.${docs === undefined ? '' : ` All about them: ${docs}`}`,
  );
}
