// Pages of an account: the sessions of a person, what is shown of them and who can end what (SEC-32, SEC-55), and forms that others would send in the person’s name.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { appOf, credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, signIn, statusWith } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';

describe('sessions and devices', () => {
  withService();
  beforeAll(() => resetService(service));

  const SAFARI =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

  const browserOf = (userAgent: string) =>
    createPerson(service.issuer, (url, init) =>
      fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, 'user-agent': userAgent } }),
    );
  /** Signs in at an application, with a browser of another kind. */
  const elsewhere = async (index: number, parameters: Record<string, string> = {}, scope = 'openid email') => {
    const person = browserOf(SAFARI);
    const credentials = credentialsOf(index);
    const { tokens } = await signIn(service, { person, credentials, clientId: 'trusted', scope, parameters });
    const lives = async () =>
      (await person.visit(authorizationUrl(service, { client_id: 'trusted', prompt: 'none' }))).left?.searchParams.has(
        'code',
      );
    return { person, tokens, lives };
  };
  /** Public identifiers of the sessions of a person. */
  const uidsOf = async (index: number) =>
    (await openOidcRecords(service.database).liveSessionsOf(idOf(index))).map(({ uid = '' }) => uid);
  const endButtons = ({ html }: Visit) => [...html.matchAll(/id="(end-[\w-]{20,})"/g)].map(([, id]) => id ?? '');
  const cards = ({ html }: Visit) => html.match(/<li class="box session"[\s\S]*?<\/li>/g) ?? [];
  /** What tells the current session from the others: two marks, and no button that ends it. */
  const marksOf = (page: Visit) =>
    cards(page).map((card) =>
      ['id="current-session"', 'class="current"', 'id="end-'].filter((it) => card.includes(it)),
    );
  const [CURRENT, OTHER] = [['id="current-session"', 'class="current"'], ['id="end-']];
  const userinfo = (token: string) => statusWith(service, token);

  describe('the sessions of a person', () => {
    it('each with device, times, way and applications, silent sign-ons later too; of a former release, without a device', async () => {
      const { person: other, lives } = await elsewhere(0);
      expect(await lives()).toBe(true);
      await other.visit(authorizationUrl(service, { client_id: 'narrow', scope: 'openid' }));
      const { person } = await enteredBy(service.issuer, 0);
      const page = await person.visit('/account/sessions');
      const [own, phone] = cards(page);
      expect(marksOf(page)).toEqual([CURRENT, OTHER]);
      expect(own).toContain('Unknown device');
      expect(phone).toContain('Safari on iOS');
      expect(phone).toContain('Application de confiance');
      expect(phone).toMatch(/Signed in with<\/dt><dd>password</);
      expect(phone?.match(/<time datetime="/g)).toHaveLength(2);
      // Only families of browser and system are kept.
      expect(JSON.stringify(await service.database('oidc_records').where({ account_id: idOf(0) }))).not.toContain(
        '604.1',
      );
    });

    it('SEC-55 one ends from another with what it gave, and is recorded; access for longer stays as at a sign-out', async () => {
      const first = await elsewhere(1, { prompt: 'consent' }, 'openid offline_access');
      const [ofFirst = ''] = await uidsOf(1);
      const second = await elsewhere(1);
      const ofSecond = (await uidsOf(1)).find((uid) => uid !== ofFirst);
      const third = await elsewhere(1);
      const { person } = await enteredBy(service.issuer, 1);
      const page = await person.visit('/account/sessions');
      expect(marksOf(page)).toEqual([CURRENT, OTHER, OTHER, OTHER]);
      const done = await person.press(page, `end-${ofSecond}`);
      expect([done.url, done.html.includes('id="done"')]).toEqual([`${service.issuer}/account/sessions`, true]);
      expect([await second.lives(), await userinfo(second.tokens.access_token)]).toEqual([false, 401]);
      expect([await first.lives(), await third.lives()]).toEqual([true, true]);
      expect(await userinfo(third.tokens.access_token)).toBe(200);
      const [record] = await openAuditEvents(service.database).search({
        limit: 1,
        events: ['session.ended'],
        account: idOf(1),
      });
      expect(record).toMatchObject({
        actor: `account:${idOf(1)}`,
        details: { device: 'Safari, iOS', applications: ['Application de confiance'] },
      });
      expect((await person.press(await person.visit('/account/sessions'), `end-${ofFirst}`)).status).toBe(200);
      expect(await first.lives()).toBe(false);
      expect(await userinfo(first.tokens.access_token)).toBe(200);
    });

    it('SEC-55 never a session of somebody else, nor one that is gone: 404, and it lives on', async () => {
      const victim = await elsewhere(2);
      const [uid = ''] = await uidsOf(2);
      await elsewhere(3);
      const { person } = await enteredBy(service.issuer, 3);
      const page = await person.visit('/account/sessions');
      for (const session of [uid, 'of-nobody', '']) {
        const answer = await person.press(page, endButtons(page)[0] ?? '', { session });
        expect([answer.status, answer.html.includes('id="problem"')]).toEqual([404, true]);
      }
      expect([await victim.lives(), await userinfo(victim.tokens.access_token)]).toEqual([true, 200]);
    });

    it('SEC-32 a form of another browser ends nothing', async () => {
      const other = await elsewhere(4);
      const { person } = await enteredBy(service.issuer, 4);
      const page = await person.visit('/account/sessions');
      expect((await person.press(page, endButtons(page)[0] ?? '', { csrf: 'x' })).status).toBe(403);
      expect(await other.lives()).toBe(true);
    });

    it('the own session is signed out at once, with the way back', async () => {
      await elsewhere(5);
      const [first] = await uidsOf(5);
      const { person } = await enteredBy(service.issuer, 5);
      const page = await person.visit('/account/sessions');
      const own = (await uidsOf(5)).find((uid) => uid !== first);
      const answer = await person.press(page, endButtons(page)[0] ?? '', { session: own ?? '' });
      expect(new URL(answer.url).pathname).toBe('/logout/success');
      expect(await uidsOf(5)).toEqual([first]);
      expect((await person.visit('/account')).html).toContain('id="sign-in"');
    });
  });

  describe('a sign-in from a new device', () => {
    const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const noticed = async () => {
      const search = { limit: 10, events: ['sign-in.new-device'] as const, account: idOf(6) };
      return (await openAuditEvents(service.database).search(search)).map(({ details }) => details?.['device']);
    };
    const enter = async (person: Person) => {
      const page = await person.visit(authorizationUrl(service, { client_id: 'trusted', prompt: 'login' }));
      expect((await person.press(page, 'sign-in', credentialsOf(6))).left).toBeDefined();
    };

    it('is recorded when neither this browser nor one of its kind was there before, and never of the first sign-in', async () => {
      await enter(browserOf(SAFARI));
      // Another phone of this kind, or the same one without its cookies.
      await enter(browserOf(SAFARI));
      expect(await noticed()).toEqual([]);
      const computer = browserOf(FIREFOX);
      await enter(computer);
      await enter(computer);
      await enter(browserOf(FIREFOX));
      expect(await noticed()).toEqual(['Firefox, Linux']);
      // The browser is known, whatever it calls itself.
      let userAgent = SAFARI.replace('iPhone', 'iPad');
      const changing = createPerson(service.issuer, (url, init) =>
        fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, 'user-agent': userAgent } }),
      );
      await enter(changing);
      userAgent = FIREFOX.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64');
      await enter(changing);
      expect(await noticed()).toEqual(['Firefox, Linux']);
      await enter(browserOf('of nobody (knows)'));
      expect(await noticed()).toEqual(['Firefox, Linux', undefined]);
    });
  });
});

// SEC-32, SEC-43, SEC-44 and the headers of SEC-30, SEC-31 at the account pages: forms from elsewhere, repeated or broken.
describe('hostile forms', () => {
  withService();

  beforeAll(() => resetService(service));

  const FORM = 'application/x-www-form-urlencoded';
  /** Without a second factor, and with one. */
  let plain: Person;
  let careful: Person;
  let app: ReturnType<typeof appOf>;
  beforeAll(async () => {
    plain = (await enteredBy(service.issuer, 0)).person;
    careful = (await enteredBy(service.issuer, 1)).person;
    const page = await openAccount(careful, 1, '/account/second-factor');
    app = appOf(page);
    await careful.press(page, 'set-up', { code: app() });
  });

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

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
  ])('SEC-32 account forms from elsewhere (%j) are refused, with a way to go on', async (headers) => {
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

  const HOSTILE: [name: string, type: string, body: string, status: number][] = [
    ['a repeated field', FORM, 'code=1&code=2&client=a&client=b', 400],
    ['JSON', 'application/json', '{"code":"1"}', 415],
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

  it('SEC-30, SEC-31 every page of an account is never stored, never framed, runs no script but its own and sends its forms nowhere else', async () => {
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
