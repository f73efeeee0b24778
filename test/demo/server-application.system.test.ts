// Specification section 1, the six steps of the server-side login sequence, and 4.5, as a visitor of the demo sees them:
// a real Chromium, with JavaScript switched off, against the running service.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { newVisitor, PERSON, signInToServerApplication, withDemo } from '#support/demo/visitor.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';

const on = withDemo();
let context: BrowserContext;
let page: Page;

async function freshVisitor() {
  ({ page, context } = await newVisitor(on.browser, { javaScriptEnabled: false }));
}

/** The messages shown for one of the six steps. */
const messages = (step: number) => page.locator(`.steps > li:nth-child(${step}) pre`).allInnerTexts();

describe('1 the server-side login sequence, in the demo', () => {
  let authorization: URL;
  let callback: URL;
  let cookieBefore: string | undefined;

  beforeAll(async () => {
    await freshVisitor();
    page.on('request', async (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/authorize' && url.searchParams.has('state')) {
        authorization = url;
        cookieBefore = await sessionCookie();
      }
      if (url.pathname === '/demo/callback') callback = url;
    });
    await signInToServerApplication(page, on.service.issuer);
  });
  afterAll(() => context.close());

  const sessionCookie = async () => {
    const cookies = await context.cookies(`${on.service.issuer}/demo/`);
    return cookies.find(({ name }) => name === 'mirabelle.session')?.value;
  };

  it('1.1 redirects the browser to the authorization endpoint with everything section 4.1 asks for', async () => {
    const sent = Object.fromEntries(authorization.searchParams);
    expect(sent).toMatchObject({
      response_type: 'code',
      client_id: 'demo-server',
      redirect_uri: `${on.service.issuer}/demo/callback`,
      version: '2.0.0',
      scope: 'openid email profile PRACTITIONER_READ ORGANIZATION_READ',
      code_challenge_method: 'S256',
    });
    expect(sent['state']?.length).toBeGreaterThanOrEqual(30);
    expect(sent['nonce']?.length).toBeGreaterThanOrEqual(30);
    expect((await messages(1)).join()).toContain('version=2.0.0');
  });

  it('1.2 is sent back to its redirect_uri with code and state', async () => {
    expect(callback.searchParams.get('code')).toBeTruthy();
    expect((await messages(2)).join()).toContain(`GET ${on.service.issuer}/demo/callback`);
  });

  it('1.3 verifies the state', async () => {
    const state = authorization.searchParams.get('state') ?? '';
    expect(callback.searchParams.get('state')).toBe(state);
    const shown = `state=${state.slice(0, 8)}`;
    expect((await messages(3)).join().split(shown)).toHaveLength(3);
  });

  it('1.4 exchanges the code at the token endpoint', async () => {
    const [exchange = ''] = await messages(4);
    expect(exchange).toContain(`POST ${on.service.issuer}/oauth/token`);
    expect(exchange).toContain('grant_type=authorization_code');
    expect(exchange).toContain('HTTP 200');
  });

  it('1.5 reads the person from the ID token and from userinfo, which agree', async () => {
    const rows = await page.locator('.claims tbody tr').all();
    const read = await Promise.all(rows.map((row) => row.locator('code').allInnerTexts()));
    const claims = new Map(read.map(([name, idToken, userinfo]) => [name, [idToken, userinfo]]));
    for (const [name, value] of [
      ['sub', PERSON.id],
      ['userInfo.uuid', PERSON.id],
      ['userInfo.apiUrl', on.service.settings.directory.url],
      ['userInfo.currentWorkspaceId', `Organization/${PERSON.workspaces?.[0]}`],
      ['userInfo.identities', `Practitioner/${PERSON.practitioners?.[0]}`],
      ['name', PERSON.name],
      ['email', PERSON.email],
    ]) {
      expect([name, claims.get(name)]).toEqual([name, [value, value]]);
    }
    expect(claims.get('at_hash')?.[0]).toBeTruthy();
  });

  it('1.5 finds the identity and the workspace in the directory', async () => {
    const cards = await page.locator('.columns .card h3').allInnerTexts();
    expect(cards).toHaveLength(2);
    expect(cards[0]?.toLowerCase()).toContain('mathilde');
  });

  it('1.6 starts its own session under a new id', async () => {
    expect(await sessionCookie()).toBeTruthy();
    expect(await sessionCookie()).not.toBe(cookieBefore);
    expect(cookieBefore).toBeTruthy();
  });

  it('4.5 gives a developer the token for the command line: what it says finds people in the directory', async () => {
    const [set = '', curl = ''] = await page.locator('.shell pre').allInnerTexts();
    const [, token, base] = /^export TOKEN='([\w~.-]+)' BASE='([^' ]+)'$/.exec(set) ?? [];
    expect(base).toBe(on.service.settings.directory.url);
    const address = /"\$BASE([^"]+)"$/.exec(curl)?.[1];
    const answer = await fetch(`${base}${address}`, { headers: { authorization: `Bearer ${token}` } });
    expect(((await answer.json()) as { total: number }).total).toBeGreaterThan(0);
    const stored = await page.request.get(`${on.service.issuer}/demo/steps`);
    expect(stored.headers()['cache-control']).toBe('no-store');
  });

  it('5.8 shows neither the secret nor, in the messages, a whole token', async () => {
    const text = await page.textContent('main');
    expect(text).toContain('client_secret=••••••••');
    expect(text).not.toMatch(/"(access_token|id_token)": "[^"]{12,}"/);
    expect(text).not.toContain(callback.searchParams.get('code'));
  });
});

describe('1.3 an answer to somebody else’s question', () => {
  it('is refused, and its code is not exchanged', async () => {
    // An attacker's own sign-in, stopped before the attacker's browser delivers the answer...
    const attacker = createPerson(on.service.issuer);
    const begun = await fetch(`${on.service.issuer}/demo/sign-in`, { method: 'POST', redirect: 'manual' });
    const credentials = { login: PERSON.email, password: DEMO_PASSWORD };
    const stolen = await attacker.signIn(begun.headers.get('location') ?? '', credentials);
    expect(stolen.href).toContain('/demo/callback?code=');

    // ...and slipped to a victim who has begun a sign-in too.
    await freshVisitor();
    await page.goto(`${on.service.issuer}/demo/`);
    await page.click('form[action$="/sign-in"] button');
    await page.waitForSelector('#login');
    const exchanges = on.service.logged().split('/oauth/token').length;
    const response = await page.goto(stolen.href);
    expect(response?.status()).toBe(400);
    expect(await page.textContent('h1')).toBe('This answer is not trusted');
    expect(on.service.logged().split('/oauth/token')).toHaveLength(exchanges);
    await context.close();
  });
});

describe('4.1 a person who declines', () => {
  it('comes back to the demo, which says so and offers another try', async () => {
    await freshVisitor();
    await page.goto(`${on.service.issuer}/demo/`);
    await page.click('form[action$="/sign-in"] button');
    await page.fill('#login', DEMO_ACCOUNTS[1]?.email ?? '');
    await page.fill('#password', DEMO_PASSWORD);
    await page.click('#sign-in');
    await page.click('#refuse');
    await page.locator('h1', { hasText: 'No sign-in' }).waitFor();
    // A cancellation is a sentence; what the service said is folded.
    expect(await page.locator('.lead').textContent()).toBe(
      'You cancelled. Mirabelle has learned nothing about you; begin again whenever you like.',
    );
    expect(await page.locator('main pre').isVisible()).toBe(false);
    expect(await page.locator('main pre').textContent()).toContain('access_denied');
    expect(await page.locator('form[action$="/sign-in"]').count()).toBe(1);
    await context.close();
  });
});

describe('4.5 directory searches with the token of the signed-in person', () => {
  beforeAll(async () => {
    await freshVisitor();
    await signInToServerApplication(page, on.service.issuer);
  });
  afterAll(() => context.close());
  beforeEach(() => page.goto(`${on.service.issuer}/demo/practitioners`));

  const titles = () => page.locator('.card h3').allInnerTexts();

  it('finds professionals by a name, and shows the total, the request and the next page', async () => {
    await page.fill('#name', 'martin');
    await page.click('.search button');
    expect(await page.textContent('h1')).toBe('36\u00a0professionals for “martin”');
    expect(await page.textContent('.request summary')).toMatch(
      /\d+ ms GET \/directory\/v2\/Practitioner\?name=martin&/,
    );
    const first = await titles();
    expect(first).toHaveLength(10);
    await page.click('a[rel=next]');
    await page.locator('.card h3', { hasText: first[0] ?? '' }).waitFor({ state: 'detached' });
    expect(await page.inputValue('#name')).toBe('martin');
    expect(await titles()).not.toEqual(first);
    await page.click('a[rel=prev]');
    await page.locator('.card h3', { hasText: first[0] ?? '' }).waitFor();
    expect(await titles()).toEqual(first);
  });

  it('goes over to structures with the same words, and to the structures of one parent', async () => {
    await page.fill('#name', 'hopital');
    await page.click('.search button');
    await page.click('.switch a:not([aria-current])');
    expect(await page.inputValue('#name')).toBe('hopital');
    await page.locator('.card dd a[href*="part-of="]').first().click();
    await page.locator('#part-of[value^="Organization/"]').waitFor({ state: 'attached' });
    expect((await titles()).length).toBeGreaterThan(0);
  });

  it('offers a new sign-in when the access token is gone, and then comes back to the search', async () => {
    await on.service.database('oidc_records').where({ model: 'AccessToken' }).delete();
    const search = `${on.service.issuer}/demo/practitioners?name=martin`;
    const response = await page.goto(search);
    expect(response?.status()).toBe(401);
    await page.click('.refusal button');
    await page.locator('.cards .card').first().waitFor();
    expect(page.url()).toBe(search);
    expect(await titles()).toHaveLength(10);
  });
});

describe('signing out of the demo', () => {
  it('ends its own session and the service’s, which asks for the password again', async () => {
    await freshVisitor();
    await signInToServerApplication(page, on.service.issuer);
    await page.click('form[action$="/sign-out"] button');
    await page.waitForURL(`${on.service.issuer}/demo/`);
    const response = await page.goto(`${on.service.issuer}/demo/practitioners?name=martin`);
    expect(response?.status()).toBe(401);
    expect(await page.textContent('h1')).toBe('Please sign in');
    await page.click('form[action*="/sign-in"] button');
    await page.waitForSelector('#password');
    await context.close();
  });
});
