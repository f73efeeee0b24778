// config/README.md: `listen`, `hsts` and `readiness` of service.yaml, and what they are where they are left out.

import { describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';

const listenOf = async (service: string) => (await load({ service })).settings.listen;

describe('listen', () => {
  it('behind a proxy, the service drains when it is stopped and keeps connections longer than any common proxy does', async () => {
    expect(await listenOf('')).toMatchObject({ drain: 0, keepAlive: 65, finish: 10 });
    expect(await listenOf('proxies: 1')).toMatchObject({ drain: 5, keepAlive: 650, finish: 10 });
    const written = 'proxies: 1\nlisten: { drain: 0s, keepAlive: 2h, finish: 1m }';
    expect(await listenOf(written)).toMatchObject({ drain: 0, keepAlive: 7200, finish: 60 });
  });

  it.each([
    ['listen: { drain: 1h }', 'listen.drain', /10m/],
    ['listen: { keepAlive: 0 }', 'listen.keepAlive', /./],
    ['listen: { finish: 0s }', 'listen.finish', /./],
  ])('%s is an issue', async (service, path, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([
      expect.objectContaining({ path, remedy: expect.stringMatching(remedy) }),
    ]);
  });
});

describe('hsts (RFC 6797)', () => {
  it('is for the host alone, unless more is written', async () => {
    const { hsts } = (await load({})).settings;
    expect(hsts).toEqual({ maxAge: 31_536_000, includeSubDomains: false });
    const all = 'hsts: { maxAge: 730d, includeSubDomains: true }';
    expect((await load({ service: all })).settings.hsts).toEqual({ maxAge: 63_072_000, includeSubDomains: true });
    expect((await load({ service: 'hsts: { maxAge: 0 }' })).settings.hsts).toMatchObject({ maxAge: 0 });
  });
});

describe('readiness', () => {
  it('names halves of the service, at least one, each once', async () => {
    expect((await load({ service: 'readiness: [signin]' })).settings.readiness).toEqual(['signin']);
    for (const wrong of ['[]', '[signin, signin]', '[sign-in]', 'signin'])
      expect(await issuesOf(load({ service: `readiness: ${wrong}` }))).not.toEqual([]);
  });
});
