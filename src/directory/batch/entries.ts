// Parses and writes the entries of a batch. The request of an entry (STU3 Bundle.entry.request) asks for a read or a search, and may name
// the version that the client already has. The Bundle of type batch-response (STU3 Bundle.entry.response) is written entry by entry, so
// that the process can serve other requests in between.

import { STATUS_CODES } from 'node:http';
import { fhirError, shownName } from '#directory/errors.ts';
import { parsedJson, type Representation, serialized } from '#directory/format/serialize.ts';
import { elementOfXml, withElements, writeXml } from '#directory/format/xml/write-xml.ts';
import { LIMITS } from '#directory/limits.ts';
import type { DirectoryRequest, DirectoryResponse, Interaction } from '#directory/middleware/interaction.ts';
import type { TypeInteractions } from '#directory/type-interactions.ts';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/request-bounds.ts';

/** The interactions that an entry of a batch can ask for. */
export interface BatchRoutes {
  /** Public base address of the directory, without a trailing slash. */
  base: string;
  types: readonly TypeInteractions[];
  metadata: Interaction;
  history: Interaction;
  searchOfAllTypes: Interaction;
  unknownAddress(path: string): Error;
}

interface RoutedEntry extends Pick<DirectoryRequest, 'url' | 'params'> {
  interaction: Interaction;
  check?: TypeInteractions['check'];
}

/** The parsed request of one entry. */
export interface EntryRequest {
  /** Path and query, relative to the base address. It begins with `/`. Each character stands for one byte of UTF-8. */
  url: string;
  /** Checks whether the client already has the version `version` of the response. If so, the entry is answered 304. */
  isKnown(version: DirectoryResponse['version']): boolean;
}

/**
 * Parses one entry of a batch.
 * @param entry any JSON
 * @param base public base address of the directory
 * @throws FhirError 405 if the entry would write, 414 if its address is too long, and 400 for any other fault
 */
export function parseEntry(entry: unknown, base: string): EntryRequest {
  const request = memberOf(memberOf({ entry }, 'entry'), 'request');
  const [method, sent] = [textOf(request, 'method'), textOf(request, 'url')];
  if (method === undefined || sent === undefined)
    throw structure('request needs method and url, such as GET and Practitioner?name=martin');
  if (method !== 'GET')
    throw fhirError(
      405,
      'not-supported',
      `${shownName(method)} is not possible here, the directory is read-only: a batch takes GET, for searches too.`,
    );
  // The routes and the parser of queries expect one character for each byte, as in an HTTP request. So the text of the address is
  // converted.
  const url = Buffer.from(relative(sent, base)).toString('latin1');
  if (url.length > LIMITS.queryBytes)
    throw fhirError(414, 'too-long', `The url of an entry takes ${LIMITS.queryBytes} bytes at most: split the search.`);
  if (hasTooManyParameters(url)) throw fhirError(400, 'too-costly', `Too many parameters: ${TOO_MANY_PARAMETERS}.`);
  const tags = textOf(request, 'ifNoneMatch')?.split(',').map(opaque);
  const since = textOf(request, 'ifModifiedSince');
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw structure('request.ifModifiedSince is an instant, such as 2026-11-21T08:30:00.000+01:00');
  return {
    url,
    isKnown: (version) => {
      if (!version) return false;
      // If the client sent an entity tag (`ifNoneMatch`), `ifModifiedSince` is ignored (RFC 9110 section 13.1.3).
      if (tags) return tags.includes('*') || tags.includes(opaque(version.etag));
      return since !== undefined && Date.parse(version.lastUpdated.replace(FRACTION, '')) <= Date.parse(since);
    },
  };
}

/**
 * Matches the fraction of a second. It is left out of the comparison, because clients know the time from the header Last-Modified, which
 * has whole seconds.
 */
const FRACTION = /\.\d+/;

/** Returns an entity tag without `W/`, because tags are compared weakly. */
const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

function relative(url: string, base: string): string {
  if (url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`)) return rooted(url.slice(base.length));
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(url))
    throw fhirError(400, 'value', `The url of an entry is relative, or begins with ${base}/.`);
  return rooted(url);
}

const rooted = (path: string) => (path.startsWith('/') ? path : `/${path}`);

/**
 * Finds the interaction for an address, by the same rules as the router of the directory.
 * @param url as in `EntryRequest`
 * @throws FhirError 404 for an unknown address, and 400 for an operation
 */
export function routeEntry(routes: BatchRoutes, url: string): RoutedEntry {
  const at = url.indexOf('?');
  const path = (at < 0 ? url : url.slice(0, at)).replace(/(.)\/$/, '$1');
  const [first = '', second = '', third, vid, ...more] = path.slice(1).split('/').map(decoded);
  if ([first, second].some((segment) => segment.startsWith('$')))
    throw fhirError(
      400,
      'not-supported',
      'A batch takes reads and searches: ask for an operation, such as $export, by itself.',
    );
  const to = (interaction: Interaction, params: DirectoryRequest['params'] = {}) => ({ interaction, url, params });
  if (path === '/metadata' || (path === '/' && at < 0)) return to(routes.metadata);
  if (path === '/' || path === '/_search') return to(routes.searchOfAllTypes);
  if (path === '/_history') return to(routes.history);
  const found = routes.types.find(({ type }) => type === first);
  if (!found || more.length > 0 || (third !== undefined && third !== '_history')) throw routes.unknownAddress(path);
  const { check, search, read } = found;
  if (third === undefined && (second === '' || second === '_search')) return { ...to(search), check };
  if (second === '_history' || (third !== undefined && vid === undefined)) return to(routes.history);
  return { ...to(read, { id: second, ...(vid !== undefined && { vid }) }), check };
}

/**
 * Decodes percent-encoding. The address has one character for each byte (`EntryRequest.url`), so a letter such as é that was not
 * percent-encoded is two characters here. These characters stay as they are, and the address finds no record.
 */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw fhirError(400, 'structure', 'The url of the entry is malformed: check its percent-encoding.');
  }
}

function memberOf(value: object, name: string): object {
  const member: unknown = (value as Record<string, unknown>)[name];
  if (typeof member === 'object' && member !== null && !Array.isArray(member)) return member;
  throw structure(name === 'entry' ? 'an entry is an object with a request' : `an entry needs a ${name}`);
}

function textOf(request: object, name: string): string | undefined {
  const value: unknown = (request as Record<string, unknown>)[name];
  if (value === undefined || typeof value === 'string') return value;
  throw structure(`request.${name} is text`);
}

function structure(text: string) {
  return fhirError(400, 'structure', `In the batch, ${text}.`);
}

/** The answer to one entry. It has either a response or, if the entry was refused, an OperationOutcome as JSON text. */
export interface EntryAnswer {
  status: number;
  response?: DirectoryResponse;
  outcome?: string;
}

/** Format and layout of the whole Bundle. They apply to every entry, even if the address of an entry asks for another format. */
export type BatchForm = Pick<Representation, 'format' | 'pretty'>;

/** Writes one entry of the response as text. `batchResponse` joins these texts to a Bundle. */
export function entryText({ status, response, outcome }: EntryAnswer, form: BatchForm): string {
  const { etag, lastUpdated: lastModified } = response?.version ?? {};
  const head = JSON.stringify({ status: `${status} ${STATUS_CODES[status]}`, etag, lastModified });
  const described = outcome === undefined ? head : `${head.slice(0, -1)},"outcome":${outcome}}`;
  const resource =
    response && status === 200
      ? `"resource":${serialized(response.json, { ...response.representation, format: 'json', pretty: false })},`
      : '';
  const json = `{${resource}"response":${described}}`;
  if (form.format === 'xml') return elementOfXml('Bundle', 'entry', parsedJson(json), form);
  // Indents all lines after the first, because the entry is nested in the Bundle. Strings are not changed by this, because JSON escapes the
  // line breaks in them.
  return form.pretty ? JSON.stringify(parsedJson(json), null, 2).replaceAll('\n', '\n    ') : json;
}

/** Writes the Bundle as text in JSON or XML. `entries` are the texts that `entryText` has written. */
export function batchResponse(entries: readonly string[], { format, pretty }: BatchForm): string {
  const bundle = { resourceType: 'Bundle', type: 'batch-response' };
  if (format === 'xml') return withElements(writeXml(bundle, { pretty }), entries);
  // STU3 forbids empty arrays, so a Bundle without entries has no member `entry`.
  if (entries.length === 0) return JSON.stringify(bundle, null, pretty ? 2 : undefined);
  return pretty
    ? `${JSON.stringify(bundle, null, 2).slice(0, -2)},\n  "entry": [\n    ${entries.join(',\n    ')}\n  ]\n}`
    : `${JSON.stringify(bundle).slice(0, -1)},"entry":[${entries.join()}]}`;
}
