// Owns the addresses of the directory, all on one screen, and the order in which a request passes through it.
// Does not own what a token is worth (passed in), how values are parsed (`search.ts`) or found (the store).
//
// Plain Node, no Express: its layers would cost more than a search by identifier does.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { nearest } from '../shared/nearest.ts';
import type { Snapshot } from '../store/directory/snapshot.ts';
import { admit, type Introspect } from './bearer.ts';
import { bundleJson } from './bundle.ts';
import { formOf } from './form.ts';
import { LIMITS } from './limits.ts';
import { createMetadata, type Endpoints } from './metadata.ts';
import { otherMethod } from './methods.ts';
import { negotiate } from './negotiation.ts';
import { ORGANIZATION } from './organization.ts';
import { type DirectoryLog, fault, outcomeOf } from './outcome.ts';
import type { Page } from './page-link.ts';
import type { ParameterTable } from './parameters.ts';
import { PRACTITIONER } from './practitioner.ts';
import { pairsOf } from './raw-query.ts';
import { answerRead } from './read.ts';
import { type Answer, createReply } from './reply.ts';
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
  /** Headers of the whole service, for every answer; names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Of the service. */
  version: string;
  log?: DirectoryLog;
}

/** The types that are served, each by its parameter table. */
export const TABLES: readonly ParameterTable[] = [PRACTITIONER, ORGANIZATION];

/** A request as it came: path and query are those below the directory's base. */
interface Asked {
  req: IncomingMessage;
  res: ServerResponse;
  path: string;
  /** As sent, one character for each byte. */
  query: string;
}

/** What one address answers, by method. HEAD is GET, whose body Node leaves out. */
interface Place {
  GET?(asked: Asked): Promise<Answer>;
  POST?(asked: Asked): Promise<Answer>;
}

const LENIENT = /(^|[,;])\s*handling\s*=\s*"?lenient\b/i;
const READ = /^\/([^/]+)\/([^/]+)(?:\/_history\/([^/]+))?$/;

/** The read-only FHIR STU3 directory (specification 2.3, 2.4, 4.5), to be mounted at the path of `baseUrl`. */
export function directoryRouter(options: DirectoryOptions): (req: IncomingMessage, res: ServerResponse) => void {
  const places = new Map<string, Place>([['/metadata', metadata(options)]]);
  const readers = new Map<string, Place>();
  for (const table of TABLES) {
    const { search, searchByPost, read } = placesOf(table, options);
    places.set(`/${table.type}`, search).set(`/${table.type}/_search`, searchByPost);
    readers.set(table.type, read);
  }
  const reply = createReply(options.headers);

  const answer = async (asked: Asked): Promise<Answer> => {
    const { path, req } = asked;
    const { method = 'GET' } = req;
    const place = places.get(path) ?? readers.get(READ.exec(path)?.[1] ?? '');
    // The base itself has nothing to read, and no method beyond reading is possible there (no batch, no transaction).
    if (!place && (path !== '/' || method === 'GET' || method === 'HEAD')) throw unknownAddress(path);
    const handler = method === 'GET' || method === 'HEAD' ? place?.GET : method === 'POST' ? place?.POST : undefined;
    return handler ? handler(asked) : otherMethod(method, place?.POST ? ['POST'] : ['GET', 'HEAD']);
  };
  return async (req, res) => {
    const asked = askedOf(req, res);
    try {
      reply(res, await answer(asked));
    } catch (error) {
      reply(res, outcomeOf(error, { method: req.method, path: asked.path }, options.log));
    }
  };
}

function askedOf(req: IncomingMessage, res: ServerResponse): Asked {
  const { url = '/' } = req;
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return { req, res, path: trimmed, query: at < 0 ? '' : url.slice(at + 1) };
}

/** What one type answers: each begins with the token, whatever else is wrong with the request. */
function placesOf(table: ParameterTable, { introspect, snapshots, namespace, baseUrl }: DirectoryOptions) {
  const { type, permission } = table;
  const base = baseOf(baseUrl);
  const parse = createSearchParser(table, { base, namespace });

  const answerSearch = async (raw: string, { headers }: IncomingMessage): Promise<Answer> => {
    const { prefer } = headers;
    const request = parse(raw, { lenient: prefer !== undefined && LENIENT.test(String(prefer)) });
    negotiate(headers.accept, request.format);
    const snapshot = await snapshotFor(snapshots, request.page);
    const page = await found(snapshot, table, request);
    return { status: 200, body: bundleJson({ base, type, request, snapshot: snapshot.id, page }) };
  };
  const search: Place = {
    GET: async ({ req, query }) => {
      await admit(req.headers.authorization, introspect, permission);
      return answerSearch(bounded(query), req);
    },
  };
  const searchByPost: Place = {
    POST: async ({ req, res, query }) => {
      await admit(req.headers.authorization, introspect, permission);
      // STU3 http 2.20.0.7: the parameters of the address are added to those of the form.
      const form = await formOf(req, res);
      return answerSearch([form, bounded(query)].filter(Boolean).join('&'), req);
    },
  };
  const read: Place = {
    GET: async ({ req, path, query }) => {
      await admit(req.headers.authorization, introspect, permission);
      const [, , id = '', version] = READ.exec(path) ?? [];
      negotiate(req.headers.accept, formatOf(query));
      const snapshot = await snapshotFor(snapshots, undefined);
      const wanted = {
        id: decodeURIComponent(id),
        ...(version !== undefined && { version: decodeURIComponent(version) }),
      };
      return answerRead({ table, base, snapshot }, wanted, req.headers);
    },
  };
  return { search, searchByPost, read };
}

function baseOf(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

function bounded(query: string): string {
  if (query.length > LIMITS.queryBytes)
    throw fault(414, 'too-long', `A query takes ${LIMITS.queryBytes} bytes at most: split the search.`);
  return query;
}

function formatOf(query: string): string | undefined {
  return pairsOf(bounded(query)).find(([name]) => name === '_format')?.[1];
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
    total: page?.total === undefined ? request.total : false,
    ...(page?.after === undefined ? {} : { after: page.after }),
  });
}

function metadata(options: DirectoryOptions): Place {
  const json = createMetadata({
    base: baseOf(options.baseUrl),
    issuer: options.issuer,
    endpoints: options.endpoints,
    version: options.version,
    tables: TABLES,
    createdAt: (id) => options.snapshots.createdAt?.(id),
  });
  return {
    GET: async ({ req, query }) => {
      negotiate(req.headers.accept, formatOf(query));
      return { status: 200, body: await json(options.snapshots.current()) };
    },
  };
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
