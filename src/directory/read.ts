// Reads one resource by id, with its version headers and conditional requests (STU3 http 2.20.0.3).

import type { Request, RequestHandler } from 'express';
import type { Snapshot, StoredResource } from '#search-index/index.ts';
import { printable } from '#shared/log/printable.ts';
import { traced } from '#shared/request-context.ts';
import { fhirError } from './errors.ts';
import type { Representation } from './format/serialize.ts';
import { subsetTag } from './format/summary-and-elements.ts';
import { isFresh, sendResource, setCaching } from './middleware/send-response.ts';
import { resolveSnapshot, type Snapshots } from './resolve-snapshot.ts';
import type { ParameterTable } from './resources/parameters.ts';
import { representationOfRead } from './search/representation.ts';

interface ReadOptions {
  /** Public base of the directory without a trailing slash. */
  base: string;
  snapshots: Snapshots;
}

/**
 * Handler of a read (`id`) and of a vread (`id` and `vid`; only the current version is kept). Throws FhirError 404 for an unknown id or
 * version, and 410 for a resource that an earlier edition held.
 */
export function read(table: ParameterTable, { base, snapshots }: ReadOptions): RequestHandler {
  const { type } = table;
  return async (req, res) => {
    const { id, vid } = req.params as { id: string; vid?: string };
    const representation = representationOfRead(type, req);
    const snapshot = await resolveSnapshot(snapshots);
    const found = await traced(`directory read ${type}`, {}, () => snapshot.read(type, id));
    if (!found) throw await missing(table, snapshot, id);
    if (vid !== undefined && vid !== found.versionId)
      throw fhirError(404, 'not-found', `Only the current version of ${type}/${id} is kept: history is not supported.`);
    res.set({
      ETag: entityTag(found, representation),
      'Last-Modified': new Date(found.lastUpdated).toUTCString(),
      'Content-Location': `${base}/${type}/${id}/_history/${found.versionId}`,
    });
    if (mayBeOtherFormat(req, representation)) {
      delete req.headers['if-none-match'];
      delete req.headers['if-modified-since'];
    }
    setCaching(res, representation);
    if (isFresh(req)) res.status(304).end();
    else await sendResource(req, res, found.json, representation);
  };
}

/** Handler of the histories of one resource, of a type and of all types. There are none, so it refuses. */
export const history: RequestHandler = () => {
  throw fhirError(
    404,
    'not-found',
    'Only current versions are kept: history is not supported. Search by _lastUpdated for what changed since a time.',
  );
};

/**
 * The version id, as a weak tag, because both formats have it (STU3 http 2.20.0.4). A subset has a tag of its own, because it is not the
 * whole version.
 */
function entityTag({ versionId }: StoredResource, { subset }: Representation): string {
  return subset ? `W/"${versionId}+${subsetTag(subset)}"` : `W/"${versionId}"`;
}

/** The parameters by which people find an entry without its id: name or identifier, otherwise the first ones of the type. */
function searched({ parameters }: ParameterTable): string {
  const names = parameters.map(({ name }) => name);
  const known = ['name', 'identifier'].filter((name) => names.includes(name));
  return (known.length > 0 ? known : names.slice(0, 2)).join(' or ');
}

async function missing(table: ParameterTable, snapshot: Snapshot, id: string) {
  const gone = await snapshot.gone(table.type, id);
  if (gone)
    return fhirError(
      410,
      'not-found',
      `${table.type}/${id} left the directory with the edition of ${gone.goneSince}: search by ${searched(table)} whether it is there under another id.`,
    );
  return fhirError(
    404,
    'not-found',
    `There is no ${table.type} with the id ${printable(id)}: search for it by ${searched(table)}.`,
  );
}

/**
 * Checks whether the tag of a request for XML may belong to JSON. A browser sends the tag of the JSON that it stored for the same address,
 * and would take 304 as a confirmation of it. XML itself is never stored.
 */
function mayBeOtherFormat({ headers }: Request, { format }: Representation): boolean {
  return format === 'xml' && headers['sec-fetch-site'] !== undefined;
}
