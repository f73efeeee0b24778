// Owns the answer to a read by id: the stored text, its version headers, conditional reads (STU3 http 2.20.0.3).
// Does not own the search of the resource (the store).

import type { IncomingHttpHeaders } from 'node:http';
import type { Snapshot, StoredResource } from '../../search-index/index.ts';
import { printable } from '../../shared/log/printable.ts';
import { type Representation, represented } from '../format/serialize.ts';
import { markOf } from '../format/summary-and-elements.ts';
import type { Place } from '../middleware/directory-request.ts';
import { fault } from '../middleware/operation-outcome.ts';
import type { Answer } from '../middleware/send-response.ts';
import type { ParameterTable } from '../search/parameters.ts';

/** The addresses of the histories of one resource, of a type and of all: they are there to be told that there are none. */
export const HISTORY: Place = {
  GET: async () => {
    throw fault(
      404,
      'not-found',
      'Only current versions are kept: history is not supported. Search by _lastUpdated for what changed since a time.',
    );
  },
};

/**
 * The resource, or 304 when the client holds it already.
 * @param version only this version is wanted (vread); no other than the current one is kept
 * @throws Fault 404 for an unknown id or version, 410 for a resource that an earlier edition held
 */
export async function answerRead(
  { table, base, snapshot }: { table: ParameterTable; base: string; snapshot: Snapshot },
  { id, version }: { id: string; version?: string },
  asked: IncomingHttpHeaders,
  representation: Representation,
): Promise<Answer> {
  const found = await snapshot.read(table.type, id);
  if (!found) throw await missing(table, snapshot, id);
  if (version !== undefined && version !== found.versionId)
    throw fault(404, 'not-found', `Only the current version of ${table.type}/${id} is kept: history is not supported.`);
  const etag = tagOf(found, representation);
  const headers = {
    ETag: etag,
    'Last-Modified': new Date(found.lastUpdated).toUTCString(),
    'Content-Location': `${base}/${table.type}/${id}/_history/${found.versionId}`,
  };
  if (!mayBeAnother(asked, representation) && isKnown(asked, etag, found)) return { status: 304, headers };
  return represented({ status: 200, body: found.json, headers }, representation);
}

/**
 * STU3 http 2.20.0.4: the version id, and weak, because both formats have it. A subset has a tag of its own: who holds it
 * does not hold the version.
 */
function tagOf({ versionId }: StoredResource, { subset }: Representation): string {
  return subset ? `W/"${versionId}+${markOf(subset)}"` : `W/"${versionId}"`;
}

/**
 * Whether the tag may come from the store of a browser and belong to the JSON that was kept for the same address: a
 * browser asks with it for XML, too, and would take 304 for its JSON. XML itself is never stored (`represented`).
 */
function mayBeAnother(asked: IncomingHttpHeaders, { format }: Representation): boolean {
  return format === 'xml' && asked['sec-fetch-site'] !== undefined;
}

/** How people look for an entry whose id they do not have: by what it is called, else by what it is about. */
function searched({ parameters }: ParameterTable): string {
  const names = parameters.map(({ name }) => name);
  const known = ['name', 'identifier'].filter((name) => names.includes(name));
  return (known.length > 0 ? known : names.slice(0, 2)).join(' or ');
}

async function missing(table: ParameterTable, snapshot: Snapshot, id: string) {
  const gone = await snapshot.gone(table.type, id);
  if (gone)
    return fault(
      410,
      'not-found',
      `${table.type}/${id} left the directory with the edition of ${gone.goneSince}: search by ${searched(table)} whether it is there under another id.`,
    );
  return fault(
    404,
    'not-found',
    `There is no ${table.type} with the id ${printable(id)}: search for it by ${searched(table)}.`,
  );
}

/** RFC 9110 section 13: If-None-Match (weak comparison) takes precedence over If-Modified-Since. */
function isKnown(asked: IncomingHttpHeaders, etag: string, { lastUpdated }: StoredResource): boolean {
  const tags = asked['if-none-match'];
  if (tags !== undefined) {
    const wanted = etag.slice(2);
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === wanted);
  }
  const since = httpDate(asked['if-modified-since'] ?? '');
  // HTTP dates have whole seconds.
  return since !== undefined && Math.floor(Date.parse(lastUpdated) / 1000) * 1000 <= since;
}

const TIME = String.raw`\d\d:\d\d:\d\d`;
const GMT = new RegExp(String.raw`^[A-Z][a-z]+, \d\d(?: [A-Z][a-z]{2} \d{4}|-[A-Z][a-z]{2}-\d\d) ${TIME} GMT$`);
const ASCTIME = new RegExp(String.raw`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d ${TIME} \d{4}$`);

/** Milliseconds since 1970 of a date in one of the forms of RFC 9110 section 5.6.7; anything else is none. */
function httpDate(text: string): number | undefined {
  const time = GMT.test(text) ? Date.parse(text) : ASCTIME.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
