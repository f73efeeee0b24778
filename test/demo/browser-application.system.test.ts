// The demo's pages and its second application in a real Chromium: accessible in both languages and on both screens; PKCE in the browser alone
// (specification sections 1.2, 4.5 and 5.2).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { axeViolations } from '#support/axe.ts';
import {
  newVisitor,
  PERSON,
  signInToBrowserApplication,
  signInToServerApplication,
  withDemo,
} from '#support/demo/visitor.ts';

const on = withDemo();

/** What the cards say, all but the parent, beside which the server application offers a further search. */
const FACTS = `[...document.querySelectorAll('.cards .card')].map((card) =>
  [...card.querySelectorAll('h3, .subtitle, .identifier, dl > div')]
    .map((part) => [...(part.matches('div') ? part.children : [part])].map(({ textContent }) => textContent))
    .filter(([heading]) => heading !== 'Part of'))`;

describe('1.2 the authorization code flow with PKCE in the browser alone', () => {
  let context: BrowserContext;
  let page: Page;
  let errors: string[];
  const requests: Request[] = [];

  beforeAll(async () => {
    ({ context, page, errors } = await newVisitor(on.browser));
    page.on('request', (request) => requests.push(request));
    await signInToBrowserApplication(page, on.service.issuer);
  });
  afterAll(() => context.close());

  const messages = async (step: number) =>
    (await page.locator(`#steps > li:nth-child(${step}) pre`).allInnerTexts()).join('\n');

  it('1.1 and 4.1 asks with state, nonce, version and an S256 challenge', () => {
    const asked = requests.map((request) => new URL(request.url())).find(({ pathname }) => pathname === '/authorize');
    const sent = Object.fromEntries(asked?.searchParams ?? []);
    expect(sent).toMatchObject({ client_id: 'demo-browser', version: '2.0.0', code_challenge_method: 'S256' });
    expect(sent['state']?.length).toBeGreaterThanOrEqual(30);
    expect(sent['nonce']?.length).toBeGreaterThanOrEqual(30);
  });

  it('5.2 exchanges the code with the verifier and without a secret', async () => {
    const exchange = requests.find((request) => new URL(request.url()).pathname === '/oauth/token');
    const form = new URLSearchParams(exchange?.postData() ?? '');
    expect(form.get('code_verifier')?.length).toBeGreaterThanOrEqual(43);
    expect(form.has('client_secret')).toBe(false);
    expect(exchange?.headers()['authorization']).toBeUndefined();
    expect(await messages(4)).toContain('HTTP 200');
  });

  it('1.3 to 1.6 shows the checked state, the verified claims and userinfo', async () => {
    expect(await messages(3)).toMatch(/sessionStorage +state=(\S+)\ncallback +state=\1/);
    const read = await messages(5);
    expect(read).toContain(`GET ${on.service.issuer}/userinfo`);
    expect(read.split(`"uuid": "${PERSON.id}"`)).toHaveLength(3);
    expect(await page.textContent('#greeting')).toContain(PERSON.name);
    expect(await page.textContent('#steps-lead')).toContain('These are the real messages');
  });

  it('keeps the token in memory only, and the code out of the address bar', async () => {
    expect(page.url()).toBe(`${on.service.issuer}/demo/browser`);
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])')).not.toMatch(
      /token|state|verifier/,
    );
  });

  it('4.5 finds professionals and structures with the person’s token', async () => {
    await page.fill('#name', 'martin');
    await page.click('#search-form button');
    await page.waitForSelector('.card');
    const first = await page.locator('.card h3').allInnerTexts();
    expect(first).toHaveLength(10);
    await page.click('#next');
    await page.locator('.card h3', { hasText: first[0] ?? '' }).waitFor({ state: 'detached' });

    await page.check('[value=Organization]');
    await page.fill('#name', 'hopital');
    await page.click('#search-form button');
    await page.locator('#total', { hasText: 'organisations' }).waitFor();
    expect(await page.locator('.card').count()).toBeGreaterThan(0);
  });

  it('shows the same cards as the server application', async () => {
    const { page: other, context: otherContext } = await newVisitor(on.browser);
    await signInToServerApplication(other, on.service.issuer);
    const shown: unknown[] = [];
    for (const [type, path, name] of [
      ['Organization', 'organizations', 'hopital'],
      ['Practitioner', 'practitioners', 'martin'],
    ]) {
      await other.goto(`${on.service.issuer}/demo/${path}?name=${name}`);
      const expected = await other.evaluate(FACTS);
      await page.check(`[value=${type}]`);
      await page.fill('#name', name ?? '');
      await page.click('#search-form button');
      await page.locator('#request', { hasText: `/${type}?name=${name}` }).waitFor();
      const first = (await other.locator('.cards h3').first().textContent()) ?? '';
      await page.locator('#results h3', { hasText: first }).first().waitFor();
      expect(await page.evaluate(FACTS)).toEqual(expected);
      shown.push(expected);
    }
    expect(JSON.stringify(shown)).toMatch(/\["Addresses".*"\+ \d"/);
    await otherContext.close();
  });

  it('8 puts a refusal of the directory in words', async () => {
    await page.fill('#name', 'm');
    await page.click('#search-form button');
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toContain('2 characters');
  });

  it('runs under its own policy without a refused resource or an error', () => {
    expect(errors).toEqual([]);
  });

  it('signs out of the service too', async () => {
    await page.click('#sign-out');
    await page.waitForURL(`${on.service.issuer}/demo/`);
    await page.goto(`${on.service.issuer}/demo/browser`);
    await page.click('#sign-in');
    await page.waitForSelector('#password');
  });
});

describe('1.3 an answer to somebody else’s question', () => {
  it('is refused by the browser application, and its code is not exchanged', async () => {
    const { page, context } = await newVisitor(on.browser);
    const exchanges: string[] = [];
    page.on('request', (request) => request.url().endsWith('/oauth/token') && exchanges.push(request.url()));
    await page.goto(`${on.service.issuer}/demo/browser/callback?code=foreign&state=foreign`);
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toContain('Nothing was exchanged');
    expect(exchanges).toEqual([]);
    await context.close();
  });
});

async function faultsOf(page: Page): Promise<string[]> {
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [...(await axeViolations(page)), ...(tooWide > 0 ? [`${page.url()} is ${tooWide} px too wide`] : [])];
}

const PAGES = [
  'practitioners',
  'practitioners?name=martin',
  'practitioners?name=m',
  'practitioners?name=xqxq',
  'practitioners?name=',
  'organizations?name=hopital',
  'callback?code=x&state=x',
];

describe.each([
  { locale: 'fr', viewport: { width: 390, height: 844 } },
  { locale: 'en', viewport: { width: 1440, height: 900 } },
])('the demo in $locale at $viewport.width px', (visitor) => {
  it('has accessible pages that fit the screen', async () => {
    const { page, context } = await newVisitor(on.browser, visitor);
    await page.goto(`${on.service.issuer}/demo/`);
    expect(await page.getAttribute('html', 'lang')).toBe(visitor.locale);
    expect(await faultsOf(page)).toEqual([]);
    await signInToServerApplication(page, on.service.issuer);
    expect(await faultsOf(page)).toEqual([]);
    for (const path of PAGES) {
      await page.goto(`${on.service.issuer}/demo/${path}`);
      expect([path, await faultsOf(page)]).toEqual([path, []]);
    }
    await context.close();
  });

  it('has an accessible browser application', async () => {
    const { page, context } = await newVisitor(on.browser, visitor);
    await signInToBrowserApplication(page, on.service.issuer);
    await page.fill('#name', 'martin');
    await page.click('#search-form button');
    await page.waitForSelector('.card');
    expect(await faultsOf(page)).toEqual([]);
    await context.close();
  });
});

describe('the language of the demo', () => {
  it('can be chosen, and stays chosen', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await page.goto(`${on.service.issuer}/demo/`);
    await page.click('a.language');
    await page.locator('html[lang=fr]').waitFor();
    await page.goto(`${on.service.issuer}/demo/browser`);
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    await context.close();
  });

  it('goes along to the sign-in pages', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await page.goto(`${on.service.issuer}/demo/?lang=fr`);
    await page.click('form[action$="/sign-in"] button');
    await page.waitForSelector('#login');
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    await context.close();
  });

  it('is changed on the browser application itself, after a sign-in too', async () => {
    const { page, context } = await newVisitor(on.browser, { locale: 'en' });
    await signInToBrowserApplication(page, on.service.issuer);
    await page.click('a.language');
    await page.locator('html[lang=fr] #sign-in:not([hidden])').waitFor();
    expect(page.url()).toBe(`${on.service.issuer}/demo/browser?lang=fr`);
    await context.close();
  });
});
