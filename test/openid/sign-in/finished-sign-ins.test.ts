// Coming back to the page of a sign-in that has ended, by Back, a reload or a bookmark: what is said is true, and there is a way on.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { CALLBACK, type RunningService, startService } from '#support/service.ts';

let service: RunningService;
let person: Person;
/** The page on which the person signed in, and the one on which they agreed. */
let signedInAt: string;
let agreedAt: string;

const open = async (visitor: Person): Promise<Visit> => visitor.visit(await authorizationUrl(service));
const titleOf = ({ html }: Visit) => /<h1>([^<]*)<\/h1>/.exec(html)?.[1];
const linksOf = ({ html }: Visit) =>
  [...html.matchAll(/<a class="button[^"]*" id="([^"]+)" href="([^"]+)"/g)].map(([, id, href]) => `${id} ${href}`);
const HOME_OF_APPLICATION = `application ${new URL(CALLBACK).origin}/`;

beforeAll(async () => {
  service = await startService();
  person = createPerson(service.issuer);
  const asked = await open(person);
  signedInAt = asked.url;
  const consent = await person.press(asked, 'sign-in', CREDENTIALS);
  agreedAt = consent.url;
  expect((await person.press(consent, 'allow')).left?.searchParams.get('code')).toBeTruthy();
});
afterAll(() => service.stop());

describe('the page of a sign-in that has ended', () => {
  it('says that the person is signed in, and leads to the application and to the account', async () => {
    for (const address of [signedInAt, agreedAt, `${agreedAt}/consent`]) {
      const back = await person.visit(address);
      expect([back.status, titleOf(back)]).toEqual([200, 'Votre session est ouverte']);
      expect(linksOf(back)).toEqual([HOME_OF_APPLICATION, 'account /account']);
      expect(back.html).not.toMatch(/expiré|transmise/);
      expect(back.headers.get('cache-control')).toBe('no-store');
    }
    expect(titleOf(await person.visit(`${agreedAt}?lang=en`))).toBe('You are signed in');
    await person.visit(`${agreedAt}?lang=fr`);
  });

  it('SEC-35 SEC-62 says nothing of it in another browser, nor by a cookie of another sign-in', async () => {
    const stranger = createPerson(service.issuer);
    const expired = await stranger.visit(agreedAt);
    expect([expired.status, titleOf(expired), linksOf(expired)]).toEqual([400, 'Cette page a expiré', ['home /']]);
    const other = await open(stranger);
    const pathOf = (address: string) => new URL(address).pathname;
    const kept = [...person.cookies].find(([key]) => key === `hygie_finished ${pathOf(agreedAt)}`)?.[1] ?? '';
    expect(kept).not.toContain('server');
    stranger.cookies.set(`hygie_finished ${pathOf(signedInAt)}`, kept);
    expect(titleOf(await stranger.visit(signedInAt))).toBe('Cette page a expiré');
    expect(titleOf(await stranger.visit(other.url))).toBe('Connexion');
  });

  it('SEC-03 leads to no address of the request: only to what is registered for the application', async () => {
    const back = await person.visit(`${agreedAt}?redirect_uri=https://evil.example/&client_uri=https://evil.example/`);
    expect(linksOf(back)[0]).toBe(HOME_OF_APPLICATION);
    expect(back.html.replaceAll(/lang=[^"]*/g, '')).not.toContain('evil.example');
  });

  it('names the application to which the person refused access, or did not sign in', async () => {
    const visitor = createPerson(service.issuer);
    const asked = await open(visitor);
    expect((await visitor.press(asked, 'cancel')).left?.searchParams.get('error')).toBe('access_denied');
    const cancelled = await visitor.visit(asked.url);
    expect(cancelled.html).toContain('Vous n’avez pas ouvert de session pour ');
    const consent = await person.visit(await authorizationUrl(service, { prompt: 'consent' }));
    expect((await person.press(consent, 'refuse')).left?.searchParams.get('error')).toBe('access_denied');
    const refused = await person.visit(consent.url);
    expect(refused.html).toContain('Vous avez refusé l’accès à ');
    for (const page of [cancelled, refused]) {
      expect([page.status, titleOf(page)]).toEqual([200, 'Connexion annulée']);
      expect(linksOf(page)[0]).toBe(HOME_OF_APPLICATION);
    }
  });

  it('no longer says so once the session has ended, and still knows the application', async () => {
    const question = await person.visit('/logout');
    const out = await person.press(question, 'sign-out', { logout: 'yes' });
    expect([titleOf(out), linksOf(out)]).toEqual(['Votre session est fermée', ['account /account']]);
    const back = await person.visit(agreedAt);
    expect([back.status, titleOf(back), linksOf(back)]).toEqual([400, 'Cette page a expiré', [HOME_OF_APPLICATION]]);
  });
});

describe('what is asked for at the root of the host', () => {
  it.each([
    ['/favicon.ico', 'image/svg+xml', /^<svg .*#0b5f6b/s],
    ['/robots.txt', 'text/plain', /^User-agent: \*\nAllow: \/\$\nAllow: \/directory\/docs\$\nDisallow: \/\n$/],
  ])('%s is answered, and may be kept', async (path, type, content) => {
    const answer = await fetch(service.issuer + path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=86400']);
    expect(answer.headers.get('content-type')).toContain(type);
    expect(await answer.text()).toMatch(content);
  });

  it('search engines may show the home page and the reference, and no other page', async () => {
    const isHidden = async (path: string) => (await person.visit(path)).html.includes('content="noindex"');
    expect(await Promise.all(['/', '/directory/docs', '/logout'].map(isHidden))).toEqual([false, false, true]);
  });
});
