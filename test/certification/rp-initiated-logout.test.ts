// The modules of `oidcc-rp-initiated-logout-certification-test-plan`, one test each, named after the module.
// Its discovery module is in `discovery.test.ts`.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '../service.ts';
import { beforeLogout, NEEDS_THE_PERSON, staysHere } from './logout-runs.ts';
import { decoded, POST_LOGOUT, startCertified } from './suite.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startCertified();
});
afterAll(() => service.stop());

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-rp-initiated-logout', async () => {
    const run = await beforeLogout(service);
    const { page, state } = await run.endSession();
    const { left } = await run.confirm(page);
    expect(left?.href).toBe(`${POST_LOGOUT}?state=${state}`);
    expect(NEEDS_THE_PERSON).toContain(await run.silentError());
  });

  it('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', async () => {
    const run = await beforeLogout(service);
    const { page } = await run.endSession({ post_logout_redirect_uri: `${POST_LOGOUT}/unregistered` });
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
    const own = `${encoded({ ...decoded(header), alg: 'HS256' })}.${payload}`;
    const signature = createHmac('sha256', 'key of the suite').update(own).digest('base64url');
    const { page } = await run.endSession({ id_token_hint: `${own}.${signature}` });
    await staysHere(run, page);
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
