// SEC-26, SEC-46: refresh tokens of clients that send proofs of possession (RFC 9449 section 5), on SQLite and, with two
// instances, on PostgreSQL. Those of a public client are bound to its key; those of a client with a secret are bound to the
// client, and each proof asks for its own access token only.

import { beforeEach, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { ENGINES } from '#support/databases.ts';
import { type ClientKey, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { OFFLINE, refreshing } from '#support/openid/refreshing.ts';
import { obtainCode, redeem } from '#support/openid/relying-party.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import type { Send } from '#support/send-to-port.ts';
import { SECRET } from '#support/service.ts';

interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  error?: string;
}

const clock = stoppableClock();
// The grace window does not end because the machine is busy.
beforeEach(() => clock.stop());

describe.each(ENGINES)('SEC-26 refresh tokens and keys on %s', (engine) => {
  const instances = engine === 'postgresql' ? 2 : 1;
  const { on, obtain, usedAgo } = refreshing(engine, { instances });
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
      const [one, two] = [await refresh(server, refresh_token, first), await refresh(server, refresh_token, second)];
      expect([one.status, two.status]).toEqual([200, 200]);
      expect(two.tokens.refresh_token).toBe(one.tokens.refresh_token);
      const newest = (await refresh(server, one.tokens.refresh_token, second)).tokens.refresh_token;
      expect((await refresh(server, refresh_token, first)).tokens.refresh_token).toBe(newest);
      expect((await refresh(server, newest, first)).status).toBe(200);
    });

    it('a token replayed after the window ends the family, whatever the key', async () => {
      for (const by of everyKey) {
        const { refresh_token } = await obtain();
        const { tokens } = await refresh(server, refresh_token, key);
        await usedAgo(refresh_token, 10);
        expect(await refresh(server, refresh_token, by)).toMatchObject({
          status: 400,
          tokens: { error: 'invalid_grant' },
        });
        expect((await refresh(server, tokens.refresh_token, key)).status).toBe(400);
        expect(await search(tokens, key)).toBe(401);
      }
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

    it('SEC-27 another client with the same key ends the family, within the window too', async () => {
      const { refresh_token } = await obtain();
      const { tokens, status } = await refresh(server, refresh_token, key);
      expect(status).toBe(200);
      expect((await refresh({ ...server, client_id: 'trusted' }, refresh_token, key)).status).toBe(400);
      expect((await refresh(server, tokens.refresh_token, key)).status).toBe(400);
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
