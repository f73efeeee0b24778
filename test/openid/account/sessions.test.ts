// The page with a person's sessions, against the running service: what it shows, and who can end what (SEC-32, SEC-55).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { credentialsOf, enteredBy, idOf } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A browser that sends this User-Agent. */
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
const userinfo = async (token: string) =>
  (await fetch(`${service.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('the sessions of a person', () => {
  it('each with device, times, way and applications, silent sign-ons later too; of a former release, without a device', async () => {
    const { person: other, lives } = await elsewhere(0);
    expect(await lives()).toBe(true);
    await other.visit(authorizationUrl(service, { client_id: 'narrow', scope: 'openid' }));
    const { person } = await enteredBy(service.issuer, 0);
    const page = await person.visit('/account/sessions');
    const [own, phone] = cards(page);
    expect(own).toContain('id="current-session"');
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
    const done = await person.press(await person.visit('/account/sessions'), `end-${ofSecond}`);
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

  it('the own session leads to the question before a sign-out', async () => {
    await elsewhere(5);
    const [first] = await uidsOf(5);
    const { person } = await enteredBy(service.issuer, 5);
    const page = await person.visit('/account/sessions');
    const own = (await uidsOf(5)).find((uid) => uid !== first);
    const answer = await person.press(page, endButtons(page)[0] ?? '', { session: own ?? '' });
    expect(new URL(answer.url).pathname).toBe('/logout');
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
