// The part of the OpenAPI description about batches.

import { LIMITS } from '#directory/limits.ts';
import { securityOf } from './export.ts';
import { PREFER } from './parameters.ts';
import { content, refusals } from './responses.ts';

/** Describes the base address, which takes batches. */
export function batchPath(): Record<string, object> {
  const schema = { $ref: '#/components/schemas/Bundle' };
  const entry = ['Practitioner?_count=10', 'metadata'].map((url) => ({ request: { method: 'GET', url } }));
  return {
    '/': {
      post: {
        ...{ tags: ['Batch'], operationId: 'batch', security: securityOf([]) },
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
