// SEC-55: whatever ends all sessions of an account ends them for good, also where requests that have read them are under way: on both
// engines, with two instances on PostgreSQL. And limits.sessionsPerAccount.

import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { bothEngines } from '#support/both-engines.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { openedForAll } from '#support/opened.ts';
import { enteredBy } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, SEARCH, signIn, statusWith } from '#support/openid/relying-party.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson, type Person } from '#support/person.ts';
import { CALLBACK, DEMO_ACCOUNTS, DEMO_PASSWORD, SECRET, startService } from '#support/service.ts';

const idOf = (index: number) => DEMO_ACCOUNTS[index]?.id ?? '';
const credentialsOf = (index: number) => ({ login: DEMO_ACCOUNTS[index]?.email ?? '', password: DEMO_PASSWORD });
const LIMIT = 4;
const OFFLINE = 'openid offline_access PRACTITIONER_READ';

describe.each(bothEngines('openid/sessions/sessions-not-before'))('SEC-55 on %s', (engine) => {
  const service = openedForAll(() =>
    startService({
      engine,
      adjust: (settings) => ({ ...settings, limits: { ...settings.limits, sessionsPerAccount: LIMIT } }),
    }),
  );
  const other = openedForAll(() => startSecondInstance(service));

  const accounts = () => openAccounts(service.database);
  const search = (token: string) => statusWith(service, token, SEARCH);
  const signInOffline = (person: Person, index: number) =>
    signIn(service, {
      person,
      clientId: 'trusted',
      scope: OFFLINE,
      parameters: { prompt: 'consent' },
      credentials: credentialsOf(index),
    });
  /** A silent sign-on at one of the instances; the code, if there was one. */
  const silently = async (person: Person, at: number): Promise<string | undefined> => {
    const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
    const url = authorizationUrl(service, { client_id: 'trusted', prompt: 'none' });
    const answer =
      at % 2 && engine === 'postgresql'
        ? await other.send(url, { headers: { cookie } })
        : await fetch(url, { headers: { cookie }, redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? service.issuer).searchParams.get('code') ?? undefined;
  };
  const redeem = (code: string) =>
    fetch(`${service.issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        client_id: 'trusted',
        client_secret: SECRET,
      }),
    });

  /** Where it is done by another connection in this process, SQLite would hold up all of it: there the person does it. */
  const CHANGES: Record<string, (index: number, own: Person) => Promise<unknown>> = {
    'the person, elsewhere': async (_index, own) =>
      own.press(await own.visit('/account/sessions/others'), 'end-sessions'),
    ...(engine === 'postgresql' && {
      'a new password': async (index: number) =>
        accounts().setPassword(idOf(index), await hashSecret(DEMO_PASSWORD, LOW_COST)),
      'disabling and enabling': async (index: number) => {
        await accounts().update(idOf(index), { status: 'disabled' });
        await accounts().update(idOf(index), { status: 'active' });
      },
    }),
  };

  it.each(Object.keys(CHANGES))(
    '%s, raced by silent sign-ons at two instances: no session, code or token lives on',
    async (how) => {
      for (let round = 0; round < 2; round += 1) {
        const { person: own } = await enteredBy(service.issuer, round);
        const person = createPerson(service.issuer);
        const { tokens, configuration } = await signInOffline(person, round);
        const racing = Array.from({ length: 12 }, (_, index) => silently(person, index));
        const refreshing = oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '').catch(() => undefined);
        await CHANGES[how]?.(round, own);
        const codes = (await Promise.all(racing)).filter((code) => code !== undefined);
        const refreshed = await refreshing;
        for (const code of codes) expect((await redeem(code)).status).toBe(400);
        expect([await silently(person, 0), await silently(person, 1)]).toEqual([undefined, undefined]);
        for (const token of [tokens, refreshed]) {
          if (!token) continue;
          expect(await search(token.access_token)).toBe(401);
          await expect(oidc.refreshTokenGrant(configuration, token.refresh_token ?? '')).rejects.toThrow();
        }
      }
    },
  );

  it('SEC-33 what was opened with a copy of the session that stays ends with the others, raced by whoever has the copy', async () => {
    for (let round = 2; round < 4; round += 1) {
      const { person: own } = await enteredBy(service.issuer, round);
      const page = await own.visit('/account/sessions/others');
      // All cookies, those of the account pages among them, after the fresh sign-in.
      const thief = createPerson(service.issuer);
      for (const [name, value] of own.cookies) thief.cookies.set(name, value);
      const { tokens, configuration } = await signInOffline(thief, round);
      expect((await thief.visit('/account')).html).toContain('id="sign-out"');
      const racing = Array.from({ length: 8 }, (_, index) => silently(thief, index));
      const pages = Array.from({ length: 3 }, () => thief.visit('/account/security'));
      const refreshing = oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '').catch(() => undefined);
      const [done] = await Promise.all([own.press(page, 'end-sessions'), ...pages]);
      for (const code of await Promise.all(racing)) if (code) expect((await redeem(code)).status).toBe(400);
      const refreshed = await refreshing;
      for (const token of [tokens, refreshed]) {
        if (!token) continue;
        expect(await search(token.access_token)).toBe(401);
        await expect(oidc.refreshTokenGrant(configuration, token.refresh_token ?? '')).rejects.toThrow();
      }
      expect([await silently(thief, 0), await silently(thief, 1)]).toEqual([undefined, undefined]);
      expect((await thief.visit('/account')).html).toContain('id="sign-in"');
      // The person goes on, without a sign-in.
      expect(done.html).toContain('id="done"');
      expect((await own.visit('/account/security')).html).toContain('id="sign-out"');
      expect(await silently(own, 0)).toBeDefined();
    }
  });

  it('SEC-33 two browsers with one session sign out everywhere else at the same time: one of them goes on', async () => {
    const { person: own } = await enteredBy(service.issuer, 4);
    const page = await own.visit('/account/sessions/others');
    const thief = createPerson(service.issuer);
    for (const [name, value] of own.cookies) thief.cookies.set(name, value);
    await Promise.all([own, thief].map((one) => one.press(page, 'end-sessions')));
    const lives = await Promise.all([own, thief].map(async (one) => (await silently(one, 0)) !== undefined));
    expect(lives.sort()).toEqual([false, true]);
  });

  it('one session that the person ends from another, raced by silent sign-ons at two instances, is gone with all it gave', async () => {
    for (let round = 0; round < 2; round += 1) {
      const person = createPerson(service.issuer);
      const { tokens } = await signIn(service, { person, clientId: 'trusted', credentials: credentialsOf(9) });
      const { person: own } = await enteredBy(service.issuer, 9);
      const page = await own.visit('/account/sessions');
      // The only one that opened an application: sessions of the round before are on the page as well.
      const opened = await service.database('oidc_records').where({ model: 'Session', account_id: idOf(9) });
      const button = `end-${opened.find(({ payload }) => payload.includes('"trusted"'))?.uid}`;
      const racing = Array.from({ length: 12 }, (_, index) => silently(person, index));
      const [ended] = await Promise.all([own.press(page, button), ...racing]);
      expect(ended.html).toContain('id="done"');
      for (const code of await Promise.all(racing)) if (code) expect((await redeem(code)).status).toBe(400);
      expect([await silently(person, 0), await silently(person, 1)]).toEqual([undefined, undefined]);
      expect(await search(tokens.access_token)).toBe(401);
    }
  });

  it('what a request writes back after the end does not count: rows put back as they were', async () => {
    const person = createPerson(service.issuer);
    const { tokens, configuration } = await signInOffline(person, 5);
    expect(await search(tokens.access_token)).toBe(200);
    const code = (await silently(person, 0)) ?? '';
    const rows = await service.database('oidc_records').where({ account_id: idOf(5) });
    await accounts().endSessions([idOf(5)]);
    await service
      .database('oidc_records')
      .where({ account_id: idOf(5) })
      .delete();
    await service.database('oidc_records').insert(rows);
    expect(await search(tokens.access_token)).toBe(401);
    expect(await statusWith(service, tokens.access_token)).toBe(401);
    expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toEqual({ active: false });
    expect(await oidc.tokenIntrospection(configuration, tokens.refresh_token ?? '')).toEqual({ active: false });
    await expect(oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).rejects.toThrow();
    expect((await redeem(code)).status).toBe(400);
    expect([await silently(person, 0), await silently(person, 1)]).toEqual([undefined, undefined]);
  });

  it('a sign-in whose password was checked before the change is void, one after it is good, in the same second', async () => {
    const store = accounts();
    const [before] = [(await store.find(idOf(6)))?.sessionsNotBefore];
    const times: number[] = [];
    for (let changes = 0; changes < 3; changes += 1) {
      await store.endSessions([idOf(6)]);
      times.push((await store.find(idOf(6)))?.sessionsNotBefore ?? 0);
    }
    expect(before).toBeUndefined();
    expect(new Set(times).size).toBe(3);
    const { tokens } = await signIn(service, { person: createPerson(service.issuer), credentials: credentialsOf(6) });
    expect(await search(tokens.access_token)).toBe(200);
    await store.endSessions([idOf(6)]);
    expect(await search(tokens.access_token)).toBe(401);
  });

  it('the kept session goes on with what it gave, refresh tokens too, and ends with the next change elsewhere', async () => {
    const person = createPerson(service.issuer);
    const { tokens, configuration } = await signInOffline(person, 7);
    const { uid } = await service
      .database('oidc_records')
      .where({ model: 'Session', account_id: idOf(7) })
      .first();
    expect(await accounts().endSessions([idOf(7)], uid)).toMatchObject({ sessions: 0 });
    expect(await search(tokens.access_token)).toBe(200);
    const refreshed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(await silently(person, 1)).toBeDefined();
    await accounts().endSessions([idOf(7)]);
    expect(await search(refreshed.access_token)).toBe(401);
    expect(await silently(person, 0)).toBeUndefined();
  });

  it('limits.sessionsPerAccount: the oldest end; of parallel sign-ins at two instances no more than the limit stay', async () => {
    const first = await signIn(service, { person: createPerson(service.issuer), credentials: credentialsOf(8) });
    const sessions = () => service.database('oidc_records').where({ model: 'Session', account_id: idOf(8) });
    // A minute ago: those of one second have no order.
    const [row] = await sessions();
    const payload = JSON.parse(row.payload);
    const aged = JSON.stringify({ ...payload, loginTs: payload.loginTs - 60 });
    await sessions().where({ id: row.id }).update({ payload: aged });
    await Promise.all(
      Array.from({ length: LIMIT + 2 }, (_, index) => {
        const person = createPerson(service.issuer, index % 2 ? other.send : undefined);
        return person.signIn(authorizationUrl(service), credentialsOf(8));
      }),
    );
    expect(await sessions()).toHaveLength(LIMIT);
    expect(await statusWith(service, first.tokens.access_token)).toBe(401);
  });
});
