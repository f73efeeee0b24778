// The page to try the directory in a real Chromium: PKCE in the browser alone (specification sections 1.2, 4.5 and 5.2), a request of one's own, links
// and pages followed, code to copy, and what somebody's link or an answer cannot do (SEC-83).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { ALL_RULES, axeViolations } from '#support/axe.ts';
import { newVisitor, withDemo } from '#support/demo/visitor.ts';
import { answered, openTryPage, requestsOf, signInAndSend } from '#support/directory/try-page.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { until } from '#support/until.ts';

const on = withDemo();

const pathOf = (request: Request) => new URL(request.url()).pathname;
/** To the directory. */
const searches = (requests: readonly Request[]) => requests.filter((one) => pathOf(one).startsWith('/directory/v2/'));

describe('1.2 the authorization code flow with PKCE in the browser alone', () => {
  let context: BrowserContext;
  let page: Page;
  let errors: string[];
  /** Of the sign-in alone, and the address to which it led. */
  let requests: Request[];
  let arrived: string;
  beforeAll(async () => {
    ({ context, page, errors } = await newVisitor(on.browser));
    const all = requestsOf(page);
    await openTryPage(page, on.service.issuer, 'Practitioner?name=martin&_count=5');
    await signInAndSend(page);
    [requests, arrived] = [[...all], page.url()];
  });
  afterAll(() => context.close());

  const ask = async (request: string, status = 200) => {
    await openTryPage(page, on.service.issuer, request);
    await page.click('#send');
    await answered(page, status);
  };

  const asked = (request: RegExp) =>
    until(async () => request.test(await page.inputValue('#request')), `the request is ${request}`);

  it('1.1 and 4.1 asks with state, nonce and an S256 challenge', () => {
    const asked = requests.map((request) => new URL(request.url())).find(({ pathname }) => pathname === '/authorize');
    const sent = Object.fromEntries(asked?.searchParams ?? []);
    expect(sent).toMatchObject({ client_id: 'hygie-try', code_challenge_method: 'S256' });
    expect(sent['state']?.length).toBeGreaterThanOrEqual(30);
    expect(sent['nonce']?.length).toBeGreaterThanOrEqual(30);
  });

  it('5.2 exchanges the code with the verifier and without a secret', () => {
    const exchange = requests.find((request) => pathOf(request) === '/oauth/token');
    const form = new URLSearchParams(exchange?.postData() ?? '');
    expect(form.get('code_verifier')?.length).toBeGreaterThanOrEqual(43);
    expect(form.has('client_secret')).toBe(false);
    expect(exchange?.headers()['authorization']).toBeUndefined();
  });

  it('4.5 sends the request that was there before the sign-in, and shows status, time, headers and resources', async () => {
    expect(arrived).toBe(`${on.service.issuer}/directory/try#Practitioner?name=martin&_count=5`);
    await ask('Practitioner?name=martin&_count=5');
    expect(await page.textContent('#status')).toMatch(/^HTTP 200 · \d+ ms · [\d,]+ bytes · total \d+$/);
    expect(await page.textContent('#person')).toContain(DEMO_ACCOUNTS[0]?.name);
    expect(await page.locator('details.entry').count()).toBe(5);
    expect(await page.locator('details.entry pre').first().textContent()).toContain('"resourceType": "Practitioner"');
    expect(await page.textContent('#headers')).toMatch(/^content-type: application\/fhir\+json/m);
    expect(JSON.parse((await page.textContent('#raw')) ?? '')).toMatchObject({ resourceType: 'Bundle' });
  });

  it('SEC-83 keeps the token in the tab, the code out of the address bar, and sends it to the directory alone', async () => {
    expect(await page.evaluate('JSON.stringify([localStorage, document.cookie])')).not.toMatch(/token|state|verifier/i);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toMatch(/codeVerifier|nonce/);
    const other = await context.newPage();
    await openTryPage(other, on.service.issuer);
    expect(await other.evaluate('sessionStorage.length')).toBe(0);
    await other.close();
    const withToken = requests.filter((request) => request.headers()['authorization'] !== undefined);
    expect(withToken.length).toBeGreaterThan(0);
    expect(searches(withToken)).toEqual(withToken);
  });

  it('follows pages and references, and Back leads to the request before', async () => {
    await ask('PractitionerRole?_count=2');
    await page.click('#pages a');
    await asked(/_page=/);
    await answered(page, 200);
    await page.locator('.json a', { hasText: 'Practitioner/' }).first().click();
    await asked(/^Practitioner\/[^?]+$/);
    await page.locator('#body pre', { hasText: '"resourceType": "Practitioner"' }).waitFor();
    await page.goBack();
    await asked(/_page=/);
    await page.locator('details.entry').first().waitFor();
  });

  it('builds the request from criteria that say what they find, and the code with it', async () => {
    await openTryPage(page, on.service.issuer, 'Practitioner?name=martin');
    await page.click('#add');
    const [name, value] = await page.locator('.criterion').last().locator('input').all();
    await name?.fill('address-city');
    expect(await page.locator('.criterion').last().locator('.hint').textContent()).toContain('Town.');
    await value?.fill('L’Haÿ & co');
    expect(await page.inputValue('#request')).toBe('Practitioner?name=martin&address-city=L’Haÿ+%26+co');
    await page.check('#in-python');
    expect(await page.locator('#code-python').textContent()).toContain('("address-city", "L’Haÿ & co"),');
    expect(await page.locator('#code-java').textContent()).toContain(
      '"Practitioner?name=martin&address-city=L%E2%80%99Ha%C3%BF+%26+co"',
    );
    expect(await page.locator('#code-curl').isVisible()).toBe(false);
    await page.selectOption('#type', 'Organization');
    expect(await page.inputValue('#request')).toMatch(/^Organization\?name=/);
  });

  it('8 tells a refusal in the language of the page, and quotes the directory once', async () => {
    await ask('Practitioner?name=m&colour=red', 400);
    expect(await page.locator('#issues li strong').allTextContents()).toEqual([
      'A value does not fit (name)',
      'The directory does not know what was asked (colour)',
    ]);
    const quoted = await page.locator('#issues q[lang=en]').allTextContents();
    expect(quoted[0]).toContain('2 characters');
    expect(await page.locator('#body > *').count()).toBe(0);
    expect(await page.textContent('#raw')).toContain('"code": "not-supported"');
  });

  it('runs under its policy without a refused resource or an error', () => {
    expect(errors).toEqual([]);
  });

  it('signs out of the service too, and its token ends', async () => {
    const { page, context } = await newVisitor(on.browser);
    await openTryPage(page, on.service.issuer);
    await signInAndSend(page);
    const session = await page.evaluate<string>('sessionStorage.getItem("hygie.try.session")');
    const { accessToken } = JSON.parse(session) as { accessToken: string };
    await page.click('#sign-out');
    await page.waitForSelector('#signed-out:not([hidden])');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    const answer = await fetch(`${on.service.issuer}/directory/v2/Practitioner`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(answer.status).toBe(401);
    await page.click('#send');
    await page.waitForSelector('#password');
    await context.close();
  });

  it('SEC-83 shows no answer that the browser kept with a page, for Back after a sign-out', async () => {
    await ask('Practitioner?name=martin');
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })) && undefined');
    await until(async () => (await page.locator('.entry').count()) === 0, 'the page is loaded anew');
  });
});

describe('SEC-83 somebody’s link', () => {
  it('sends nothing by itself, and what it holds is text', async () => {
    const { page, context, errors } = await newVisitor(on.browser);
    const requests = requestsOf(page);
    const html = '<img src=x onerror="window.run=1"><script>window.run=1</script>';
    await openTryPage(page, on.service.issuer, `CodeSystem?name=${html}&${encodeURIComponent(html)}=javascript:run`);
    expect(await page.inputValue('.criterion input >> nth=1')).toBe(html);
    expect(searches(requests)).toEqual([]);
    await page.click('#send');
    await answered(page, 400);
    expect(await page.textContent('#issues')).toContain('<img src=x');
    expect(await page.evaluate('window.run')).toBeUndefined();
    expect(await page.locator('#try img, #try script').count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });

  it.each([
    ['../../userinfo', 'Nothing was sent.'],
    ['..\\..\\userinfo', 'Nothing was sent.'],
    ['%2e%2e/%2e%2e/account', 'Nothing was sent.'],
    // A proxy may take these for the signs themselves, and lead to another address of the host.
    ['x/..%2f..%2F..%2fuserinfo', 'Nothing was sent.'],
    ['x/..%5c../..;/userinfo', 'Nothing was sent.'],
    ['//evil.example/x', 'HTTP 404'],
  ])('to %s sends the token nowhere: %s', async (request, told) => {
    const { page, context } = await newVisitor(on.browser);
    await openTryPage(page, on.service.issuer, 'Practitioner?name=martin');
    await signInAndSend(page);
    await openTryPage(page, on.service.issuer, request);
    const requests = requestsOf(page);
    await page.click('#send');
    await page.locator('#problem:not([hidden]), #status', { hasText: told }).first().waitFor();
    for (const one of requests) expect(one.url().startsWith(`${on.service.issuer}/directory/v2/`)).toBe(true);
    await context.close();
  });

  it('of the page’s own examples is sent with a session alone', async () => {
    const { page, context } = await newVisitor(on.browser);
    const requests = requestsOf(page);
    await openTryPage(page, on.service.issuer);
    await page.click('.examples summary');
    const example = (type: string) => page.locator('.examples a', { hasText: `${type}?` }).first();
    await example('Organization').click();
    await until(async () => (await page.inputValue('#request')).startsWith('Organization?'), 'it is filled in');
    expect(searches(requests)).toEqual([]);
    await signInAndSend(page);
    expect(await page.textContent('#raw')).toContain('"resourceType": "Organization"');
    await page.click('.examples summary');
    for (const link of await page.locator('.examples a').all()) {
      await link.click();
      await until(async () => /^HTTP 200/.test((await page.textContent('#status')) ?? ''), 'it is answered');
    }
    await context.close();
  });

  it('with thousands of criteria leaves the page usable', async () => {
    const { page, context } = await newVisitor(on.browser);
    await openTryPage(page, on.service.issuer, `Practitioner?${'a=1&'.repeat(5_000)}`);
    expect(await page.locator('.criterion').count()).toBe(0);
    await page.fill('#request', 'CodeSystem?_count=1');
    await page.click('#send');
    await answered(page, 200);
    await context.close();
  });

  it('cannot put commands into the code to copy', async () => {
    const { page, context } = await newVisitor(on.browser);
    await openTryPage(page, on.service.issuer, "Practitioner;id?name=';id;'$(id)`id`&x%0Ay=%22%0A);id(%22");
    expect(await page.textContent('#code-curl')).toBe(
      [
        `curl -sG '${on.service.issuer}/directory/v2/Practitioner;id'`,
        '-H "Authorization: Bearer $TOKEN"',
        "--data-urlencode 'name='\\'';id;'\\''$(id)`id`'",
        '--data-urlencode \'x%0Ay="\n);id("\'',
      ].join(' \\\n  '),
    );
    expect(await page.textContent('#code-python')).toContain('("x\\ny", "\\"\\n);id(\\""),');
    await context.close();
  });
});

describe('1.3 an answer to somebody else’s question', () => {
  it('is refused, and its code is not exchanged', async () => {
    const { page, context } = await newVisitor(on.browser);
    const requests = requestsOf(page);
    await page.goto(`${on.service.issuer}/directory/try/signed-in?code=foreign&state=foreign`);
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toContain('Nothing was exchanged');
    expect(requests.filter((request) => pathOf(request) === '/oauth/token')).toEqual([]);
    expect(page.url()).toBe(`${on.service.issuer}/directory/try`);
    await context.close();
  });

  it('a cancelled sign-in is said in words', async () => {
    const { page, context } = await newVisitor(on.browser);
    await openTryPage(page, on.service.issuer, 'Practitioner?name=martin');
    await page.click('#send');
    await page.click('#cancel');
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toContain('cancelled');
    expect(await page.inputValue('#request')).toBe('Practitioner?name=martin');
    await context.close();
  });
});

describe.each([
  { locale: 'fr', viewport: { width: 390, height: 844 } },
  { locale: 'en', viewport: { width: 1440, height: 900 } },
  { locale: 'fr', viewport: { width: 320, height: 640 } },
])('the page in $locale at $viewport.width px', (visitor) => {
  it.each(['light', 'dark'] as const)('is accessible and fits the screen (%s)', async (colorScheme) => {
    const { page, context } = await newVisitor(on.browser, { ...visitor, colorScheme });
    const faults = async () => {
      const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      return [...(await axeViolations(page, ALL_RULES)), ...(tooWide > 0 ? [`${tooWide} px too wide`] : [])];
    };
    await openTryPage(page, on.service.issuer, 'Practitioner?name=martin&_revinclude=PractitionerRole:practitioner');
    expect(await faults()).toEqual([]);
    await signInAndSend(page);
    expect(await faults()).toEqual([]);
    await page.fill('#request', 'Practitioner?name=m');
    await page.keyboard.press('Enter');
    await answered(page, 400);
    expect(await faults()).toEqual([]);
    await page.click('.languages a');
    await page.locator(`html[lang=${visitor.locale === 'fr' ? 'en' : 'fr'}] #try:not([hidden])`).waitFor();
    expect(await page.inputValue('#request')).toBe('Practitioner?name=m');
    await context.close();
  });
});
