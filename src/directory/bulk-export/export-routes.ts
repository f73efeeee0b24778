// Routes of the export (FHIR Bulk Data Access): the kick-off, its status, its files. `limits.ts` says how large a file is, and how many a
// client may download at a time unless `directory.downloads` says otherwise.
//
// A snapshot never changes, so that an export has nothing to prepare: the manifest is complete at once. Clients that ask
// for the asynchronous pattern get it, with a status that is complete at the first look; others get the manifest itself.

import { type RequestHandler, type Response, Router } from 'express';
import { fhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { type ActiveToken, tokenOf } from '#directory/middleware/authenticate.ts';
import { methodNotAllowed } from '#directory/middleware/not-found-or-allowed.ts';
import type { DirectoryLog } from '#directory/middleware/operation-outcome.ts';
import { rawQuery, unboundedQuery } from '#directory/middleware/raw-query.ts';
import { checkScopes } from '#directory/middleware/require-scopes.ts';
import { sendText } from '#directory/middleware/send-response.ts';
import { resolveSnapshot, type Snapshots, stateOf } from '#directory/resolve-snapshot.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import type { ResourceType, Snapshot } from '#search-index/index.ts';
import { chunksOf, createTurns, type OwnTurn } from './chunks.ts';
import { download } from './download.ts';
import { createDownloadSlots } from './download-slots.ts';
import { checkHistory, type ExportRequest, exportRequest } from './export-request.ts';
import { fileName, filesOf, parseFileName } from './files.ts';

interface ExportOptions {
  /** Public base without a trailing slash. */
  base: string;
  snapshots: Snapshots;
  /** True if the operator offers the export. */
  exported: boolean;
  exports?: Partial<ExportLimits> | undefined;
  log?: DirectoryLog | undefined;
}

export interface ExportLimits {
  /** Files that one client may download at a time from this process, shared among its people. 0 switches the export off. */
  downloads: number;
  /** Resources of a file. */
  resources: number;
}

const ASYNCHRONOUS = /(^|[,;])\s*respond-async\b/i;

/** Routes below the base of the directory. `signedIn` authenticates. */
export function exportRoutes(options: ExportOptions, signedIn: RequestHandler[]): Router {
  const exports = { ...options, ownTurn: createTurns() };
  const guards = [requireExport(options.exported), ...signedIn]; // 404 where it is switched off, 401
  const router = Router({ caseSensitive: true });
  router.route(exportPath('')).get(guards, kickOff(exports)).all(methodNotAllowed);
  for (const { type } of TABLES)
    router
      .route(exportPath(`/${type}`))
      .get(guards, kickOff(exports, type))
      .all(methodNotAllowed);
  router
    .route(exportPath('', '/:edition'))
    .get(guards, exportStatus(exports))
    .delete(guards, endExport)
    .all(methodNotAllowed);
  router
    .route(exportPath('', '/:edition/:name'))
    .get(guards, exportFile(exports))
    .delete(guards, endExport)
    .all(methodNotAllowed);
  return router;
}

/** Clients may percent-encode the `$`. */
function exportPath(path: string, below = ''): string[] {
  return [`${path}/$export${below}`, `${path}/%24export${below}`];
}

function requireExport(offered: boolean): RequestHandler {
  return (_req, _res, next) => {
    if (!offered)
      throw fhirError(404, 'not-supported', 'The operator does not offer the export of the directory: search it.');
    next();
  };
}

type Exports = ExportOptions & { ownTurn: OwnTurn };

/** Handler of `$export`, of everything or of one type. */
function kickOff(options: Exports, type?: ResourceType): RequestHandler {
  return async (req, res) => {
    const request = exportRequest(rawQuery(req), type);
    checkExportScopes(res, request);
    const snapshot = await resolveSnapshot(options.snapshots);
    await checkSince(options, snapshot, request);
    if (ASYNCHRONOUS.test(String(req.headers.prefer ?? ''))) {
      res.set('Content-Location', linkTo(`${options.base}/$export/${snapshot.id}`, request));
      accepted(res);
    } else await sendText(req, res, 'application/json', await manifest(options, snapshot, request));
  };
}

/** Handler of the status of an export. */
function exportStatus(options: Exports): RequestHandler {
  return async (req, res) => {
    const request = exportRequest(rawQuery(req));
    checkExportScopes(res, request);
    const snapshot = await namedSnapshot(options, String(req.params['edition']));
    await checkSince(options, snapshot, request);
    await sendText(req, res, 'application/json', await manifest(options, snapshot, request));
  };
}

/** Handler of the end of an export. There is nothing to remove. */
const endExport: RequestHandler = (_req, res) => accepted(res);

function accepted(res: Response): void {
  res.status(202).set('Content-Length', '0').end();
}

/** Handler of one file of an export. */
function exportFile(options: Exports): RequestHandler {
  const slots = createDownloadSlots(options.exports?.downloads ?? LIMITS.exportDownloads);
  return async (req, res) => {
    if (unboundedQuery(req) !== '')
      throw fhirError(
        400,
        'not-supported',
        'A file of an export takes no parameters: take addresses from the manifest.',
      );
    const { edition, name } = req.params as { edition: string; name: string };
    const file = parseFileName(name);
    if (!file)
      throw fhirError(404, 'not-found', 'There is no such file: take addresses from the manifest of an export.');
    checkScopes(tokenOf(res), scopesOf([file.type]));
    const open = () => namedSnapshot(options, edition);
    const snapshot = await open();
    const count = (await snapshot.counts())[file.type];
    if (file.to > count || (file.from >= file.to && !file.gone))
      throw fhirError(
        404,
        'not-found',
        `The edition has ${count} resources of type ${file.type}: there is no such part of it.`,
      );
    const { path } = req;
    const release = slots.take(tokenOf(res) as ActiveToken);
    const content = {
      name: `${stateOf(snapshot)}.${fileName(file)}`,
      chunks: (at?: number) => chunksOf(file, { open, ownTurn: options.ownTurn }, at),
      ended: (error: unknown) => {
        release();
        if (error) options.log?.error({ err: error, path }, 'a download of the export ended too early');
      },
    };
    try {
      await download(content, req, res);
    } catch (error) {
      release();
      throw error;
    }
  };
}

function checkExportScopes(res: Response, { types, named }: ExportRequest): void {
  checkScopes(tokenOf(res), scopesOf(types), named ? '' : ' Or name with _type what may be exported with it.');
}

function scopesOf(types: readonly ResourceType[]): string[] {
  return TABLES.filter((table) => types.some((type) => type === table.type)).flatMap(({ scopes }) => scopes);
}

async function checkSince({ snapshots }: ExportOptions, snapshot: Snapshot, { since }: ExportRequest): Promise<void> {
  if (since !== undefined) await checkHistory(snapshot, since, async () => (await snapshots.overtaken?.()) ?? false);
}

/** The snapshot that an address names. Throws FhirError 410 when it was dropped. */
async function namedSnapshot({ snapshots }: ExportOptions, edition: string): Promise<Snapshot> {
  const snapshot = await snapshots.byId(edition);
  if (snapshot) return snapshot;
  throw fhirError(410, 'not-found', 'The edition of this export is gone: begin the export anew.');
}

/** The manifest of an export (Bulk Data Access, "Response - Complete Status"). */
async function manifest(
  { base, exports, ownTurn }: Exports,
  snapshot: Snapshot,
  request: ExportRequest,
): Promise<string> {
  const { created: transactionTime } = (await snapshot.history()).at(-1) ?? { created: new Date(0).toISOString() };
  const files = await filesOf(snapshot, request, exports?.resources ?? LIMITS.exportResources, ownTurn);
  const entries = files.map(({ file, count }) => ({
    gone: file.gone,
    item: {
      type: file.gone ? 'Bundle' : file.type,
      url: `${base}/$export/${snapshot.id}/${fileName(file)}`,
      ...(count === undefined ? {} : { count }),
    },
  }));
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
    // Address from which the next run gets the changes after this one.
    extension: { next: linkTo(`${base}/$export`, next) },
  };
  return `${JSON.stringify(body, null, 1)}\n`;
}

function linkTo(address: string, { query }: ExportRequest): string {
  return query === '' ? address : `${address}?${query}`;
}
