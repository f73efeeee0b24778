// SEC-16, SEC-26, SEC-27, SEC-49: rotation with its grace window (RFC 9700 section 4.14.2), on SQLite and, with two instances,
// on PostgreSQL. Who repeats a refresh gets the same successor; who replays a stolen token ends the family.

import { beforeEach, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openedForAll } from '#support/opened.ts';
import { type ClientKey, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { OFFLINE, refreshing } from '#support/openid/refreshing.ts';
import { discover, obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import type { Send } from '#support/send-to-port.ts';
import { SECRET, startService } from '#support/service.ts';

describe('refresh grace', () => {
  const clock = stoppableClock();
  // The grace window does not end because the machine is busy.
  beforeEach(() => clock.stop());

  describe.each(bothEngines('openid/tokens/refresh-grace'))('on %s', (engine) => {
    const shared = refreshing(engine, { instances: engine === 'postgresql' ? 2 : 1 });
    describe('SEC-26 the grace window', () => {
      const { on, rowOf, ask, obtain, search, usedAgo } = shared;

      it('the same refresh gets the same successor within seconds', async () => {
        const { refresh_token } = await obtain();
        const [first, second] = [await ask(refresh_token), await ask(refresh_token)];
        expect([first.status, second.status]).toEqual([200, 200]);
        expect(second.tokens.refresh_token).toBe(first.tokens.refresh_token);
        expect(await search(first.tokens)).toBe(200);
        expect(await search(second.tokens)).toBe(200);
        expect((await ask(first.tokens.refresh_token)).status).toBe(200);
      });

      it('8 parallel refreshes all succeed with one successor, and the session goes on', async () => {
        const { refresh_token } = await obtain();
        const family = () => on.service.database('oidc_records').select('id').where({ model: 'RefreshToken' });
        const before = (await family()).length;
        const sends = Array.from({ length: 8 }, (_, place) => (on.other && place % 2 === 1 ? on.other.send : fetch));
        const answers = await Promise.all(sends.map((send) => ask(refresh_token, {}, send)));
        expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
        expect(new Set(answers.map(({ tokens }) => tokens.refresh_token)).size).toBe(1);
        // Those that were late have stored no successor of their own.
        expect((await family()).length).toBe(before + 1);
        const renewed = await ask(answers[0]?.tokens.refresh_token ?? '');
        expect(renewed.status).toBe(200);
        for (const { tokens } of answers) expect(await search(tokens)).toBe(200);
      });

      it('who asks after the successor was refreshed itself gets the newest', async () => {
        const { refresh_token } = await obtain();
        const second = (await ask(refresh_token)).tokens.refresh_token;
        const third = (await ask(second)).tokens.refresh_token;
        expect((await ask(refresh_token)).tokens.refresh_token).toBe(third);
        expect((await ask(third)).status).toBe(200);
      });

      it('SEC-49 a successor that was lost with its instance is made again', async () => {
        const { refresh_token } = await obtain();
        const lost = (await ask(refresh_token)).tokens.refresh_token;
        await rowOf(lost).delete();
        expect((await ask(refresh_token)).tokens.refresh_token).toBe(lost);
        expect((await ask(lost)).status).toBe(200);
      });

      it('a token replayed after the window ends the family', async () => {
        const first = await obtain();
        const { tokens: second } = await ask(first.refresh_token);
        await usedAgo(first.refresh_token, 10);
        expect(await ask(first.refresh_token)).toMatchObject({ status: 400, tokens: { error: 'invalid_grant' } });
        expect((await ask(second.refresh_token)).status).toBe(400);
        expect(await search(first)).toBe(401);
        expect(await search(second)).toBe(401);
      });

      it('SEC-27 another client gets nothing; with a used token, the family ends even within the window', async () => {
        const first = await obtain();
        const asTrusted = { client_id: 'trusted' };
        expect((await ask(first.refresh_token, asTrusted)).status).toBe(400);
        const { tokens: second, status } = await ask(first.refresh_token);
        expect(status).toBe(200);
        const wrongSecret = { client_secret: 'not-the-secret' };
        expect((await ask(first.refresh_token, wrongSecret)).status).toBe(401);
        expect(await search(second)).toBe(200);
        expect((await ask(first.refresh_token, asTrusted)).status).toBe(400);
        expect((await ask(second.refresh_token)).status).toBe(400);
        expect(await search(second)).toBe(401);
      });

      it('a revoked family stays revoked within the window', async () => {
        const { refresh_token } = await obtain();
        const { tokens } = await ask(refresh_token);
        await oidc.tokenRevocation(await discover(on.service, 'server'), tokens.refresh_token);
        expect((await ask(refresh_token)).status).toBe(400);
        expect((await ask(tokens.refresh_token)).status).toBe(400);
      });

      it('introspection calls a used token inactive', async () => {
        const { refresh_token } = await obtain();
        const configuration = await discover(on.service, 'server');
        expect(await oidc.tokenIntrospection(configuration, refresh_token)).toMatchObject({ active: true });
        await ask(refresh_token);
        expect(await oidc.tokenIntrospection(configuration, refresh_token)).toEqual({ active: false });
      });

      it('SEC-16 the database holds no refresh token, and the sealed successor only as long as the window', async () => {
        const first = await obtain();
        const { tokens: second } = await ask(first.refresh_token);
        const [row] = await rowOf(first.refresh_token);
        expect(row.successor).toEqual(expect.any(String));
        const dump = JSON.stringify(await on.service.database('oidc_records'));
        expect(dump).not.toContain(first.refresh_token);
        expect(dump).not.toContain(second.refresh_token);
        await usedAgo(first.refresh_token, 100);
        expect(await openOidcRecords(on.service.database).forgetSuccessors(60)).toBeGreaterThan(0);
        expect((await rowOf(first.refresh_token))[0]).toMatchObject({ successor: null });
      });
    });

    // SEC-26, SEC-46: refresh tokens of clients that send proofs of possession (RFC 9449 section 5), on SQLite and, with two
    // instances, on PostgreSQL. Those of a public client are bound to its key; those of a client with a secret are bound to the
    // client, and each proof asks for its own access token only.
    describe('SEC-26 refresh tokens and keys', () => {
      interface Tokens {
        access_token: string;
        refresh_token: string;
        token_type: string;
        error?: string;
      }

      const { on, obtain } = shared;
      const key = newClientKey();
      const otherKey = newClientKey();

      const proved = (by: ClientKey) => proof(by, { method: 'POST', url: `${on.service.issuer}/oauth/token` });
      /** With a fresh proof of the key, or with the proof that is given, or without. */
      const refresh = async (
        client: Record<string, string>,
        token: string,
        by?: ClientKey | string,
        send: Send = fetch,
      ) => {
        const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, ...client });
        const headers: Record<string, string> = by ? { dpop: typeof by === 'string' ? by : proved(by) } : {};
        const answer = await send(`${on.service.issuer}/oauth/token`, { method: 'POST', body, headers });
        return { status: answer.status, tokens: (await answer.json()) as Tokens };
      };

      describe('of a client with a secret are not bound', () => {
        const server = { client_id: 'server', client_secret: SECRET };
        /** What the directory answers to the token with a proof of the key, or as Bearer. */
        const search = async ({ access_token }: Tokens, by?: ClientKey) => {
          const url = `${on.service.issuer}/directory/v2/Practitioner?name=martin`;
          const headers = by
            ? { authorization: `DPoP ${access_token}`, dpop: proof(by, { url, token: access_token }) }
            : { authorization: `Bearer ${access_token}` };
          return (await fetch(url, { headers })).status;
        };
        const everyKey = [key, otherKey, undefined];

        it('parallel refreshes with two keys and with none get one successor, and the session goes on', async () => {
          const { refresh_token } = await obtain();
          const sends = [fetch, on.other?.send ?? fetch];
          const asked = everyKey.flatMap((by) => sends.map((send) => ({ by, send })));
          const answers = await Promise.all(asked.map(({ by, send }) => refresh(server, refresh_token, by, send)));
          expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
          expect(new Set(answers.map(({ tokens }) => tokens.refresh_token)).size).toBe(1);
          for (const [place, { tokens }] of answers.entries()) {
            const by = asked[place]?.by;
            expect(tokens.token_type).toBe(by ? 'DPoP' : 'Bearer');
            for (const held of everyKey) expect(await search(tokens, held)).toBe(held === by ? 200 : 401);
          }
          expect((await refresh(server, answers[0]?.tokens.refresh_token ?? '', otherKey)).status).toBe(200);
        });

        it.each([
          ['a key, then another', key, otherKey],
          ['a key, then none', key, undefined],
          ['no key, then one', undefined, key],
        ])('%s: the same refresh gets the same successor, and late the newest one', async (_name, first, second) => {
          const { refresh_token } = await obtain();
          const [one, two] = [
            await refresh(server, refresh_token, first),
            await refresh(server, refresh_token, second),
          ];
          expect([one.status, two.status]).toEqual([200, 200]);
          expect(two.tokens.refresh_token).toBe(one.tokens.refresh_token);
          const newest = (await refresh(server, one.tokens.refresh_token, second)).tokens.refresh_token;
          expect((await refresh(server, refresh_token, first)).tokens.refresh_token).toBe(newest);
          expect((await refresh(server, newest, first)).status).toBe(200);
        });

        it('SEC-46 a proof that comes twice is refused, and ends nothing', async () => {
          const { refresh_token } = await obtain();
          const dpop = proved(key);
          const { tokens, status } = await refresh(server, refresh_token, dpop);
          expect(status).toBe(200);
          expect((await refresh(server, refresh_token, dpop)).status).toBe(400);
          expect(await search(tokens, key)).toBe(200);
          expect((await refresh(server, tokens.refresh_token, key)).status).toBe(200);
        });
      });

      describe('of a public client are bound to its key', () => {
        const browser = { client_id: 'browser' };
        const obtainBound = async () => {
          const verifier = oidc.randomPKCECodeVerifier();
          const code = await obtainCode(on.service, {
            ...browser,
            scope: OFFLINE,
            prompt: 'consent',
            code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          });
          const fields = { ...browser, client_secret: undefined, code_verifier: verifier };
          const answer = await redeem(on.service, code, fields, { dpop: proved(key) });
          return ((await answer.json()) as Tokens).refresh_token;
        };

        it('the same refresh with fresh proofs of the same key gets the same successor', async () => {
          const first = await obtainBound();
          const [one, two] = [await refresh(browser, first, key), await refresh(browser, first, key)];
          expect([one.status, two.status]).toEqual([200, 200]);
          expect(two.tokens.refresh_token).toBe(one.tokens.refresh_token);
        });

        it.each([
          ['another key', otherKey],
          ['no key', undefined],
        ])('%s gets nothing, and with a used token ends the family even within the window', async (_name, by) => {
          const first = await obtainBound();
          expect((await refresh(browser, first, by)).status).toBe(400);
          const { tokens, status } = await refresh(browser, first, key);
          expect(status).toBe(200);
          expect((await refresh(browser, first, by)).status).toBe(400);
          expect((await refresh(browser, tokens.refresh_token, key)).status).toBe(400);
        });
      });
    });
  });

  describe('SEC-26 without a grace window', () => {
    const service = openedForAll(() =>
      startService({
        adjust: (settings) => ({ ...settings, lifetimes: { ...settings.lifetimes, refreshTokenGrace: 0 } }),
      }),
    );

    it('any second use ends the family', async () => {
      const { tokens, configuration } = await signIn(service, {
        clientId: 'trusted',
        scope: OFFLINE,
        parameters: { prompt: 'consent' },
      });
      const next = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
      await expect(oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).rejects.toThrow();
      await expect(oidc.refreshTokenGrant(configuration, next.refresh_token ?? '')).rejects.toThrow();
    });

    it('SEC-49 a refresh whose successor found no room in the database is not done: the token works whenever there is room again', async () => {
      const { tokens, configuration } = await signIn(service, {
        clientId: 'trusted',
        scope: OFFLINE,
        parameters: { prompt: 'consent' },
      });
      await service.database.raw(
        `create trigger no_room before insert on oidc_records when new.model = 'RefreshToken' begin select raise(abort, 'no room'); end`,
      );
      await expect(oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).rejects.toThrow();
      await service.database.raw('drop trigger no_room');
      const next = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
      expect(next.refresh_token).not.toBe(tokens.refresh_token);
    });
  });
});
