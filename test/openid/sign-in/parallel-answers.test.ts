// SEC-55: what people answer in two windows at the same time, or while it is taken back: both answers count, and nothing that was
// ended is stored again.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { openConsents, revokeConsent } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { cookiesOf, isAlive, signOnSilently, tokensFor } from '#support/openid/silent-sign-on.ts';
import { createPerson } from '#support/person.ts';
import { ALL_SCOPES, DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';

describe('parallel answers', () => {
  const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 5);
  const ACCOUNT = DEMO_ACCOUNTS[0]?.id ?? '';
  const clientId = 'server';

  describe.each(bothEngines('openid/sign-in/parallel-answers'))('answers at the same time on %s', (engine) => {
    const service = openedForAll(() => startService({ engine }));
    beforeAll(async () => {
      await tokensFor(service, { clientId, code: 'warm-up' });
    });

    const signedInElsewhere = async () => {
      const person = createPerson(service.issuer);
      await signIn(service, { person, clientId: 'trusted', scope: 'openid' });
      return person;
    };
    const stored = openStored(() => service);

    it('SEC-55 two windows of one application are both allowed, and both codes give tokens that live', async () => {
      const scopes = ['openid email PRACTITIONER_READ', 'openid profile PRACTITIONER_READ'];
      for (let round = 0; round < ROUNDS; round += 1) {
        const person = await signedInElsewhere();
        const windows = [];
        for (const scope of scopes) windows.push(await person.visit(authorizationUrl(service, { scope })));
        const answers = await Promise.all(windows.map((page) => person.press(page, 'allow')));
        // An answer changes the session's id: one that was on its way with the old cookie is refused, its consent given.
        const refused = answers.filter(({ left }) => !left).length;
        for (const [place, { left }] of answers.entries()) {
          if (!left) answers[place] = await person.visit(authorizationUrl(service, { scope: scopes[place] ?? '' }));
        }
        const codes = answers.map(({ left }) => left?.searchParams.get('code') ?? 'none');
        const tokens = await Promise.all(codes.map((code) => tokensFor(service, { clientId, code })));
        const alive = await Promise.all(tokens.map((one) => one && isAlive(service, one.access_token)));
        expect(alive).toEqual([true, true]);
        // Nothing hangs on the grant of one that was refused.
        expect(await stored.grantsOf(clientId)).toBeLessThanOrEqual(1 + refused);
        expect(new Set(await stored.consents.find(ACCOUNT, clientId, 60))).toEqual(
          new Set(['openid', 'email', 'profile', 'PRACTITIONER_READ']),
        );
        await stored.forget();
      }
    });

    it('SEC-55 a consent that is withdrawn during a silent sign-on leaves no grant and no token', async () => {
      const found = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await stored.consents.give(ACCOUNT, clientId, ALL_SCOPES.split(' '), 60);
        const person = await signedInElsewhere();
        const [answer] = await Promise.all([
          signOnSilently(service, clientId, cookiesOf(person)),
          revokeConsent(stored.consents, stored.records, ACCOUNT, clientId),
        ]);
        const tokens = await tokensFor(service, answer);
        found.push({
          grants: await stored.grantsOf(clientId),
          alive: tokens !== undefined && (await isAlive(service, tokens.access_token)),
        });
        await stored.forget();
      }
      expect(found).toEqual(found.map(() => ({ grants: 0, alive: false })));
    });
  });

  /** A look behind the scenes. */
  function openStored(service: () => RunningService) {
    const rows = () => service().database('oidc_records').where({ account_id: ACCOUNT });
    return {
      get records() {
        return openOidcRecords(service().database);
      },
      get consents() {
        return openConsents(service().database);
      },
      grantsOf: async (clientId: string): Promise<number> => {
        const grants = await rows().where({ model: 'Grant' });
        return grants.filter(({ payload }) => JSON.parse(payload).clientId === clientId).length;
      },
      forget: async () => {
        await rows().delete();
        await service().database('consents').where({ account_id: ACCOUNT }).delete();
      },
    };
  }
});
