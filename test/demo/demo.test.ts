// The demo without a browser: what its pages say and send (SEC-30, SEC-31), its steps with their code, what it believes of a logout token, and whose sessions it keeps.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionData } from 'express-session';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { InvalidLogoutToken, logoutTokenCheck } from '#demo/logout-token.ts';
import { en } from '#demo/messages/en.ts';
import { fr } from '#demo/messages/fr.ts';
import type { Ending } from '#demo/session.ts';
import { SessionStore } from '#demo/session.ts';
import { codeOfSteps } from '#demo/source-lines.ts';
import { demoReader, textOf } from '#support/demo/reader.ts';
import { openedForAll } from '#support/opened.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, startService } from '#support/service.ts';

describe('the pages of the demo, without a browser', () => {
  const service = openedForAll(startService);

  /** Every text of a catalogue; those with something to fill in, with a letter in its place. */
  function sentencesOf(messages: unknown): string[] {
    if (typeof messages === 'string') return [messages];
    if (typeof messages === 'function') return [String(messages('x', 'x'))];
    return Object.values(messages as object).flatMap(sentencesOf);
  }

  describe('the words of the demo', () => {
    it.each(['fr', 'en'])('name the page and the brand in the title as the service does (%s)', async (language) => {
      const text = await (await fetch(`${service.issuer}/demo/?lang=${language}`)).text();
      expect(text).toMatch(/<title>[^<]+ – Mirabelle<\/title>/);
    });

    it('call an e-mail address by one name, and nobody by a form of one sex alone', () => {
      const french = JSON.stringify(fr, (_name, value) => (typeof value === 'function' ? String(value) : value));
      expect(french).not.toMatch(/courriel|adresse électronique|·e|\b(connecté|redirigé|renvoyé)\b/i);
    });

    it('have the no-break spaces of French, and none in English', async () => {
      expect(
        sentencesOf(fr).filter((text) => /(^|[^\u00a0])[;!?»]|[^\u00a0] ?:( |$)|«(?!\u00a0)|[“”"']/.test(text)),
      ).toEqual([]);
      expect(sentencesOf(en).filter((text) => /\u00a0[:;!?]|[«»"']/.test(text))).toEqual([]);
      // In the texts of the page itself, too, and in the notes on people.
      const page = await (await fetch(`${service.issuer}/demo/?lang=fr`)).text();
      expect(page.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[^\u00a0][:;!?»](\s|$)(?<!&\w+;.)/m);
    });
  });

  describe('SEC-30, SEC-31 the demo’s headers', () => {
    it('its pages load nothing foreign and no script, cannot be framed, send no referrer', async () => {
      const { headers } = await fetch(`${service.issuer}/demo/`);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(policy).not.toContain('script-src');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('no dead end', () => {
    it.each(['no-such-page', 'steps/no-such-page', 'callback/x', 'browser'])(
      '%s is a page of the demo that leads on',
      async (path) => {
        const answer = await fetch(`${service.issuer}/demo/${path}?lang=fr`);
        const text = await answer.text();
        expect(answer.status).toBe(404);
        expect(text).toContain('<h1>Cette page n’existe pas</h1>');
        expect(text).toContain('Mirabelle</title>');
        expect(text).toMatch(/<a class="button" href="\/demo\/">Retour à l’accueil<\/a>/);
      },
    );
  });

  describe('the language of the demo', () => {
    it('never puts a code into a link', async () => {
      const text = await (await fetch(`${service.issuer}/demo/callback?code=kept-out&state=x`)).text();
      expect(text).not.toContain('kept-out');
      expect(text).toMatch(/class="language" href="[^"]*\/demo\/\?lang=/);
    });
  });

  describe('the code of the steps', () => {
    it('stands in the files, from the line that is named', () => {
      const excerpts = codeOfSteps();
      expect(excerpts).toHaveLength(7);
      for (const { file, first, text } of excerpts) {
        const lines = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n');
        const shown = text.split('\n');
        expect(shown.length).toBeGreaterThan(2);
        expect(lines.slice(first - 1, first - 1 + shown.length).map((line) => line.trim())).toEqual(
          shown.map((line) => line.trim()),
        );
      }
    });

    it('is shown beside its step, below a list of contents whose links all lead somewhere', async () => {
      const reader = await demoReader(service);
      const page = await reader.open('steps');
      const [contents = ''] = /<nav class="contents"[\s\S]*?<\/nav>/.exec(page.html) ?? [];
      const targets = [...contents.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
      expect(targets).toHaveLength(10);
      for (const id of targets) expect(page.html).toContain(`id="${id}"`);
      for (const [at, { file, first }] of codeOfSteps().entries()) {
        const [step = ''] = new RegExp(`<li id="step-${at + 1}">[\\s\\S]*?\n</li>`).exec(page.html) ?? [];
        expect(textOf({ html: step })).toContain(`Le code\u00a0: ${file}, à partir de la ligne ${first}`);
      }
    });
  });

  describe('a second factor', () => {
    const credentials = { login: DEMO_ACCOUNTS[5]?.email ?? '', password: DEMO_PASSWORD };

    /** The authorization request of a sign-in that demands a second factor. */
    async function demanded() {
      const person = createPerson(service.issuer);
      const post = { method: 'POST', headers: { origin: service.issuer }, redirect: 'manual' } as const;
      const answer = await fetch(`${service.issuer}/demo/sign-in?secondFactor=1`, post);
      person.remember(answer.headers);
      return { person, request: new URL(answer.headers.get('location') ?? '') };
    }

    it('is demanded as an essential claim, and the service asks for it', async () => {
      const { person, request } = await demanded();
      expect(JSON.parse(request.searchParams.get('claims') ?? '')).toEqual({
        id_token: { acr: { essential: true, value: 'https://refeds.org/profile/mfa' }, amr: null },
      });
      const login = await person.visit(request);
      const { html } = await person.press(login, 'sign-in', credentials);
      expect(html).toContain('otpauth:');
    });

    it('is missing if somebody took the demand out on the way: nobody is signed in', async () => {
      const { person, request } = await demanded();
      request.searchParams.delete('claims');
      const callback = await person.signIn(request, credentials);
      const { status, html } = await person.visit(callback, { headers: { 'accept-language': 'en' } });
      expect(status).toBe(400);
      expect(html).toContain('<h1>A second factor is missing</h1>');
      expect((await person.visit('/demo/steps')).status).toBe(401);
    });
  });
});

// SEC-58: strangers who begin to sign in at the demo fill no memory.
const data = { cookie: { originalMaxAge: null } } as SessionData;

function found(store: SessionStore, id: string): SessionData | null | undefined {
  let kept: SessionData | null | undefined;
  store.get(id, (_error, session) => {
    kept = session;
  });
  return kept;
}

describe('SEC-58 the sessions of the demo', () => {
  it('are so many at most: the one that was not used for the longest time goes', () => {
    const store = new SessionStore(3);
    for (const id of ['a', 'b', 'c']) store.set(id, data);
    expect(found(store, 'a')).toEqual(data);
    store.set('d', data);
    expect(['a', 'b', 'c', 'd'].filter((id) => found(store, id))).toEqual(['a', 'c', 'd']);
    store.destroy('a');
    expect(found(store, 'a')).toBeNull();
  });
});

describe('SEC-38 the sessions that a logout token names', () => {
  const signedIn = (sub: string, sid: string) =>
    ({ ...data, demoPerson: { claims: { sub, sid }, accessToken: 'token' } }) as unknown as SessionData;
  const ending = (claims: object) => ({ header: {}, claims, request: '', at: 0 }) as unknown as Ending;
  const filled = () => {
    const store = new SessionStore();
    store.set('desk', signedIn('anne', 'one'));
    store.set('phone', signedIn('anne', 'two'));
    store.set('other', signedIn('bruno', 'three'));
    return store;
  };
  const signedInTo = (store: SessionStore) => ['desk', 'phone', 'other'].filter((id) => found(store, id)?.demoPerson);

  it('end with their tokens: one by its sid, all of a person without one', () => {
    const store = filled();
    store.endSignIns(ending({ sub: 'anne', sid: 'one' }));
    expect(signedInTo(store)).toEqual(['phone', 'other']);
    expect(JSON.stringify(found(store, 'desk'))).not.toContain('token');
    store.endSignIns(ending({ sub: 'anne' }));
    expect(signedInTo(store)).toEqual(['other']);
    // A session of somebody else is not ended by its sid.
    store.endSignIns(ending({ sub: 'anne', sid: 'three' }));
    expect(signedInTo(store)).toEqual(['other']);
  });

  it('are not brought back by a request that was under way', () => {
    const store = filled();
    const read = found(store, 'desk') as SessionData;
    store.endSignIns(ending({ sub: 'anne', sid: 'one' }));
    store.set('desk', read);
    expect(signedInTo(store)).toEqual(['phone', 'other']);
    expect(found(store, 'desk')?.demoEnding).toBeDefined();
  });
});

// SEC-38 as a relying party reads it: the demo believes a logout token of the service, once, and no other (Back-Channel Logout 1.0,
// section 2.6).
describe('SEC-38 a logout token at the demo', () => {
  const ISSUER = 'https://hygie.example';
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

  let server: Server;
  let key: CryptoKey;
  let stranger: CryptoKey;
  /** Counts up, so that each token has an id of its own. */
  let made = 0;
  const makeCheck = () => {
    const { port } = server.address() as AddressInfo;
    const jwksUri = `http://127.0.0.1:${port}/jwks`;
    return logoutTokenCheck({ issuer: ISSUER, clientId: 'demo', jwksUri, algorithms: ['RS256'] });
  };

  beforeAll(async () => {
    const pair = await generateKeyPair('RS256');
    key = pair.privateKey;
    stranger = (await generateKeyPair('RS256')).privateKey;
    const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] });
    server = createServer((_req, res) => res.setHeader('content-type', 'application/json').end(jwks));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const now = () => Math.floor(Date.now() / 1000);

  /** A good token; `claims` differ from it, and undefined takes one away. */
  async function token(
    claims: Record<string, unknown> = {},
    header: object = {},
    by: CryptoKey = key,
  ): Promise<string> {
    made += 1;
    const own = {
      iss: ISSUER,
      aud: 'demo',
      iat: now(),
      exp: now() + 120,
      jti: `jti-${made}`,
      sub: 'person',
      sid: 'session',
    };
    return new SignJWT({ ...own, events: { [EVENT]: {} }, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt', ...header })
      .sign(by);
  }

  it('is taken once', async () => {
    const check = makeCheck();
    const good = await token();
    expect((await check(good)).claims).toMatchObject({ sub: 'person', sid: 'session' });
    await expect(check(good)).rejects.toThrow(new InvalidLogoutToken('it was received before'));
    // For a person, or for a session.
    expect((await check(await token({ sid: undefined }))).claims.sub).toBe('person');
    expect((await check(await token({ sub: undefined }))).claims.sid).toBe('session');
  });

  it.each<[string, () => Promise<string>]>([
    ['of another issuer', () => token({ iss: 'https://elsewhere.example' })],
    ['for another application', () => token({ aud: 'other' })],
    ['that is old, however long it says it lives', () => token({ iat: now() - 400, exp: now() + 4000 })],
    ['that has expired', () => token({ exp: now() - 60 })],
    ['without a time', () => token({ iat: undefined })],
    ['without an end', () => token({ exp: undefined })],
    ['without an id', () => token({ jti: undefined })],
    ['without an event', () => token({ events: undefined })],
    ['about another event', () => token({ events: { 'http://schemas.openid.net/event/other': {} } })],
    ['about nobody', () => token({ sub: undefined, sid: undefined })],
    ['with a nonce', () => token({ nonce: 'n' })],
    ['that is an ID token', () => token({}, { typ: 'JWT' })],
    ['signed by a stranger', () => token({}, {}, stranger)],
    ['that is none', () => Promise.resolve('a.b.c')],
  ])('%s is refused', async (_what, make) => {
    await expect(makeCheck()(await make())).rejects.toThrow(InvalidLogoutToken);
  });

  it('is not refused for good while the public keys cannot be read: the service sends it again', async () => {
    const jwksUri = 'http://127.0.0.1:9/jwks';
    const check = logoutTokenCheck({ issuer: ISSUER, clientId: 'demo', jwksUri, algorithms: ['RS256'] });
    await expect(check(await token())).rejects.not.toThrow(InvalidLogoutToken);
  });
});
