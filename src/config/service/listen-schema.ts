// The keys `listen` and `hsts` of `service.yaml`: the listening address, TLS, connections, the graceful stop, and the header that makes
// browsers use https.

import { z } from 'zod';
import { ALWAYS, addProblem, duration, group, optionalDuration, text, wholeNumber } from '#config/schema/fields.ts';

/** The key `listen.tls`. */
export const tls = z
  .strictObject({
    certificate: text().describe(
      'File with the certificate and its chain, in PEM, relative to the folder of this file. HYGIE_TLS_CERTIFICATE overrides it.',
    ),
    key: text().describe(
      'File with the private key of the certificate, in PEM, without a passphrase. HYGIE_TLS_KEY overrides it.',
    ),
  })
  .exactOptional()
  .describe(
    'The service ends TLS (1.2 and 1.3) itself, and reads changed files without a restart. Default: http, for a proxy in front.',
  );

const listenKeys = z.strictObject({
  host: text()
    .exactOptional()
    .describe(
      'Address to listen on. Default: 127.0.0.1 in development, 0.0.0.0 in production. HYGIE_HOST overrides it.',
    ),
  port: wholeNumber(1, 65_535).default(3000).describe('TCP port. HYGIE_PORT overrides it.'),
  tls,
  redirectPort: wholeNumber(1, 65_535)
    .exactOptional()
    .describe('With tls: a second port (80) that only redirects http to https. Default: none.'),
  maxConnections: wholeNumber(10, 1_000_000)
    .default(10_000)
    .describe(
      'Connections of one worker process at a time. Further ones are closed at once, and the log says so. Each takes a file descriptor (ulimit -n) and about 20 kB.',
    ),
  connectionsPerNetwork: wholeNumber(1, 1_000_000)
    .exactOptional()
    .describe(
      'If proxies is 0: connections of one network (IPv4 /24, IPv6 /48) at a time. For a further one, the connection that has been idle for longest is closed, or the new one if none is idle. Default: a tenth of maxConnections, at least 100. If a load balancer hides addresses, write the value of maxConnections.',
    ),
  keepAlive: optionalDuration({ most: '1d' }).describe(
    'Time after which an idle connection is closed. It must be longer than that of proxies in front, which may otherwise lose a request. Default: 65s, and 650s with proxies.',
  ),
  drain: optionalDuration({ least: '0s', most: '10m' }).describe(
    'Time for which the service goes on serving after a stop signal, while /health/ready is 503, so that proxies and orchestrators stop sending requests. Default: 0s, and 5s with proxies.',
  ),
  finish: duration('10s', { most: '1h' }).describe(
    'Time after drain in which requests in flight, including downloads, may end before they are cut off.',
  ),
});

export const listen = listenKeys
  .superRefine(checkRedirect, ALWAYS)
  .prefault({})
  .describe('Addresses, connections and shutdown of the service.');

function checkRedirect(value: z.output<typeof listenKeys>, context: z.RefinementCtx): void {
  if (value?.redirectPort === undefined) return;
  const add = addProblem(context);
  if (value.tls === undefined) {
    const remedy = 'Add listen.tls; or remove redirectPort if a proxy in front ends TLS and redirects.';
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
    'Time for which browsers use only https (Strict-Transport-Security, RFC 6797); 0 makes them forget it. Sent if issuer is https.',
  ),
  includeSubDomains: z
    .boolean()
    .default(false)
    .describe('true: the header also applies to every host below that of issuer, whoever runs it.'),
}).describe('HTTP Strict Transport Security.');

/**
 * Returns the defaults of `listen` that depend on the mode and other settings. Behind a proxy, connections are kept for longer: a proxy has
 * few connections to the service, and must be able to reuse them. The common proxies keep a connection for at most 600 s. The service keeps
 * it for longer than that, so that it never closes a connection that a proxy is about to use.
 */
export function listenDefaults(
  mode: 'development' | 'production',
  proxies: number,
  { maxConnections }: z.output<typeof listenKeys>,
): { host: string; connectionsPerNetwork: number; keepAlive: number; drain: number } {
  return {
    host: mode === 'production' ? '0.0.0.0' : '127.0.0.1',
    connectionsPerNetwork: Math.max(100, Math.ceil(maxConnections / 10)),
    ...(proxies > 0 ? { keepAlive: 650, drain: 5 } : { keepAlive: 65, drain: 0 }),
  };
}
