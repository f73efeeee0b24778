// Owns the routes of the directory, all on one screen, and the order in which a request passes through them.
// Does not own what a token is worth (passed in), how values are parsed (`search.ts`) or found (the store).

import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { nearest } from '../shared/nearest.ts';
import type { Snapshot } from '../store/directory/snapshot.ts';
import { bearer, type Introspect } from './bearer.ts';
import { bundleJson } from './bundle.ts';
import { formOf, formParser } from './form.ts';
import { LIMITS } from './limits.ts';
import { createMetadata, type Endpoints } from './metadata.ts';
import { otherMethods } from './methods.ts';
import { negotiate } from './negotiation.ts';
import { ORGANIZATION } from './organization.ts';
import { type DirectoryLog, fault, outcomeHandler } from './outcome.ts';
import type { Page } from './page-link.ts';
import type { ParameterTable } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { pairsOf } from './raw-query.ts';
import { answerRead } from './read.ts';
import { sendJson } from './reply.ts';
import { createSearchParser, type SearchRequest } from './search.ts';

export interface DirectoryOptions {
  /** {directory_url}: absolute and public. Every link and fullUrl begins with it, whatever Host a request names. */
  baseUrl: string;
  /** {auth_url}, for the CapabilityStatement. */
  issuer: string;
  /** {claim_ns}, under which the directory's own identifier systems stand; searches may write them with http. */
  namespace: string;
  /** For the SMART extension of the CapabilityStatement. */
  endpoints: Endpoints;
  introspect: Introspect;
  snapshots: {
    /** The one that new searches read; nothing before the first import. */
    current(): Snapshot | undefined;
    /** One that links still point to; nothing when it was dropped. Any text may come. */
    byId(id: string): Promise<Snapshot | undefined>;
    /** FHIR instant at which a snapshot was made: the date of the CapabilityStatement. */
    createdAt?(id: string): string | undefined;
  };
  /** Of the service. */
  version: string;
  log?: DirectoryLog;
}

/** The types that are served, each by its parameter table. */
export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION];

const READ = ['GET', 'HEAD'];
const LENIENT = /(^|[,;])\s*handling\s*=\s*"?lenient\b/i;

/** The read-only FHIR STU3 directory (specification 2.3, 2.4, 4.5), to be mounted at the path of `baseUrl`. */
export function directoryRouter(options: DirectoryOptions): Router {
  const router = express.Router({ caseSensitive: true });
  for (const table of TABLES) mountType(router, table, options);
  router.get('/metadata', metadataHandler(options)).all('/metadata', otherMethods(READ));
  router.all('/', otherUnless(READ));
  router.use((req) => {
    throw unknownAddress(req.path);
  });
  router.use(outcomeHandler(options.log));
  return router;
}

function mountType(router: Router, table: ParameterTable, options: DirectoryOptions): void {
  const { type, permission } = table;
  const base = baseOf(options);
  const door = bearer(options.introspect, permission);
  const parse = createSearchParser(table, { base, namespace: options.namespace });

  const answerSearch = async (raw: string, req: Request, res: Response) => {
    const request = parse(raw, { lenient: LENIENT.test(String(req.headers['prefer'] ?? '')) });
    negotiate(req.headers.accept, request.format);
    const snapshot = await snapshotFor(options.snapshots, request.page);
    const page = await found(snapshot, table, request);
    sendJson(res, 200, bundleJson({ base, type, request, snapshot: snapshot.id, page }));
  };
  const read: RequestHandler<{ id: string; version?: string }> = async (req, res) => {
    negotiate(req.headers.accept, formatOf(req));
    const snapshot = await snapshotFor(options.snapshots, undefined);
    await answerRead({ table, base, snapshot }, req.params, req, res);
  };

  router.get(`/${type}`, door, (req, res) => answerSearch(queryOf(req), req, res));
  router.all(`/${type}`, otherMethods(READ));
  router.post(`/${type}/_search`, door, formParser, (req, res) => answerSearch(formOf(req, queryOf(req)), req, res));
  router.all(`/${type}/_search`, otherMethods(['POST']));
  router.get(`/${type}/:id`, door, read).all(`/${type}/:id`, otherMethods(READ));
  router.get(`/${type}/:id/_history/:version`, door, read);
  router.all(`/${type}/:id/_history/:version`, otherMethods(READ));
}

function baseOf({ baseUrl }: DirectoryOptions): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

/** The query as sent. Express' own parser is passed by: it would not keep bad UTF-8 apart from good. */
function queryOf(req: Request): string {
  const at = req.url.indexOf('?');
  if (at < 0) return '';
  const raw = req.url.slice(at + 1);
  if (raw.length > LIMITS.queryBytes)
    throw fault(414, 'too-long', `A query takes ${LIMITS.queryBytes} bytes at most: split the search.`);
  return raw;
}

function formatOf(req: Request): string | undefined {
  return pairsOf(queryOf(req)).find(([name]) => name === '_format')?.[1];
}

async function snapshotFor(snapshots: DirectoryOptions['snapshots'], page: Page | undefined): Promise<Snapshot> {
  const current = snapshots.current();
  if (page && page.snapshot !== current?.id) {
    const kept = await snapshots.byId(page.snapshot);
    if (kept) return kept;
    throw fault(410, 'not-found', 'The edition of the directory that this page belongs to is gone: search anew.', {
      parameter: '_page',
    });
  }
  if (current) return current;
  throw fault(503, 'transient', 'No directory is loaded yet: try again later.', { headers: { 'Retry-After': '30' } });
}

function found(snapshot: Snapshot, { type }: ParameterTable, request: SearchRequest) {
  const { clauses, page } = request;
  if (clauses.some((clause) => clause.anyOf.length === 0)) return { matches: [], more: false, total: 0 };
  return snapshot.search({
    type,
    clauses,
    limit: request.totalOnly ? 0 : request.count,
    total: request.total && page?.total === undefined,
    ...(page?.after === undefined ? {} : { after: page.after }),
  });
}

function metadataHandler(options: DirectoryOptions): RequestHandler {
  const metadata = createMetadata({
    base: baseOf(options),
    issuer: options.issuer,
    endpoints: options.endpoints,
    version: options.version,
    tables: TABLES,
    createdAt: (id) => options.snapshots.createdAt?.(id),
  });
  return async (req, res) => {
    negotiate(req.headers.accept, formatOf(req));
    sendJson(res, 200, await metadata(options.snapshots.current()));
  };
}

/** The base itself has nothing to read, and no method beyond reading is possible there (no batch, no transaction). */
function otherUnless(read: readonly string[]): RequestHandler {
  const refuse = otherMethods(read);
  return (req, res, next) => (read.includes(req.method) ? next() : refuse(req, res, next));
}

function unknownAddress(path: string) {
  const types = TABLES.map(({ type }) => type);
  const asked = path.split('/', 2)[1] ?? '';
  const guess = types.some((type) => type === asked) ? undefined : nearest(asked, types);
  return fault(
    404,
    'not-found',
    `Nothing is served at this address${guess ? `: did you mean ${guess}?` : '.'} Known are /metadata, /${types.join(', /')}.`,
  );
}
