// SEC-51: TLS where the service ends it itself, in two worker processes: what clients can agree on, a certificate that is replaced while
// requests run, health checks, and the end.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, type Serving, serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { type Authority, authority, type Pair, writePair } from '#support/tls/certificates.ts';

/** Three processes start, one after the other. */
const SLOW = 60_000;

let place: Installation;
let folder: string;
let serving: Serving;
let ca: Authority;
let first: Pair;
let metricsPort: number;
let env: Record<string, string>;
beforeAll(async () => {
  place = filledInstallation();
  folder = join(place.folder, 'tls');
  mkdirSync(folder);
  ca = await authority();
  first = await ca.issue();
  const files = writePair(folder, first);
  metricsPort = await freePort();
  env = {
    HYGIE_PROCESSES: '2',
    HYGIE_METRICS_PORT: String(metricsPort),
    LOG_FORMAT: 'json',
    HYGIE_TLS_CERTIFICATE: files.certificate,
    HYGIE_TLS_KEY: files.key,
  };
  serving = await serve(place, env);
  await serving.outputMatching(/(a worker process listens[\s\S]*){2}/);
}, SLOW);
afterAll(async () => {
  serving.child.kill('SIGKILL');
  await serving.ended;
});

/** Rejects where the handshake fails. The client itself would take anything. */
async function handshake(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const weakest = { minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const;
  const socket = connect({
    port: serving.port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: ca.certificate,
    ...weakest,
    ...options,
  });
  await once(socket, 'secureConnect');
  return socket;
}

const agreed = (options: ConnectionOptions) =>
  handshake(options).then(
    (socket) => {
      const agreed = `${socket.getProtocol()} ${socket.getCipher().name}`;
      socket.destroy();
      return agreed;
    },
    () => 'refused',
  );

async function fingerprint(): Promise<string> {
  const socket = await handshake();
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** Those of so many new connections; a port that is shared hands them to either process. */
async function fingerprints(count = 12): Promise<string[]> {
  return [...new Set(await Promise.all(Array.from({ length: count }, fingerprint)))];
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

async function ask(path: string, options: RequestOptions = {}): Promise<Answer> {
  const sent = request({
    agent: false,
    host: '127.0.0.1',
    port: serving.port,
    path,
    ca: ca.certificate,
    servername: 'localhost',
    ...options,
  });
  sent.end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const EC = 'ECDHE-ECDSA-';
const WEAK = ['AES128-SHA', 'AES256-SHA384', 'AES128-CCM', 'CAMELLIA128-SHA256', 'RC4-SHA'].map((name) => EC + name);
const STRONG = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((name) => EC + name);

describe('SEC-51 with listen.tls', () => {
  it('the metrics say when the certificate ends', async () => {
    const { value } = await scrape(`http://127.0.0.1:${metricsPort}/metrics`);
    const ends = Date.parse(new X509Certificate(first.certificate).validTo) / 1000;
    expect(value('hygie_tls_certificate_expiry_timestamp_seconds')).toBe(ends);
  });

  it('agrees on TLS 1.2 and 1.3 alone, and on ciphers with forward secrecy and authenticated encryption alone', async () => {
    const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
    const at = (version: (typeof versions)[number]) => agreed({ minVersion: version, maxVersion: version });
    expect(await Promise.all(versions.map(at))).toEqual([
      'refused',
      'refused',
      expect.stringMatching(/^TLSv1\.2 ECDHE-ECDSA-/),
      expect.stringMatching(/^TLSv1\.3 TLS_/),
    ]);
    const withCipher = (ciphers: string) => agreed({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` });
    expect(await Promise.all(WEAK.map(withCipher))).toEqual(WEAK.map(() => 'refused'));
    expect(await Promise.all(STRONG.map(withCipher))).toEqual(STRONG.map((name) => `TLSv1.2 ${name}`));
  });

  it('resumes no session: no ticket key is kept that would open recorded connections', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const one = await handshake({ maxVersion: version });
      const sessions: Buffer[] = [];
      one.on('session', (session: Buffer) => void sessions.push(session));
      one.write(`GET /health/live HTTP/1.1\r\nHost: localhost:${serving.port}\r\nConnection: close\r\n\r\n`);
      await text(one);
      const session = sessions[0] ?? one.getSession();
      const again = await handshake({ maxVersion: version, ...(session && { session }) });
      expect(again.isSessionReused()).toBe(false);
      again.destroy();
    }
  });

  it('serves pages and documents at the https issuer, whatever X-Forwarded-Proto says without a proxy', async () => {
    const headers = {
      host: `localhost:${serving.port}`,
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'evil.example',
    };
    const { status, body } = await ask('/.well-known/openid-configuration', { headers });
    const { issuer, token_endpoint } = JSON.parse(body) as Record<string, string>;
    expect([status, issuer, token_endpoint]).toEqual([
      200,
      `https://localhost:${serving.port}`,
      `https://localhost:${serving.port}/oauth/token`,
    ]);
  });

  it('hygie health asks by https, whoever issued the certificate', async () => {
    const hygie = inProcess(place);
    const variables = { ...env, HYGIE_PORT: String(serving.port), HYGIE_HOST: '127.0.0.1' };
    expect(await hygie(['health', '--ready'], { env: variables })).toMatchObject({ code: 0 });
  });
});

describe('a certificate that is replaced', () => {
  const twice = (message: string) => serving.outputMatching(new RegExp(`(${message}[\\s\\S]*){2}`));
  const inForce = ({ fingerprint }: Pair) =>
    twice(`"fingerprint":"${fingerprint}".*TLS: the new certificate is in force`);

  it('is in force for new connections of every process; no request fails meanwhile, and old connections live on', async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { host: `localhost:${serving.port}` };
    const before = await ask('/health/live', { agent: kept, headers });
    let replaced = false;
    const answers: (number | undefined)[] = [];
    const running = (async () => {
      while (!replaced) answers.push((await ask('/health/live', { agent: false, headers })).status);
    })();
    const second = await ca.issue();
    expect(await fingerprints()).toEqual([first.fingerprint]);
    writePair(folder, second);
    await inForce(second);
    expect(await fingerprints()).toEqual([second.fingerprint]);
    replaced = true;
    await running;
    expect(new Set(answers)).toEqual(new Set([200]));
    const socket = Object.values(kept.freeSockets)[0]?.[0] as TLSSocket | undefined;
    expect([before.status, socket?.getPeerCertificate().fingerprint256]).toEqual([200, first.fingerprint]);
    expect((await ask('/health/live', { agent: kept, headers })).status).toBe(200);
    expect(Object.values(kept.freeSockets)[0]?.[0]).toBe(socket);
    kept.destroy();
    first = second;
  });

  it('stays while the new one lacks its key, is expired or for another host, which the log names; then it goes', async () => {
    const refused = (what: string) =>
      twice(`the new certificate is refused, the last good one stays in force[^\\n]*${what}`);
    const next = await ca.issue({ rsa: 2048 });
    writePair(folder, { certificate: next.certificate });
    await refused('Does not belong to the certificate');
    writePair(folder, await ca.issue({ from: -3, to: -1 }));
    await refused('Expired on');
    writePair(folder, await ca.issue({ hosts: ['other.example'] }));
    await refused('Is not for localhost');
    writePair(folder, { key: 'half a ke' });
    await refused('Holds no private key');
    expect(await fingerprints()).toEqual([first.fingerprint]);
    writePair(folder, next);
    await inForce(next);
    // From EC to RSA; protocols and ciphers are those of the start.
    expect(await fingerprints()).toEqual([next.fingerprint]);
    expect(await agreed({ maxVersion: 'TLSv1.1' })).toBe('refused');
    expect(await agreed({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA:AES128-GCM-SHA256:@SECLEVEL=0' })).toBe(
      'refused',
    );
    expect(await agreed({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-RSA-/);
  });

  it('SIGTERM ends the processes, also with connections that stay silent amid a handshake or after it', async () => {
    const silent = await handshake();
    const half = connectTcp(serving.port, '127.0.0.1');
    await once(half, 'connect');
    for (const socket of [silent, half]) socket.on('error', () => {}).resume();
    const ends = [once(silent, 'close'), once(half, 'close')];
    serving.child.kill('SIGTERM');
    await Promise.all(ends);
    expect(await serving.ended).toBe(0);
    expect(serving.output()).not.toContain('are cut off');
    // SEC-17: nor is anything of a private key in the log, of the one in force or of the one that was refused.
    for (const line of ['half a ke', ...first.key.split('\n').filter((one) => /^[\w+/=]{20,}$/.test(one))])
      expect(serving.output()).not.toContain(line);
  });

  it('keeps the service from starting where no client would accept it', async () => {
    writePair(folder, await ca.issue({ hosts: ['other.example'], from: -3, to: -1 }));
    const refused = await serve(place, env);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(/2 faults[\s\S]*Expired on [\s\S]*Is not for localhost/);
  });
});
