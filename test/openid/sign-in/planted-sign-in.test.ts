// SEC-33, SEC-35: whoever has the cookies with which a sign-in began, because it began in their browser or on a shared computer, has
// nothing of what another person then types.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ENGINES } from '#support/databases.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';

const OTHERS_CREDENTIALS = { ...CREDENTIALS, login: DEMO_ACCOUNTS[1]?.email ?? '' };

const resumePath = ({ url }: Visit) => `/authorize/${new URL(url).pathname.split('/')[2]}`;

function copyOf(person: Person, origin: string): Person {
  const copy = createPerson(origin);
  for (const [key, value] of person.cookies) copy.cookies.set(key, value);
  return copy;
}

describe.each(ENGINES)('a sign-in of which somebody else has the cookies, on %s', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it.each([
    ['before the person comes back', 'before'],
    ['at the same time', 'meanwhile'],
  ])('SEC-33 is not taken up by them %s', async (_when, when) => {
    let thief: Person | undefined;
    let stolen: Promise<Visit> | undefined;
    const person = createPerson(service.issuer, async (url, init) => {
      if (url.pathname.startsWith('/authorize/')) {
        stolen = thief?.visit(url.pathname);
        if (when === 'before') await stolen;
      }
      return fetch(url, { ...init, redirect: 'manual' });
    });
    const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
    thief = copyOf(person, service.issuer);
    // As often as they like, before: nothing is used up.
    for (let tries = 0; tries < 3; tries += 1) expect((await thief.visit(resumePath(login))).status).toBe(400);
    const answer = await person.press(login, 'sign-in', CREDENTIALS);
    const { status, left } = (await stolen) ?? {};
    expect([status, left]).toEqual([400, undefined]);
    expect([...thief.cookies.keys()].filter((key) => key.startsWith('hygie_session'))).toEqual([]);
    expect(answer.left?.searchParams.has('code')).toBe(true);
  });

  it('SEC-33 nor by asking for another account in the meantime', async () => {
    let thief: Person | undefined;
    let stolen: Visit | undefined;
    const person = createPerson(service.issuer, async (url, init) => {
      if (thief && url.pathname.startsWith('/authorize/')) {
        const page = await thief.visit(url.pathname.replace('authorize', 'interaction'));
        const form = { ...page, html: page.html.replaceAll('/login"', '/other-account"') };
        await thief.press(form, 'sign-in');
        stolen = await thief.visit(url.pathname);
      }
      return fetch(url, { ...init, redirect: 'manual' });
    });
    const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
    thief = copyOf(person, service.issuer);
    await person.press(login, 'sign-in', CREDENTIALS);
    expect(stolen?.left).toBeUndefined();
    expect([...thief.cookies.keys()].filter((key) => /^hygie_(session|signed_in)/.test(key))).toEqual([]);
  });

  it('SEC-33 nor does the person come to the account that they sign in to at that moment', async () => {
    let thief: Person | undefined;
    const person = createPerson(service.issuer, async (url, init) => {
      if (url.pathname.startsWith('/authorize/') && thief) {
        const page = await thief.visit(url.pathname.replace('authorize', 'interaction'));
        expect((await thief.press(page, 'sign-in', OTHERS_CREDENTIALS)).left?.searchParams.has('code')).toBe(true);
      }
      return fetch(url, { ...init, redirect: 'manual' });
    });
    const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
    thief = copyOf(person, service.issuer);
    const { status, left } = await person.press(login, 'sign-in', CREDENTIALS);
    expect([status, left]).toEqual([400, undefined]);
    expect(person.cookies.has('hygie_session /')).toBe(false);
  });

  it('SEC-55 is taken up once, also by two requests of the right browser at the same time', async () => {
    const rounds = Number(process.env['RACE_ROUNDS'] ?? 10);
    const codes: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      let twin: Promise<Response> | undefined;
      const person = createPerson(service.issuer, (url, init) => {
        const send = () => fetch(url, { ...init, redirect: 'manual' });
        if (url.pathname.startsWith('/authorize/')) twin = send();
        return send();
      });
      const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
      const { left } = await person.press(login, 'sign-in', CREDENTIALS);
      const answers = [left?.href, (await twin)?.headers.get('location')];
      codes.push(answers.filter((address) => address?.includes('code=')).length);
    }
    expect(codes).toEqual(codes.map(() => 1));
  });
});
