// SEC-32, SEC-43, SEC-44 and the headers of SEC-30, SEC-31 at the account pages: forms from elsewhere, repeated or broken.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import type { Person } from '#support/person.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

const FORM = 'application/x-www-form-urlencoded';

let service: RunningService;
/** Without a second factor, and with one. */
let plain: Person;
let careful: Person;
let app: ReturnType<typeof appOf>;
beforeAll(async () => {
  service = await startService();
  plain = (await enteredBy(service.issuer, 0)).person;
  careful = (await enteredBy(service.issuer, 1)).person;
  const page = await openAccount(careful, 1, '/account/second-factor');
  app = appOf(page);
  await careful.press(page, 'set-up', { code: app() });
});
afterAll(() => service.stop());

const tokenOn = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
const secondFactors = () => service.database('second_factors').select('account_id').orderBy('account_id');
const codesLeft = async () => (await service.database('recovery_codes').select()).length;

/** Every form of the account pages: whose it is, where it is shown and posted, and its text. */
const forms = () =>
  [
    [plain, '/account/applications', { client: 'server' }],
    [plain, '/account/second-factor', { code: '123456' }],
    [careful, '/account/second-factor/recovery-codes', { code: app(1) }],
    [careful, '/account/second-factor/remove', { code: app(1) }],
  ] as const;

describe('SEC-32 account forms', () => {
  it('without the browser’s own token change nothing, and are shown again', async () => {
    const stranger = tokenOn((await careful.visit('/account/second-factor/remove')).html);
    for (const [person, path, fields] of forms()) {
      for (const csrf of [undefined, '', 'x'.repeat(32), person === plain ? stranger : 'y']) {
        await person.visit(path);
        const body = new URLSearchParams({ ...fields, ...(csrf !== undefined && { csrf }) });
        const page = await person.visit(path, { method: 'POST', body });
        expect([path, page.status, page.html.includes('This page was out of date')]).toEqual([path, 403, true]);
      }
    }
    expect(await secondFactors()).toEqual([{ account_id: idOf(1) }]);
    expect(await codesLeft()).toBe(8);
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
  ])('from elsewhere (%j) are refused, with a way to go on', async (headers) => {
    for (const [person, path, fields] of forms()) {
      const csrf = tokenOn((await person.visit(path)).html);
      const body = new URLSearchParams({ ...fields, csrf });
      const page = await person.visit(path, { method: 'POST', body, headers });
      expect([path, page.status]).toEqual([path, 403]);
      expect(page.html).toContain('<a class="button" id="again" href="/account">');
    }
    expect(await secondFactors()).toEqual([{ account_id: idOf(1) }]);
    expect(await codesLeft()).toBe(8);
  });
});

const HOSTILE: [name: string, type: string, body: string, status: number][] = [
  ['a repeated field', FORM, 'code=1&code=2&client=a&client=b', 400],
  ['a repeated token', FORM, 'csrf=1&csrf=2&client=a', 400],
  ['JSON', 'application/json', '{"code":"1"}', 415],
  ['plain text', 'text/plain', 'code=1', 415],
  ['another encoding', `${FORM}; charset=utf-7`, 'code=1', 415],
  ['too much', FORM, `code=${'1'.repeat(9000)}`, 413],
  ['too many fields', FORM, 'a=1&'.repeat(40), 413],
  ['NUL', FORM, 'code=1%002&client=a%00b', 400],
  ['line breaks', FORM, 'code=1%0d%0aset-cookie:x=y%0d%0a2&client=a%0d%0ab', 400],
  ['inherited names', FORM, '__proto__=a&constructor=b&toString=c&client=d', 403],
];

describe('SEC-43, SEC-44 hostile forms of an account', () => {
  it.each(HOSTILE)('%s', async (_name, type, body, status) => {
    for (const [person, path] of forms()) {
      await person.visit(path);
      const page = await person.visit(path, { method: 'POST', body, headers: { 'content-type': type } });
      expect([path, page.status]).toEqual([path, status]);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(String(page.headers.get('set-cookie'))).not.toContain('x=y');
    }
  });

  it.each([
    '/ACCOUNT',
    '/Account/second-factor',
    '/account/%00',
    '/account/%ff',
    '/account/nothing',
    '/account/..%2f..%2fetc',
    '/account/second-factor/x/y',
  ])('%s is a page with 4xx', async (path) => {
    const page = await plain.visit(path);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(page.status).toBeLessThan(500);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  it('cookies that are forged, broken or long are nobody’s', async () => {
    for (const cookie of ['', 's:forged.signature', 'j:{"a":1}', '%', 'x'.repeat(4000)]) {
      const person = createPerson(service.issuer);
      person.cookies.set('hygie_account /account', cookie);
      const page = await person.visit('/account');
      expect([page.status, page.html.includes('id="sign-in"')]).toEqual([200, true]);
    }
  });
});

describe('SEC-30, SEC-31 every page of an account', () => {
  it('is never stored, never framed, runs no script but its own and sends its forms nowhere else', async () => {
    const paths = [
      '',
      '/security',
      '/applications',
      '/second-factor',
      '/second-factor/recovery-codes',
      '/second-factor/remove',
      '/signed-in?state=x',
    ];
    for (const [person, path] of paths.flatMap((path) => [plain, careful].map((person) => [person, path] as const))) {
      const { headers } = await person.visit(`/account${path}`);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      const policy = headers.get('content-security-policy');
      for (const rule of ["frame-ancestors 'none'", "form-action 'self';"]) expect(policy).toContain(rule);
      expect(policy).toMatch(/script-src ('none'|'sha256-[^ ;]+'( 'sha256-[^ ;]+')*);/);
    }
  });
});
