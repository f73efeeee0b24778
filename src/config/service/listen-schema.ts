// The keys of `service.yaml` about connections: the listening address, the graceful end, and the https headers for browsers.

import { z } from 'zod';
import { ALWAYS, addProblem, duration, group, optionalDuration, text, wholeNumber } from '#config/schema/fields.ts';

/** The key `listen.tls`. */
export const tls = z
  .strictObject({
    certificate: text().describe(
      'File with the certificate and its chain, in PEM. Relative to the folder of this file. HYGIE_TLS_CERTIFICATE beats it.',
    ),
    key: text().describe('File with its private key, in PEM, without a passphrase. HYGIE_TLS_KEY beats it.'),
  })
  .exactOptional()
  .describe(
    'The service ends TLS (1.2 and 1.3) itself, and follows changes of both files without a restart. Without it: http, for a proxy in front.',
  );

const listenKeys = z.strictObject({
  host: text()
    .exactOptional()
    .describe(
      'Address to listen on. Without it: 127.0.0.1 in development, 0.0.0.0 in production. HYGIE_HOST beats it.',
    ),
  port: wholeNumber(1, 65_535).default(3000).describe('TCP port. HYGIE_PORT beats it.'),
  tls,
  redirectPort: wholeNumber(1, 65_535)
    .exactOptional()
    .describe('With tls: a second port (80), where http is answered with the way to https alone. Without it: none.'),
  maxConnections: wholeNumber(10, 1_000_000)
    .default(10_000)
    .describe(
      'Connections at a time of one worker process; further ones are closed at once, and the log says so. Each takes a file descriptor (ulimit -n) and some 20 kB.',
    ),
  connectionsPerNetwork: wholeNumber(1, 1_000_000)
    .exactOptional()
    .describe(
      'Of these, those of one network (IPv4 /24, IPv6 /48) where proxies is 0; beyond them the one that is idle for longest is closed, else the new one. Without it: a tenth of maxConnections, and at least 100. As many as maxConnections where a load balancer hides addresses.',
    ),
  keepAlive: optionalDuration({ most: '1d' }).describe(
    'Time after which an idle connection is closed: longer than proxies keep theirs, or they lose a request that they send just then. Without it: 65s, and 650s with proxies.',
  ),
  drain: optionalDuration({ least: '0s', most: '10m' }).describe(
    'When the service is stopped: time in which it goes on serving while /health/ready is 503, until proxies and orchestrators send no more. Without it: 0s, and 5s with proxies.',
  ),
  finish: duration('10s', { most: '1h' }).describe(
    'And then: time that requests in flight, downloads among them, have to end before they are cut off.',
  ),
});

export const listen = listenKeys
  .superRefine(checkRedirect, ALWAYS)
  .prefault({})
  .describe('Where the service listens, and how it ends.');

function checkRedirect(value: z.output<typeof listenKeys>, context: z.RefinementCtx): void {
  if (value?.redirectPort === undefined) return;
  const add = addProblem(context);
  if (value.tls === undefined) {
    const remedy = 'Add listen.tls; or remove redirectPort where a proxy in front ends TLS and redirects.';
    add(['redirectPort'], { problem: 'Leads to https, which the service itself does not serve.', remedy });
  } else if (value.redirectPort === value.port) {
    add(['redirectPort'], {
      problem: 'Is the port of https.',
      remedy: 'Write 80 for it, and 443 for port; or leave it out.',
    });
  }
}

export const hsts = group({
  maxAge: duration('365d', { least: '0s', most: '3650d' }).describe(
    'Time for which browsers use https only (Strict-Transport-Security, RFC 6797); 0 makes them forget it. Sent where issuer is https.',
  ),
  includeSubDomains: z
    .boolean()
    .default(false)
    .describe('Whether that holds for every host below the one of issuer, too, whoever serves it.'),
}).describe('HTTP Strict Transport Security.');
