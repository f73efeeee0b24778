// The modules of the two certification plans about logout, one test each, named after the module. One service with a real receiver serves
// both plans. Their discovery modules are in `discovery.test.ts`.

import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { decoded, FIRST, POST_LOGOUT, SECRETS, startCertified, verified } from '#support/certification/suite.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';
import { beforeLogout, checkSignedOutAt, NEEDS_THE_PERSON, staysHere } from './logout-runs.ts';

describe('certification: logout', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

  let receiver: Server;
  /** The forms that were posted to the client's back-channel address; each test signs out of sessions of its own. */
  const received: URLSearchParams[] = [];

  const service = openedForAll(async () => {
    receiver = createServer(async (req, res) => {
      const body = await text(req);
      res.writeHead(200, { 'cache-control': 'no-store' }).end();
      const isForm = /^application\/x-www-form-urlencoded/.test(req.headers['content-type'] ?? '');
      received.push(new URLSearchParams(isForm ? body : 'content-type=other'));
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const { port } = receiver.address() as AddressInfo;
    const backchannelLogoutUrl = `http://127.0.0.1:${port}/backchannel_logout`;
    return startCertified({ client: { backchannelLogoutUrl } });
  });
  afterAll(async () => {
    receiver.close();
  });

  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  /** A JWT that is signed with the client's secret. */
  function hint(header: object, payload: object): string {
    const own = `${encoded(header)}.${encoded(payload)}`;
    return `${own}.${createHmac('sha256', SECRETS[FIRST] ?? '')
      .update(own)
      .digest('base64url')}`;
  }

  describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
    it('oidcc-rp-initiated-logout', async () => {
      const run = await beforeLogout(service);
      const { page, state } = await run.endSession();
      const { left } = await run.confirm(page);
      checkSignedOutAt(left, state);
      expect(NEEDS_THE_PERSON).toContain(await run.silentError());
    });

    it('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', async () => {
      const run = await beforeLogout(service);
      const unregistered = new URL('bad_post_logout_redirect_uri', POST_LOGOUT).href;
      const { page } = await run.endSession({ post_logout_redirect_uri: unregistered });
      await staysHere(run, page);
    });

    it('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', async () => {
      const run = await beforeLogout(service);
      const { page } = await run.endSession({ post_logout_redirect_uri: `${POST_LOGOUT}?foo=bar` });
      await staysHere(run, page);
    });

    it('oidcc-rp-initiated-logout-modified-id-token-hint', async () => {
      const run = await beforeLogout(service);
      const [, payload] = run.flow.tokens.id_token.split('.');
      const { page } = await run.endSession({ id_token_hint: `${encoded({ alg: 'none' })}.${payload}.` });
      await staysHere(run, page);
    });

    it('oidcc-rp-initiated-logout-bad-id-token-hint', async () => {
      const run = await beforeLogout(service);
      const [header = '', payload = ''] = run.flow.tokens.id_token.split('.');
      const iat = Math.floor(Date.now() / 1000);
      // The suite's: `iss` and `aud` the wrong way around, signed with the client's secret.
      const made = { iss: FIRST, sub: 'SubjectID', aud: service.issuer, nonce: 'flibble', iat, exp: iat + 300 };
      const hints = [
        hint({ alg: 'HS256' }, made),
        hint({ alg: 'HS256' }, { ...made, iss: service.issuer, aud: FIRST }),
        hint({ ...decoded(header), alg: 'HS256' }, decoded(payload)),
      ];
      for (const id_token_hint of hints) {
        const { page } = await run.endSession({ id_token_hint });
        await staysHere(run, page);
      }
      expect(await run.silentError()).toBeUndefined();
    });

    it('oidcc-rp-initiated-logout-no-id-token-hint', async () => {
      const run = await beforeLogout(service);
      const { page } = await run.endSession({ id_token_hint: undefined });
      await staysHere(run, page);
    });

    it.each([
      ['oidcc-rp-initiated-logout-no-params', { id_token_hint: undefined, state: undefined }],
      ['oidcc-rp-initiated-logout-only-state', { id_token_hint: undefined }],
      ['oidcc-rp-initiated-logout-no-post-logout-redirect-uri', {}],
    ])('%s', async (_module, parameters) => {
      const run = await beforeLogout(service);
      const { page } = await run.endSession({ post_logout_redirect_uri: undefined, ...parameters });
      expect(page.html).toContain('id="sign-out"');
      const end = await staysHere(run, page);
      expect(end.html).toContain('Votre session est fermée');
      expect(NEEDS_THE_PERSON).toContain(await run.silentError());
    });

    it('oidcc-rp-initiated-logout-no-state', async () => {
      const run = await beforeLogout(service);
      const { page } = await run.endSession({ state: undefined });
      const { left } = await run.confirm(page);
      expect(left?.href).toBe(POST_LOGOUT);
      expect(NEEDS_THE_PERSON).toContain(await run.silentError());
    });
  });

  describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
    it('oidcc-backchannel-rp-initiated-logout', async () => {
      const run = await beforeLogout(service);
      const { page, state } = await run.endSession();
      const { left } = await run.confirm(page);
      checkSignedOutAt(left, state);

      const sidOf = (form: URLSearchParams) => decoded(form.get('logout_token')?.split('.')[1] ?? '')['sid'];
      const find = () => received.find((form) => sidOf(form) === run.flow.claims['sid']);
      await until(() => find() !== undefined, 'the logout token of this session');
      const form = find();
      expect([...(form?.keys() ?? [])]).toEqual(['logout_token']);
      const { header, claims } = await verified(service, form?.get('logout_token') ?? '');
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
});
