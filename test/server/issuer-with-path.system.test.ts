// The whole service under an issuer that has a path: every address stands below it, and what is outside is a 404.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { filledInstallation, type Serving, serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { CREDENTIALS, discover, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, type RunningService, SECRET } from '#support/service.ts';

let place: Installation;
let serving: Serving;
let origin: string;
let issuer: string;
let service: RunningService;
beforeAll(async () => {
  place = filledInstallation();
  const hash = await hashSecret(SECRET, LOW_COST);
  const scopes = 'openid, email, profile, PRACTITIONER_READ, ORGANIZATION_READ';
  place.configure(
    'clients.yaml',
    `clients: [{ id: server, name: Test, type: server, secrets: [{ hash: "${hash}" }], callbackUrls: ["${CALLBACK}"], scopes: [${scopes}] }]`,
  );
  const port = await freePort();
  origin = `http://localhost:${port}`;
  issuer = `${origin}/connect`;
  service = { issuer } as RunningService;
  serving = await serve(place, { HYGIE_PORT: String(port), HYGIE_ISSUER: issuer, LOG_FORMAT: 'json' });
  await serving.outputMatching(/Ctrl\+C/);
});
afterAll(async () => {
  serving.child.kill('SIGKILL');
  await serving.ended;
});

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(new URL(address, origin), { headers, redirect: 'manual' });
const person = () => createPerson(origin);

describe('an issuer with a path', () => {
  it.each(['/connect/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/connect'])(
    'discovery at %s',
    async (address) => {
      const metadata = (await (await get(address)).json()) as Record<string, unknown>;
      expect(metadata['issuer']).toBe(issuer);
      const endpoints = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name));
      expect(endpoints.length).toBeGreaterThan(6);
      for (const [, endpoint] of endpoints) expect(endpoint).toMatch(`${issuer}/`);
    },
  );

  it('a sign-in: authorize, sign-in page, consent, token, key set, userinfo, introspection, directory, sign-out', async () => {
    const configuration = await discover(service, 'server');
    const { tokens } = await signIn(service, { person: person(), configuration });
    const { keys } = (await (await get(configuration.serverMetadata().jwks_uri ?? '')).json()) as { keys: unknown[] };
    expect(keys.length).toBeGreaterThan(0);
    const sub = tokens.claims()?.sub ?? '';
    expect(await oidc.fetchUserInfo(configuration, tokens.access_token, sub)).toMatchObject({ sub });
    expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({ active: true });

    const authorization = `Bearer ${tokens.access_token}`;
    const found = await get('/connect/directory/v2/Practitioner?name=martin&_count=1', { authorization });
    expect(found.status).toBe(200);
    const { link } = (await found.json()) as { link: { url: string }[] };
    for (const { url } of link) expect(url).toMatch(`${issuer}/directory/v2/Practitioner?`);

    const [picture, logout] = await Promise.all([get('/connect/picture/person.svg'), get('/connect/logout')]);
    expect([picture.status, logout.status]).toEqual([200, 200]);
  });

  it("a person's own space: sign-in and back", async () => {
    const visitor = person();
    const signInPage = await visitor.visit(`${issuer}/account`);
    expect(signInPage.url).toMatch(`${issuer}/interaction/`);
    const account = await visitor.press(signInPage, 'sign-in', CREDENTIALS);
    expect([account.status, account.url]).toEqual([200, `${issuer}/account`]);
    const styles = /href="([^"]+\/style\.css)"/.exec(account.html)?.[1] ?? '';
    expect(styles).toMatch(/^\/connect\/assets\//);
    expect((await get(styles)).status).toBe(200);
  });

  it.each([
    ['/connect', 200],
    ['/connect/', 200],
    ['/connect/demo/', 200],
    ['/connect/directory/try', 200],
    ['/connect/directory/try/try.js', 200],
    ['/connect/directory', 302],
    ['/connect/directory/docs', 200],
    ['/connect/directory/openapi.json', 200],
    ['/connect/directory/v2/metadata', 200],
    ['/connect/directory/v2/Practitioner', 401],
    ['/connect/directory/v2/Nothing', 404],
    ['/connect/account/nothing', 404],
    ['/connect/nothing', 404],
    ['/health/live', 200],
    ['/health/ready', 200],
    ['/connect/health/ready', 200],
  ])('%s: %s', async (address, status) => {
    const response = await get(address);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-request-id')).toMatch(/./);
  });

  it.each(['/', '/nothing', '/connected', '/authorize', '/directory/v2/metadata'])(
    '%s, outside: a page or JSON that says 404, with the security headers and a line in the log',
    async (address) => {
      const page = await get(address, { accept: 'text/html', 'accept-language': 'en' });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(await page.text()).toContain('Page not found');
      const json = await get(address, { accept: 'application/json' });
      expect([json.status, await json.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })]);
      await serving.outputMatching(new RegExp(`"requestId":"${json.headers.get('x-request-id')}".*"status":404`));
    },
  );

  it('discovery of an issuer without the path, outside: 404 in JSON, for browsers too', async () => {
    const answer = await get('/.well-known/openid-configuration', { accept: 'text/html' });
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })]);
  });

  it('every address that the terminal shows answers', async () => {
    const addresses = [...serving.output().matchAll(/http:\/\/localhost:[^\s",]+/g)].map(([address]) => address);
    expect(new Set(addresses).size).toBeGreaterThan(2);
    for (const address of new Set(addresses)) expect([address, (await get(address)).status]).toEqual([address, 200]);
  });
});

it('the health address that an operator is shown answers at the host of the issuer', async () => {
  const own = installation();
  const env = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://sante.example/connect', LOG_FORMAT: 'json' };
  const started = await serve(own, env);
  try {
    const [, health = ''] = await started.outputMatching(/Health +(\S+)/);
    const path = health.replace('https://sante.example', '');
    const call = request({ port: started.port, host: '127.0.0.1', path, headers: { host: 'sante.example' } }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    expect([response.statusCode, JSON.parse(await text(response))]).toEqual([
      200,
      expect.objectContaining({ status: 'ok', database: 'ok', directory: 'unavailable' }),
    ]);
  } finally {
    started.child.kill('SIGKILL');
    await started.ended;
  }
});
