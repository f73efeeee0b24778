// The keys of `service.yaml` about metrics: where Prometheus reads them, and what it shows for it.

import { z } from 'zod';
import { group, rule, wholeNumber } from '#config/schema/fields.ts';

const token = z
  .strictObject({
    env: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Name of the environment variable that holds the token. It is read at the start.'),
    file: z.string().min(1).exactOptional().describe('File that holds the token, relative to the folder of this file.'),
  })
  .superRefine(
    rule((reference: object) => {
      const count = Object.keys(reference ?? {}).length;
      const problem = `Has ${count} keys where exactly one belongs.`;
      return count === 1 ? undefined : { problem, remedy: 'Keep one of: env, file.' };
    }),
  )
  .meta({ minProperties: 1, maxProperties: 1 });

export const metrics = group({
  port: wholeNumber(1, 65_535)
    .exactOptional()
    .describe('TCP port of the metrics, at whose address /metrics answers. HYGIE_METRICS_PORT beats it.'),
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address that `metrics.port` listens on: one of an inner network. HYGIE_METRICS_HOST beats it.'),
  token: token
    .exactOptional()
    .describe(
      'Token that Prometheus has to send (Authorization: Bearer), as `{ env: NAME }` or `{ file: PATH }`; in production 32 characters or more. Without port, metrics are served at {issuer}/metrics for who has it.',
    ),
}).describe('Metrics for Prometheus. Without port and without token there are none.');
