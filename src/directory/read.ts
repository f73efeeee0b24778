// Owns the answer to a read by id: the stored text, its version headers, conditional reads (STU3 http 2.20.0.3).
// Does not own the search of the resource (the store).

import type { IncomingHttpHeaders } from 'node:http';
import { printable } from '../shared/printable.ts';
import type { Snapshot, StoredResource } from '../store/directory/snapshot.ts';
import { fault } from './outcome.ts';
import type { ParameterTable } from './parameters.ts';
import type { Answer } from './reply.ts';

/**
 * The resource, or 304 when the client holds it already.
 * @param version only this version is wanted (vread); no other than the current one is kept
 * @throws Fault 404 for an unknown id or version, 410 for a resource that an earlier edition held
 */
export async function answerRead(
  { table, base, snapshot }: { table: ParameterTable; base: string; snapshot: Snapshot },
  { id, version }: { id: string; version?: string },
  asked: IncomingHttpHeaders,
): Promise<Answer> {
  const found = await snapshot.read(table.type, id);
  if (!found) throw await missing(table, snapshot, id);
  if (version !== undefined && version !== found.versionId)
    throw fault(404, 'not-found', `Only the current version of ${table.type}/${id} is kept: history is not supported.`);
  const etag = `W/"${found.versionId}"`;
  const headers = {
    ETag: etag,
    'Last-Modified': new Date(found.lastUpdated).toUTCString(),
    'Content-Location': `${base}/${table.type}/${id}/_history/${found.versionId}`,
  };
  return isKnown(asked, etag, found) ? { status: 304, headers } : { status: 200, body: found.json, headers };
}

async function missing(table: ParameterTable, snapshot: Snapshot, id: string) {
  const gone = await snapshot.gone(table.type, id);
  if (gone)
    return fault(
      410,
      'not-found',
      `${table.type}/${id} left the directory with the edition of ${gone.goneSince}: search by name or identifier whether it is there under another id.`,
    );
  return fault(404, 'not-found', `There is no ${table.type} with the id ${printable(id)}: search for it by name or identifier.`);
}

/** RFC 9110 section 13: If-None-Match (weak comparison) takes precedence over If-Modified-Since. */
function isKnown(asked: IncomingHttpHeaders, etag: string, { lastUpdated }: StoredResource): boolean {
  const tags = asked['if-none-match'];
  if (tags !== undefined) {
    const wanted = etag.slice(2);
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === wanted);
  }
  const since = asked['if-modified-since'];
  // HTTP dates have whole seconds.
  return since !== undefined && Math.floor(Date.parse(lastUpdated) / 1000) * 1000 <= Date.parse(since);
}
