// The OpenAPI 3.1 description of the directory.

import { EXAMPLES, type Examples, exampleId, isWhole } from '#directory/metadata/parameter-examples.ts';
import type { AuthorizationServer } from '#directory/metadata/smart-configuration.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { SERVED, TABLES } from '#directory/resources/resource-types.ts';
import { batchPath, bulkPaths, securityOf } from './operations.ts';
import {
  CONDITIONS,
  inForm,
  inQuery,
  PREFER,
  readResultParameters,
  searchParameters,
  searchResultParameters,
} from './parameters.ts';
import { content, HEADERS, headers, type RefusalStatus, refusalComponents, refusals, schemasOf } from './responses.ts';

export interface OpenapiOptions {
  /** Public base address of the directory, without a trailing slash. */
  base: string;
  /** Version of the service. */
  version: string;
  authorizationServer: AuthorizationServer;
  /** Address of the reference page. */
  docs?: string;
  /** Examples from the current edition. If absent, the description shows the fixed examples (`EXAMPLES`). */
  examples?: Examples;
}

type Operation = Record<string, unknown>;

/** Statuses of refusals that every operation can answer (RFC 9110): `GUARDED` for operations that need a token, `OPEN` for all others. */
const GUARDED: readonly RefusalStatus[] = [401, 403, 406, 414, 429, 503];
const OPEN: readonly RefusalStatus[] = [406, 414, 429];

/** Makes the description as plain data. */
export function openapiDocument(options: OpenapiOptions) {
  const { base, version, docs, examples = EXAMPLES } = options;
  const types = SERVED.map(({ type }) => type as string);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Professional Directory v2',
      version,
      summary: 'A read-only FHIR STU3 directory of health professionals and care structures.',
      description:
        'HEAD is answered wherever GET is. Answers are compressed with gzip or br where Accept-Encoding asks for it. Any origin may call (CORS). Errors are OperationOutcome resources that name the fault and the remedy.',
    },
    ...(docs !== undefined && { externalDocs: { description: 'Reference page', url: docs } }),
    servers: [{ url: base }],
    tags: [
      ...SERVED.map(({ type, documentation }) => ({ name: type, description: documentation })),
      { name: 'Batch', description: 'Several reads and searches in one request.' },
      { name: 'Export', description: 'The whole directory, or what changed, as NDJSON (FHIR Bulk Data Access).' },
      { name: 'Discovery', description: 'What the directory can do, and where people sign in. Open to everybody.' },
    ],
    paths: {
      ...Object.assign({}, ...SERVED.map((table) => pathsOf(table, examples))),
      ...batchPath(),
      ...bulkPaths(TABLES, examples),
      ...discovery(),
    },
    components: {
      schemas: schemasOf(
        [...types, 'Bundle', 'CapabilityStatement', 'OperationOutcome'],
        [...types, 'OperationOutcome', 'Bundle', 'CapabilityStatement'],
      ),
      responses: refusalComponents(),
      headers: HEADERS,
      securitySchemes: securitySchemes(options),
    },
  };
}

function pathsOf(table: ParameterTable, examples: Examples): Record<string, object> {
  const { type, scopes } = table;
  const parameters = searchParameters(table, examples);
  const statuses = scopes.length > 0 ? GUARDED : OPEN;
  const operation = (described: Operation): Operation => ({
    tags: [type],
    security: scopes.length > 0 ? securityOf(scopes) : [],
    ...described,
  });
  const found = {
    '200': {
      description:
        'The page, a Bundle of type searchset. An entry with search.mode=outcome holds notes, such as searches that find something where this one finds nothing.',
      content: content('Bundle'),
    },
  };
  const read = {
    '200': {
      description: `The ${type}.`,
      headers: headers({ ETag: 'ETag', 'Last-Modified': 'LastModified', 'Content-Location': 'ContentLocation' }),
      content: content(type),
    },
    '304': { description: 'The client holds it already.', headers: headers({ ETag: 'ETag' }) },
    ...refusals(400, 404, 410, ...statuses),
  };
  const results = searchResultParameters(table);
  const byQuery = (operationId: string, summary: string): Operation => ({
    operationId,
    summary,
    parameters: [...inQuery([...parameters, ...results]), PREFER],
    responses: { ...found, ...refusals(400, 410, ...statuses) },
  });
  const id = idParameter('id', type, exampleId(type, examples));
  const byId = (operationId: string, summary: string): Operation => ({
    operationId,
    summary,
    parameters: [...inQuery(readResultParameters(type)), ...CONDITIONS],
    responses: read,
  });
  return {
    [`/${type}`]: { get: operation(byQuery(`search${type}`, `Search for ${type}`)) },
    [`/${type}/_search`]: {
      get: operation(byQuery(`search${type}ByGet`, `The same search; some clients send it here`)),
      post: operation({
        operationId: `search${type}ByPost`,
        summary: `Search for ${type} by a form, which leaves no trace in the logs of addresses`,
        parameters: [PREFER],
        requestBody: inForm([...parameters, ...results]),
        responses: { ...found, ...refusals(400, 410, 413, 415, ...statuses) },
      }),
    },
    [`/${type}/{id}`]: {
      parameters: [id],
      get: operation(byId(`read${type}`, `Read one ${type}`)),
    },
    [`/${type}/{id}/_history/{version}`]: {
      parameters: [id, idParameter('version', type, '1')],
      get: operation(byId(`vread${type}`, `Read the current version of one ${type}; others are not kept`)),
    },
  };
}

function idParameter(name: string, type: string, example: string): object {
  return {
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? `Id of the ${type}.` : 'meta.versionId of the resource.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9\\-.]{1,64}$' },
    ...(isWhole(example) && { example }),
  };
}

/** Describes the public paths: the CapabilityStatement, and the documents by which applications find the sign-in. */
function discovery(): Record<string, object> {
  const json = (schema: object) => ({ 'application/json': { schema } });
  const open = { tags: ['Discovery'], security: [] };
  return {
    '/metadata': {
      get: {
        ...open,
        operationId: 'capabilities',
        summary: 'What the directory can do, and how fresh it is',
        parameters: inQuery(readResultParameters('CapabilityStatement')),
        responses: {
          '200': { description: 'The CapabilityStatement.', content: content('CapabilityStatement') },
          ...refusals(400, 406, 414),
        },
      },
    },
    '/.well-known/smart-configuration': {
      get: {
        ...open,
        operationId: 'smartConfiguration',
        summary: 'Where and how people sign in (SMART App Launch)',
        responses: {
          '200': {
            description: 'The configuration.',
            content: json({
              type: 'object',
              required: ['authorization_endpoint', 'token_endpoint', 'capabilities'],
              properties: {
                authorization_endpoint: { type: 'string', format: 'uri' },
                token_endpoint: { type: 'string', format: 'uri' },
                capabilities: { type: 'array', items: { type: 'string' } },
              },
            }),
          },
          ...refusals(406),
        },
      },
    },
    '/.well-known/openid-configuration': {
      get: {
        ...open,
        operationId: 'openidConfiguration',
        summary: 'The way to the discovery document of the sign-in service',
        responses: {
          '302': { description: 'It is there.', headers: headers({ Location: 'Location' }) },
          ...refusals(406),
        },
      },
    },
  };
}

function securitySchemes({ authorizationServer }: OpenapiOptions): object {
  const { authorization_endpoint, token_endpoint } = authorizationServer;
  const scopes = [...new Set(TABLES.flatMap(({ scopes }) => scopes))];
  const readBy = (scope: string) => TABLES.filter(({ scopes }) => scopes.includes(scope)).map(({ type }) => type);
  const named = Object.fromEntries(scopes.map((scope) => [scope, `Needed for ${readBy(scope).join(', ')}.`]));
  return {
    signIn: {
      type: 'oauth2',
      description:
        'A person signs in: authorization code, with the secret of a server, or PKCE S256 in browsers and apps. The access token goes into Authorization: Bearer. Client credentials, without a person, are for servers that the operator of this service lets read on their own (directoryAccess).',
      flows: {
        authorizationCode: {
          authorizationUrl: authorization_endpoint,
          tokenUrl: token_endpoint,
          scopes: named,
        },
        clientCredentials: { tokenUrl: token_endpoint, scopes: named },
      },
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'An access token that you have already.' },
  };
}
