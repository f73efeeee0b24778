// The module of `oidcc-backchannel-rp-initiated-logout-certification-test-plan` with a real receiver, named after the module.
// Its discovery module is in `discovery.test.ts`.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beforeLogout, checkSignedOutAt, NEEDS_THE_PERSON } from '#support/certification/logout-runs.ts';
import { FIRST, startCertified, verified } from '#support/certification/suite.ts';
import type { RunningService } from '#support/service.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let service: RunningService;
let receiver: Server;
/** The next form that is posted to the client's back-channel address. */
let received: Promise<URLSearchParams>;

beforeAll(async () => {
  received = new Promise((resolve) => {
    receiver = createServer(async (req, res) => {
      const body = await text(req);
      res.writeHead(200, { 'cache-control': 'no-store' }).end();
      expect(req.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
      resolve(new URLSearchParams(body));
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  const backchannelLogoutUrl = `http://127.0.0.1:${port}/backchannel_logout`;
  service = await startCertified({ client: { backchannelLogoutUrl } });
});
afterAll(async () => {
  await service.stop();
  receiver.close();
});

describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-backchannel-rp-initiated-logout', async () => {
    const run = await beforeLogout(service);
    const { page, state } = await run.endSession();
    const { left } = await run.confirm(page);
    checkSignedOutAt(left, state);

    const form = await received;
    expect([...form.keys()]).toEqual(['logout_token']);
    const { header, claims } = await verified(service, form.get('logout_token') ?? '');
    expect(header['alg']).toBe('RS256');
    expect(claims).toMatchObject({ iss: service.issuer, aud: FIRST, jti: expect.any(String) });
    expect(Math.abs(Number(claims['iat']) - Date.now() / 1000)).toBeLessThan(300);
    expect(claims['events']).toEqual({ [EVENT]: {} });
    expect(claims['nonce']).toBeUndefined();
    // The certification demands `sid`, in the ID token and here.
    expect(claims['sid']).toEqual(expect.any(String));
    expect(claims['sid']).toBe(run.flow.claims['sid']);
    expect(claims['sub'] ?? run.flow.claims['sub']).toBe(run.flow.claims['sub']);

    expect(NEEDS_THE_PERSON).toContain(await run.silentError());
  });
});
