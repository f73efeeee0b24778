// The parts of the OpenAPI description about batches and about the export (FHIR Bulk Data Access).

import { LIMITS } from '#directory/limits.ts';
import type { Examples } from '#directory/metadata/parameter-examples.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { inQuery, PREFER } from './parameters.ts';
import { content, HEADERS_OF_FILES, headers, refusals } from './responses.ts';

/** Describes the base address, which takes batches. */
export function batchPath(): Record<string, object> {
  const schema = { $ref: '#/components/schemas/Bundle' };
  const entry = ['Practitioner?_count=10', 'metadata'].map((url) => ({ request: { method: 'GET', url } }));
  return {
    '/': {
      post: {
        tags: ['Batch'],
        operationId: 'batch',
        security: securityOf([]),
        summary: `Up to ${LIMITS.batchEntries} reads and searches in one request`,
        description:
          'A Bundle of type batch, in JSON, with GET alone. Each entry needs its scopes, counts as one request and has a status of its own; request.ifNoneMatch and ifModifiedSince make a read conditional.',
        parameters: [PREFER],
        requestBody: {
          required: true,
          content: {
            'application/fhir+json': { schema, example: { resourceType: 'Bundle', type: 'batch', entry } },
          },
        },
        responses: {
          '200': {
            description: 'A Bundle of type batch-response, with the entries in the same order.',
            content: content('Bundle'),
          },
          ...refusals(400, 401, 403, 406, 413, 414, 415, 429, 503),
        },
      },
    },
  };
}

const sinceOf = (example: string) => ({
  name: '_since',
  description:
    'Only what was new, changed or removed later: the transactionTime of the export that the copy was made from.',
  schema: { type: 'string', minLength: 4 },
  example,
});

const OUTPUT_FORMAT = {
  name: '_outputFormat',
  description: 'NDJSON is all there is.',
  schema: { type: 'string', enum: ['application/fhir+ndjson', 'application/ndjson', 'ndjson'] },
  example: 'ndjson',
};

const RESPOND_ASYNC = {
  name: 'Prefer',
  in: 'header',
  description: 'With respond-async the manifest is at the address in Content-Location, complete at the first look.',
  schema: { type: 'string', enum: ['respond-async'] },
};

const FILE = {
  type: 'object',
  required: ['type', 'url'],
  properties: {
    type: { type: 'string' },
    url: { type: 'string', format: 'uri' },
    count: { type: 'integer', minimum: 0 },
  },
};

const MANIFEST = {
  type: 'object',
  required: ['transactionTime', 'request', 'requiresAccessToken', 'output', 'error'],
  properties: {
    transactionTime: { type: 'string', format: 'date-time' },
    request: { type: 'string', format: 'uri' },
    requiresAccessToken: { const: true },
    output: { type: 'array', items: FILE },
    deleted: { type: 'array', items: FILE },
    error: { type: 'array', maxItems: 0 },
    extension: {
      type: 'object',
      properties: {
        next: { type: 'string', format: 'uri', description: 'Address of the export that continues this one.' },
      },
    },
  },
};

/** Describes the paths of the export of these types. */
export function bulkPaths(exported: readonly ParameterTable[], examples: Examples): Record<string, object> {
  const since = sinceOf(examples.since);
  const types = exported.map(({ type }) => type as string);
  const scopes = [...new Set(exported.flatMap(({ scopes }) => scopes))];
  const type = {
    name: '_type',
    description: 'Types that are wanted; all without it. Their scopes are needed.',
    schema: { type: 'array', items: { type: 'string', enum: types } },
    example: ['Practitioner'],
  };
  const narrowing = [...inQuery([since]), ...inQuery([type]).map((parameter) => ({ ...parameter, explode: false }))];
  const complete = { description: 'The manifest.', content: { 'application/json': { schema: MANIFEST } } };
  const kickOff = (name: string, summary: string, scopes: readonly string[], described: object[]) => ({
    get: {
      tags: ['Export'],
      operationId: name,
      summary,
      security: securityOf(scopes),
      parameters: [...described, RESPOND_ASYNC],
      responses: {
        '200': complete,
        '202': { description: 'Accepted.', headers: headers({ 'Content-Location': 'ContentLocation' }) },
        ...refusals(400, 401, 403, 404, 406, 410, 414, 429, 503),
      },
    },
  });
  return {
    '/$export': kickOff('export', 'Export the whole directory, or what changed', scopes, [
      ...inQuery([OUTPUT_FORMAT]),
      ...narrowing,
    ]),
    ...Object.fromEntries(
      exported.map(({ type: one, scopes }) => [
        `/${one}/$export`,
        kickOff(`export${one}`, `Export every ${one}, or what changed`, scopes, inQuery([since, OUTPUT_FORMAT])),
      ]),
    ),
    '/$export/{snapshot}': {
      parameters: [pathParameter('snapshot', 'Edition, as in Content-Location.')],
      get: {
        tags: ['Export'],
        operationId: 'exportStatus',
        summary: 'Status of an export: always complete',
        security: securityOf(scopes),
        parameters: narrowing,
        responses: { '200': complete, ...refusals(400, 401, 403, 404, 406, 410, 414, 429, 503) },
      },
      delete: {
        tags: ['Export'],
        operationId: 'exportEnd',
        summary: 'End an export; nothing has to be removed',
        security: securityOf([]),
        responses: { '202': { description: 'Noted.' }, ...refusals(400, 401, 403, 404, 406, 429, 503) },
      },
    },
    '/$export/{snapshot}/{file}': {
      parameters: [
        pathParameter('snapshot', 'Edition, as in the manifest.'),
        pathParameter('file', 'File, as in the manifest.'),
      ],
      get: {
        tags: ['Export'],
        operationId: 'exportFile',
        summary: 'A file of an export: one resource a line',
        description: 'Compressed with gzip on request. A download that broke off is resumed with Range.',
        security: securityOf(scopes),
        parameters: [{ name: 'Range', in: 'header', schema: { type: 'string' }, example: 'bytes=1048576-' }],
        responses: {
          '200': {
            description: 'The file.',
            headers: headers(HEADERS_OF_FILES),
            content: { 'application/fhir+ndjson': { schema: { type: 'string' } } },
          },
          '206': {
            description: 'The part that was asked for.',
            headers: headers({ ...HEADERS_OF_FILES, 'Content-Range': 'ContentRange' }),
            content: { 'application/fhir+ndjson': { schema: { type: 'string' } } },
          },
          '304': { description: 'The client holds it already.', headers: headers({ ETag: 'ETag' }) },
          ...refusals(400, 401, 403, 404, 406, 410, 416, 429, 503),
        },
      },
    },
  };
}

/**
 * The two ways to authorize a request. A sign-in asks the person for all scopes at once. A bearer token from elsewhere already has its
 * scopes, so no scopes are listed for it.
 */
export function securityOf(scopes: readonly string[]): object[] {
  return [{ signIn: scopes }, { bearer: [] }];
}

function pathParameter(name: string, description: string): object {
  return { name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1 } };
}
