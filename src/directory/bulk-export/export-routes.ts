// Owns the addresses of the export (FHIR Bulk Data Access): the kick-off, its status, its files, and who may have them.
// Does not own the files' content (`pieces.ts`), nor the number of requests over time (`../middleware/rate-limit.ts`).
//
// A snapshot never changes, so that an export has nothing to prepare: the manifest is complete at once. Clients that ask
// for the asynchronous pattern get it, with a status that is complete at the first look; others get the manifest itself.

import { RESOURCE_TYPES, type ResourceType, type Snapshot } from '../../search-index/index.ts';
import { LIMITS } from '../limits.ts';
import { type Admitted, demand, type Introspect, identify } from '../middleware/authenticate.ts';
import { type Asked, bounded, type Place } from '../middleware/directory-request.ts';
import { type DirectoryLog, fault } from '../middleware/operation-outcome.ts';
import type { Answer } from '../middleware/send-response.ts';
import { TABLES } from '../resources/resource-types.ts';
import { type Snapshots, snapshotFor } from '../search/resolve-snapshot.ts';
import { piecesOf } from './chunks.ts';
import { download } from './download.ts';
import { type ExportRequest, exportRequest } from './export-request.ts';
import { nameOf, partNamed, partsOf } from './files.ts';
import { checkHistory } from './history.ts';

export interface BulkOptions {
  /** Public base without a trailing slash. */
  base: string;
  introspect: Introspect;
  snapshots: Snapshots;
  exports?: Partial<ExportLimits>;
  log?: DirectoryLog;
}

export interface ExportLimits {
  /** Files that one client may download at a time from this process; 0 when nothing is exported. */
  downloads: number;
  /** Resources of a file. */
  resources: number;
}

const ACCEPTED: Answer = { status: 202, headers: { 'Content-Length': '0' } };

/** Path of a status or of a file: snapshot, file. */
const BELOW = /^\/(?:\$|%24)export\/([A-Za-z0-9][A-Za-z0-9._:-]{0,99})(?:\/([^/]+))?$/;
const ASYNCHRONOUS = /(^|[,;])\s*respond-async\b/i;

/** Addresses of the export: those that begin one, by path, and those that it names, which belong to a snapshot. */
export function bulkPlaces(options: BulkOptions): {
  kickOffs: Iterable<[path: string, place: Place]>;
  below(path: string): Place | undefined;
} {
  const downloads = options.exports?.downloads ?? LIMITS.exportDownloads;
  const offered = downloads > 0;
  const kickOffs = [undefined, ...RESOURCE_TYPES].flatMap((type): [string, Place][] => {
    const place = offered ? { GET: (asked: Asked) => kickOff(options, asked, type) } : SWITCHED_OFF;
    return ['$', '%24'].map((sign) => [`${type === undefined ? '' : `/${type}`}/${sign}export`, place]);
  });
  const slots = createSlots(downloads);
  const named: Place = {
    GET: (asked) => (fileOf(asked.path) === undefined ? status(options, asked) : sendFile(options, asked, slots)),
    // The end of an export, as clients announce it: there is nothing that would have to be removed.
    DELETE: async (asked) => {
      await identify(asked.req, options.introspect);
      return ACCEPTED;
    },
  };
  return { kickOffs, below: (path) => (BELOW.test(path) ? (offered ? named : SWITCHED_OFF) : undefined) };
}

const SWITCHED_OFF: Place = {
  GET: async () => {
    throw fault(404, 'not-supported', 'The operator does not offer the export of the directory: search it.');
  },
};

function fileOf(path: string): string | undefined {
  return BELOW.exec(path)?.[2];
}

async function kickOff(options: BulkOptions, { req, query }: Asked, typed?: ResourceType): Promise<Answer> {
  const who = await identify(req, options.introspect);
  const request = exportRequest(bounded(query), typed);
  permit(who, request);
  const snapshot = await snapshotFor(options.snapshots);
  await checkSince(options, snapshot, request);
  if (!ASYNCHRONOUS.test(String(req.headers.prefer ?? ''))) return manifest(options, snapshot, request);
  const location = linkTo(`${options.base}/$export/${snapshot.id}`, request);
  return { ...ACCEPTED, headers: { ...ACCEPTED.headers, 'Content-Location': location } };
}

async function status(options: BulkOptions, { req, path, query }: Asked): Promise<Answer> {
  const who = await identify(req, options.introspect);
  const request = exportRequest(bounded(query));
  permit(who, request);
  const snapshot = await exported(options, path);
  await checkSince(options, snapshot, request);
  return manifest(options, snapshot, request);
}

async function sendFile(options: BulkOptions, { req, path, query }: Asked, slots: Slots): Promise<Answer> {
  const who = await identify(req, options.introspect);
  if (query !== '')
    throw fault(400, 'not-supported', 'A file of an export takes no parameters: take addresses from the manifest.');
  const part = partNamed(fileOf(path) ?? '');
  if (!part) throw fault(404, 'not-found', 'There is no such file: take addresses from the manifest of an export.');
  demand(who.scopes, permissionsOf([part.type]));
  const open = () => exported(options, path);
  const snapshot = await open();
  const count = (await snapshot.counts())[part.type];
  if (part.to > count || (part.from >= part.to && !part.gone))
    throw fault(
      404,
      'not-found',
      `The edition has ${count} resources of type ${part.type}: there is no such part of it.`,
    );
  const free = slots.take(who.clientId);
  const file = {
    name: `${snapshot.id}.${nameOf(part)}`,
    pieces: (at?: number) => piecesOf(part, open, at),
    ended: (error: unknown) => {
      free();
      if (error) options.log?.error({ err: error, path }, 'a download of the export ended too early');
    },
  };
  try {
    return await download(file, req);
  } catch (error) {
    free();
    throw error;
  }
}

function permit({ scopes }: Admitted, { types, named }: ExportRequest): void {
  const hint = named ? '' : ' Or name with _type what may be exported with it.';
  demand(scopes, permissionsOf(types), hint);
}

function permissionsOf(types: readonly ResourceType[]): string[] {
  const tables = TABLES.filter((table) => types.some((type) => type === table.type));
  return [...new Set(tables.flatMap(({ permissions }) => permissions))];
}

async function checkSince({ snapshots }: BulkOptions, snapshot: Snapshot, { since }: ExportRequest): Promise<void> {
  if (since !== undefined) await checkHistory(snapshot, since, async () => (await snapshots.overtaken?.()) ?? false);
}

/** The snapshot that an address names. Throws Fault 410 when it was dropped. */
async function exported({ snapshots }: BulkOptions, path: string): Promise<Snapshot> {
  const snapshot = await snapshots.byId(BELOW.exec(path)?.[1] ?? '');
  if (snapshot) return snapshot;
  throw fault(410, 'not-found', 'The edition of this export is gone: begin the export anew.');
}

/** Everything that there is to know of an export (Bulk Data Access, "Response - Complete Status"). */
async function manifest({ base, exports }: BulkOptions, snapshot: Snapshot, request: ExportRequest): Promise<Answer> {
  const { created: transactionTime } = (await snapshot.history()).at(-1) ?? { created: new Date(0).toISOString() };
  const entries = (await partsOf(snapshot, request, exports?.resources ?? LIMITS.exportResources)).map(
    ({ part, count }) => ({
      gone: part.gone,
      item: {
        type: part.gone ? 'Bundle' : part.type,
        url: `${base}/$export/${snapshot.id}/${nameOf(part)}`,
        ...(count === undefined ? {} : { count }),
      },
    }),
  );
  const itemsOf = (gone: boolean) => entries.filter((entry) => entry.gone === gone).map(({ item }) => item);
  const next: ExportRequest = exportRequest(
    `${request.named ? `_type=${request.types}&` : ''}_since=${transactionTime}`,
  );
  const body = {
    transactionTime,
    request: linkTo(`${base}/$export`, request),
    requiresAccessToken: true,
    output: itemsOf(false),
    ...(request.since === undefined ? {} : { deleted: itemsOf(true) }),
    error: [],
    // Where the next run finds what changed after this one.
    extension: { next: linkTo(`${base}/$export`, next) },
  };
  return { status: 200, body: `${JSON.stringify(body, null, 1)}\n`, mediaType: 'application/json' };
}

function linkTo(address: string, { query }: ExportRequest): string {
  return query === '' ? address : `${address}?${query}`;
}

type Slots = ReturnType<typeof createSlots>;

/** Downloads at a time, by client. */
function createSlots(most: number) {
  const taken = new Map<string, number>();
  return {
    /** Takes a place; the function gives it back, once. Throws Fault 429. */
    take(clientId: string): () => void {
      const before = taken.get(clientId) ?? 0;
      if (before >= most)
        throw fault(429, 'throttled', `Not more than ${most} files of an export at a time: wait until one has ended.`, {
          headers: { 'Retry-After': '5' },
        });
      taken.set(clientId, before + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const now = (taken.get(clientId) ?? 1) - 1;
        if (now === 0) taken.delete(clientId);
        else taken.set(clientId, now);
      };
    },
  };
}
