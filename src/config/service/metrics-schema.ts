// The keys of `service.yaml` about metrics: the address that Prometheus reads, and the token that it sends.

import { group, oneKey, text, wholeNumber } from '#config/schema/fields.ts';

const token = oneKey({
  env: text()
    .exactOptional()
    .describe('Name of the environment variable that holds the token. It is read at the start.'),
  file: text().exactOptional().describe('File that holds the token, relative to the folder of this file.'),
});

export const metrics = group({
  port: wholeNumber(1, 65_535)
    .exactOptional()
    .describe('TCP port of the metrics, at whose address /metrics answers. HYGIE_METRICS_PORT beats it.'),
  host: text()
    .default('127.0.0.1')
    .describe('Address that `metrics.port` listens on: one of an inner network. HYGIE_METRICS_HOST beats it.'),
  token: token
    .exactOptional()
    .describe(
      'Token that Prometheus has to send (Authorization: Bearer), as `{ env: NAME }` or `{ file: PATH }`; in production 32 characters or more. Without port, metrics are served at {issuer}/metrics for who has it.',
    ),
}).describe('Metrics for Prometheus. Without port and without token there are none.');
