// The keys of `service.yaml` about metrics: the address that Prometheus reads, and the token that it sends.

import { group, oneKey, text, wholeNumber } from '#config/schema/fields.ts';

const token = oneKey({
  env: text()
    .exactOptional()
    .describe('Name of the environment variable that holds the token. The service reads it at the start.'),
  file: text().exactOptional().describe('File that holds the token, relative to the folder of this file.'),
});

export const metrics = group({
  port: wholeNumber(1, 65_535)
    .exactOptional()
    .describe('TCP port on which /metrics answers. HYGIE_METRICS_PORT overrides it.'),
  host: text()
    .default('127.0.0.1')
    .describe('Address to listen on for `metrics.port`: one of an inner network. HYGIE_METRICS_HOST overrides it.'),
  token: token
    .exactOptional()
    .describe(
      'Token that Prometheus has to send (Authorization: Bearer), as `{ env: NAME }` or `{ file: PATH }`. In production it has 32 characters or more. With a token and no port, the metrics are at {issuer}/metrics.',
    ),
}).describe('Metrics for Prometheus. Without port and without token there are none.');
