// SEC-51: which TLS a server of ours speaks, and when the files of a certificate are looked at. With real processes and handshakes:
// `tls.system.test.ts`.

import { constants } from 'node:crypto';
import { EventEmitter } from 'node:events';
import * as files from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConfigIssue } from '#config/configuration-error.ts';
import type { Certificate } from '#config/index.ts';

const actual = await import('#config/index.ts');
let reading: { certificate?: Certificate; issues: ConfigIssue[] };
let looks = 0;
jest.unstable_mockModule('#config/index.ts', () => ({
  ...actual,
  readCertificate: async () => {
    looks += 1;
    if (reading instanceof Error) throw reading;
    return reading;
  },
}));
let watches: { folder: string; changed: () => void; watcher: EventEmitter & { closed: number } }[] = [];
let watchable = true;
jest.unstable_mockModule('node:fs', () => ({
  ...files,
  watch: (folder: string, options: object, changed: () => void) => {
    if (!watchable) throw new Error('no watches here');
    expect(options).toEqual({ persistent: false });
    const watcher = Object.assign(new EventEmitter(), { closed: 0, close: () => watcher.closed++ });
    watches.push({ folder, changed, watcher });
    return watcher;
  },
}));
const { contextOf, followCertificate, TLS_OPTIONS } = await import('#server/process/tls.ts');

const DAY = 86_400_000;
const START = Date.parse('2026-11-28T12:00:00Z');
const certificate = (name: string, days = 90) =>
  ({
    chain: `chain of ${name}`,
    key: `key of ${name}`,
    names: [`${name}.example`],
    fingerprint: name,
    validFrom: new Date(START - 10 * DAY),
    validTo: new Date(START + days * DAY),
  }) as unknown as Certificate;
const issue = (problem: string): ConfigIssue => ({
  file: '/a/tls.crt',
  path: 'listen.tls',
  problem,
  remedy: 'Renew it.',
});
const settings = { listen: { tls: { certificate: '/a/tls.crt', key: '/b/tls.key' } } } as never;
const said: unknown[] = [];
const log = Object.fromEntries(
  ['info', 'warn', 'error'].map((level) => [level, (...line: unknown[]) => void said.push([level, ...line])]),
) as never;

beforeEach(() => {
  jest.useFakeTimers({ now: START, doNotFake: ['nextTick'] });
  reading = { certificate: certificate('one'), issues: [] };
  [looks, watchable, watches] = [0, true, []];
  said.length = 0;
});
afterEach(() => void jest.useRealTimers());

it('speaks TLS 1.2 and 1.3 with these ciphers, without tickets, renegotiation and compression', () => {
  const { secureOptions, ciphers, ...rest } = TLS_OPTIONS;
  expect(rest).toEqual({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', honorCipherOrder: false });
  expect(secureOptions).toBe(
    constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
  );
  const strong = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'];
  const all = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
  for (const cipher of strong) all.push(`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`);
  expect(ciphers.split(':')).toEqual(all);
  const options = { ...TLS_OPTIONS, cert: 'chain of one', key: 'key of one' };
  expect(contextOf(certificate('one'))).toEqual(options);
});

describe('the files of a certificate', () => {
  const follow = () => followCertificate(settings, log);

  it('are looked at every ten seconds, and not after the end', async () => {
    const followed = await follow();
    expect(looks).toBe(1);
    await jest.advanceTimersByTimeAsync(9999);
    expect(looks).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(looks).toBe(2);
    followed.close();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([looks, jest.getTimerCount(), watches.map(({ watcher }) => watcher.closed)]).toEqual([2, 0, [1, 1]]);
  });

  it('are looked at 300 ms after the last change of their folders', async () => {
    const followed = await follow();
    expect(watches.map(({ folder }) => folder)).toEqual(['/a', '/b']);
    for (const { changed } of watches) {
      changed();
      await jest.advanceTimersByTimeAsync(299);
    }
    expect(looks).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(looks).toBe(2);
    watches[0]?.changed();
    followed.close();
    await jest.advanceTimersByTimeAsync(300);
    expect(looks).toBe(2);
  });

  it('are looked at without reports of changes, too: a watch that fails is closed, and one that cannot be made is none', async () => {
    const followed = await follow();
    for (const { watcher } of watches) watcher.emit('error', new Error('too many'));
    expect(watches.map(({ watcher }) => watcher.closed)).toEqual([1, 1]);
    followed.close();
    watchable = false;
    const other = await follow();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(looks).toBe(3);
    other.close();
  });

  it('that changed are in force for each server that is open, and a refused one is said once', async () => {
    const followed = await follow();
    const servers = [1, 2].map(() => Object.assign(new EventEmitter(), { setSecureContext: jest.fn() }));
    for (const server of servers) followed.serve(server as never);
    servers[1]?.emit('close');
    const next = certificate('two');
    reading = { certificate: next, issues: [] };
    await jest.advanceTimersByTimeAsync(20_000);
    expect(servers.map(({ setSecureContext }) => setSecureContext.mock.calls)).toEqual([[[contextOf(next)]], []]);
    expect(followed.current()).toBe(next);
    reading = { certificate: certificate('three'), issues: [issue('Expired.')] };
    await jest.advanceTimersByTimeAsync(20_000);
    reading = { issues: [issue('Unreadable.')] };
    await jest.advanceTimersByTimeAsync(10_000);
    // The one in force is not refused for what it has become meanwhile.
    reading = { certificate: next, issues: [issue('Expired.')] };
    await jest.advanceTimersByTimeAsync(10_000);
    reading = { issues: [issue('Unreadable.')] };
    await jest.advanceTimersByTimeAsync(10_000);
    reading = new Error('broken') as never;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(followed.current()).toBe(next);
    const validTo = next.validTo.toISOString();
    const refused = (problem: string) => [
      'error',
      { inForce: 'two', validTo },
      'TLS: the new certificate is refused, the last good one stays in force\n' +
        `Configuration is not valid: 1 fault\n  /a/tls.crt listen.tls\n    ${problem}\n    Remedy: Renew it.`,
    ];
    expect(said).toEqual([
      ['info', { fingerprint: 'two', names: ['two.example'], validTo }, 'TLS: the new certificate is in force'],
      ...['Expired.', 'Unreadable.', 'Unreadable.'].map(refused),
      ['error', { err: new Error('broken') }, 'TLS: the certificate could not be looked at'],
    ]);
    followed.close();
  });

  it('that cannot be used at the start are an error', async () => {
    reading = { issues: [issue('Unreadable.')] };
    await expect(follow()).rejects.toBeInstanceOf(actual.ConfigurationError);
  });

  it('that expire soon are said once a day, and those that have expired as an error', async () => {
    reading = { certificate: certificate('one', 1.5), issues: [] };
    const followed = await followCertificate(settings, log, { lookEvery: 10_000 });
    await jest.advanceTimersByTimeAsync(DAY - 10_000);
    expect(said).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(said).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(DAY / 2);
    expect(said).toEqual([
      ['warn', expect.stringMatching(/^TLS: the certificate expires on 2026-11-30T00:00:00\.000Z/)],
      ['warn', expect.stringMatching(/^TLS: the certificate expires/)],
      ['error', expect.stringMatching(/^TLS: the certificate expired on/)],
    ]);
    followed.close();
  });
});
