// Routes of the export (FHIR Bulk Data Access): the kick-off, the status and the files. `limits.ts` has the size of a file, and the default
// for the number of files that a client may download at the same time (`directory.downloads`).
//
// A snapshot never changes, so an export needs no preparation: its manifest is complete at once. A client that asks for the asynchronous
// pattern is sent to the status, which says at the first request that the export is complete. Any other client gets the manifest as the
// answer to the kick-off.

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
import { createDownloadSlots, download } from './download.ts';
import { checkHistory, type ExportRequest, exportRequest } from './export-request.ts';
import { chunksOf, createTurns, fileName, filesOf, type OwnTurn, parseFileName } from './files.ts';

interface ExportOptions {
  /** Public base address of the directory, without a trailing slash. */
  base: string;
  snapshots: Snapshots;
  /** True if the operator allows exports. */
  exported: boolean;
  exports?: Partial<ExportLimits> | undefined;
  log?: DirectoryLog | undefined;
}

export interface ExportLimits {
  /**
   * Number of files that one client may download from this process at the same time. All users of the client share this number. 0 switches
   * the export off.
   */
  downloads: number;
  /** Maximum number of resources in a file. */
  resources: number;
}

const ASYNCHRONOUS = /(^|[,;])\s*respond-async\b/i;

/** Makes the routes of the export, below the base address of the directory. `signedIn` are the handlers that authenticate a request. */
export function exportRoutes(options: ExportOptions, signedIn: RequestHandler[]): Router {
  const exports = { ...options, ownTurn: createTurns() };
  // Answers 404 if the export is switched off, and 401 if the request has no valid token.
  const guards = [requireExport(options.exported), ...signedIn];
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

/** Returns a path with `$` and with `%24`, because clients may percent-encode the `$`. */
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

/** Makes the handler that begins an export, of all types or of one type. */
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

/** Makes the handler for the status of an export. It answers with the manifest. */
function exportStatus(options: Exports): RequestHandler {
  return async (req, res) => {
    const request = exportRequest(rawQuery(req));
    checkExportScopes(res, request);
    const snapshot = await namedSnapshot(options, String(req.params['edition']));
    await checkSince(options, snapshot, request);
    await sendText(req, res, 'application/json', await manifest(options, snapshot, request));
  };
}

/** Answers 202 to a client that cancels or deletes an export. Nothing is stored for an export, so nothing is removed. */
const endExport: RequestHandler = (_req, res) => accepted(res);

function accepted(res: Response): void {
  res.status(202).set('Content-Length', '0').end();
}

/** Makes the handler that sends one file of an export. */
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

/** Opens the snapshot with the id that the address contains. Throws FhirError 410 if the snapshot does not exist any more. */
async function namedSnapshot({ snapshots }: ExportOptions, edition: string): Promise<Snapshot> {
  const snapshot = await snapshots.byId(edition);
  if (snapshot) return snapshot;
  throw fhirError(410, 'not-found', 'The edition of this export is gone: begin the export anew.');
}

/** Writes the manifest of an export (Bulk Data Access, "Response - Complete Status"). */
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
    // The address with which the client can later export the changes since this export.
    extension: { next: linkTo(`${base}/$export`, next) },
  };
  return `${JSON.stringify(body, null, 1)}\n`;
}

function linkTo(address: string, { query }: ExportRequest): string {
  return query === '' ? address : `${address}?${query}`;
}
