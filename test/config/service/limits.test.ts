// config/README.md: limits of `service.yaml` that depend on each other, or that would make a part of the service useless.

import { describe, expect, it } from '@jest/globals';
import { adviceOn } from '#config/index.ts';
import { issuesOf, load } from '#support/config/folder.ts';

describe('limits of service.yaml', () => {
  it.each([
    ['lifetimes: { refreshToken: 365d, grant: 1d }', 'lifetimes.refreshToken', /grant/],
    ['lifetimes: { refreshToken: 91d }', 'lifetimes.refreshToken', /grant/],
    ['lifetimes: { refreshToken: 7d, refreshTokenIdle: 8d }', 'lifetimes.refreshTokenIdle', /refreshToken/],
    ['lifetimes: { refreshTokenIdle: 31d }', 'lifetimes.refreshTokenIdle', /refreshToken/],
    ['audit: { keep: 1s }', 'audit.keep', /1d/],
    ['audit: { keep: 86399 }', 'audit.keep', /1d/],
    ['audit: { keep: 0 }', 'audit.keep', /./],
  ])('%s is an issue', async (service, path, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([
      expect.objectContaining({ path, remedy: expect.stringMatching(remedy) }),
    ]);
  });

  it.each([
    [
      'lifetimes: { refreshToken: 90d, refreshTokenIdle: 90d }',
      { refreshToken: 7_776_000, refreshTokenIdle: 7_776_000 },
    ],
    ['lifetimes: { refreshToken: 365d, grant: 365d }', { refreshToken: 31_536_000 }],
    // What is not written ends with what it belongs to.
    ['lifetimes: { session: 30m }', { session: 1800, sessionIdle: 3600 }],
    ['lifetimes: { grant: 3h }', { grant: 10_800, refreshToken: 2_592_000 }],
    ['lifetimes: { refreshToken: 1d }', { refreshToken: 86_400, refreshTokenIdle: 1_209_600 }],
  ])('%s is none', async (service, lifetimes) => {
    expect((await load({ service })).settings.lifetimes).toMatchObject(lifetimes);
  });

  it.each([
    ['shrinkage: 0.4', [/^directory\.guards\.shrinkage is 0\.4 and removed 0\.1: .*Set both\.$/]],
    ['shrinkage: 0.4, removed: 0.4', []],
  ])('directory.guards: %s; what shrinks is removed, too', async (guards, advice) => {
    const { settings } = await load({ service: `directory: { guards: { ${guards} } }` });
    expect(adviceOn(settings)).toEqual(advice.map((line) => expect.stringMatching(line)));
  });

  it('a day of audit trail is enough', async () => {
    expect((await load({ service: 'audit: { keep: 1d }' })).settings.audit).toEqual({ keep: 86_400 });
  });
});
