// SEC-57: an endpoint has one spelling. At others the library would answer, past the checks that our middleware makes by the path.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '#openid/routes.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { type RunningService, startService } from '#support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ENDPOINTS = [...Object.values(ROUTES), '/.well-known/openid-configuration'];

describe('SEC-57 another spelling of an endpoint', () => {
  it.each(ENDPOINTS)('%s: upper case and a slash at the end are no address', async (path) => {
    for (const other of [
      path.toUpperCase(),
      `${path}/`,
      `${path}//`,
      path.replace(/[a-z]$/, (last) => last.toUpperCase()),
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await fetch(service.issuer + other, { method, redirect: 'manual' });
        await answer.body?.cancel();
        expect([method, other, answer.status]).toEqual([method, other, 404]);
      }
    }
  });

  it('SEC-19 is no way to send an access token in a form', async () => {
    const { access_token } = (await signIn(service)).tokens;
    for (const path of ['/userinfo', '/USERINFO', '/userinfo/']) {
      const answer = await fetch(service.issuer + path, {
        method: 'POST',
        body: new URLSearchParams({ access_token }),
      });
      expect([path, answer.status]).toEqual([path, path === '/userinfo' ? 401 : 404]);
    }
  });
});
