// The part of the OpenAPI description about responses: media types, headers, and every refusal with its remedy.

import { FORMATS } from '#directory/format/content-negotiation.ts';

type Described = Record<string, unknown>;

/** Every refusal by its status: the issue code of its OperationOutcome, and when it occurs. */
export const REFUSALS = {
  400: [
    'value, structure, not-supported, too-costly',
    'A parameter is unknown, empty or malformed, or the search is too costly. `issue.location` names the parameter.',
  ],
  401: ['login', 'No access token, or one that is unknown, expired or revoked: sign in again.'],
  403: ['forbidden', 'The token lacks a scope, or no person stands behind it.'],
  404: ['not-found', 'No such type, id or version.'],
  405: ['not-supported', 'The directory is read-only. `Allow` names the methods.'],
  406: ['not-supported', 'None of the formats, or of the codings, that are asked for is served.'],
  410: [
    'not-found',
    'The entry has left the directory, or the edition that a page belongs to was dropped: search anew.',
  ],
  413: ['too-long', 'The form of a search by POST, or the batch, is too large.'],
  414: ['too-long', 'The query is too long: search by POST, or split it.'],
  415: ['not-supported', 'A search by POST takes application/x-www-form-urlencoded, a batch application/fhir+json.'],
  416: ['value', 'The file is shorter than the range that is asked for: it is whole already.'],
  429: ['throttled', 'Too many requests: wait as long as `Retry-After` says.'],
  503: [
    'transient',
    'No edition is in service, or tokens cannot be checked at the moment: try again after `Retry-After`.',
  ],
} as const satisfies Readonly<Record<number, readonly [codes: string, when: string]>>;

export type RefusalStatus = keyof typeof REFUSALS;

export const HEADERS: Record<string, Described> = {
  ETag: { description: 'Version of the body; of a resource it is weak.', schema: { type: 'string' } },
  LastModified: { description: 'When the resource was new or changed.', schema: { type: 'string' } },
  ContentLocation: { description: 'Address of this version.', schema: { type: 'string', format: 'uri' } },
  Location: { description: 'Where to go on.', schema: { type: 'string', format: 'uri' } },
  Allow: { description: 'Methods that are possible.', schema: { type: 'string' } },
  ContentRange: { description: 'Bytes that are sent, and of how many.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  Challenge: { description: 'What is wrong with the token (RFC 6750 section 3).', schema: { type: 'string' } },
};

export const HEADERS_OF_FILES = { ETag: 'ETag' } as const;

const HEADERS_OF_REFUSALS: Partial<Record<RefusalStatus, Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'Challenge' },
  403: { 'WWW-Authenticate': 'Challenge' },
  405: { Allow: 'Allow' },
  429: { 'Retry-After': 'RetryAfter' },
  503: { 'Retry-After': 'RetryAfter' },
};

/** Describes a body that holds a resource, in every format that is served. */
export function content(schema: string): Described {
  const types = FORMATS.filter((format) => format.includes('/'));
  return Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${schema}` } }]));
}

export function headers(names: Record<string, string>): Described {
  return Object.fromEntries(
    Object.entries(names).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

/** Describes the refusals as components, which are named by their status. */
export function refusalComponents(): Record<string, Described> {
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, [codes, when]]) => {
      const sent = HEADERS_OF_REFUSALS[Number(status) as RefusalStatus];
      return [
        `Refused${status}`,
        {
          description: `${when} Issue code: ${codes}.`,
          ...(sent && { headers: headers(sent) }),
          content: content('OperationOutcome'),
        },
      ];
    }),
  );
}

export function refusals(...statuses: readonly RefusalStatus[]): Described {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/Refused${status}` }]),
  );
}
