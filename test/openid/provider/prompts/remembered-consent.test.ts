// SEC-55: a consent that is withdrawn at the one moment that matters, between the look at it and the grant that is made of it.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { rememberedConsent } from '#openid/provider/prompts/remembered-consent.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openConsents, revokeConsent } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase('sqlite');
});
afterAll(() => opened.close());

it.each([true, false])(
  'SEC-55 a consent that is withdrawn (%s) before its grant is stored gives none',
  async (withdrawn) => {
    const records = openOidcRecords(opened.database);
    const consents = openConsents(opened.database);
    const [account] = await openAccounts(opened.database).create([
      { email: `${withdrawn}@example.test`, name: 'Camille' },
    ]);
    const accountId = account?.id ?? '';
    await consents.give(accountId, 'app', ['openid'], 60);
    // What the library's model does, as far as it is used here.
    class Grant {
      jti = `grant-${withdrawn}`;
      addOIDCScope() {}
      async save() {
        if (withdrawn) await revokeConsent(consents, records, accountId, 'app');
        await records.insertOnce('Grant', this.jti, { accountId, clientId: 'app' }, 60);
      }
      destroy() {
        return records.destroy('Grant', this.jti);
      }
    }
    const client = { clientId: 'app' };
    const ctx = {
      oidc: {
        client,
        account: { accountId },
        session: { grantIdFor: () => undefined },
        provider: { Grant },
        prompts: new Set(),
        requestParamOIDCScopes: new Set(['openid']),
      },
    } as unknown as KoaContextWithOIDC;
    const requested = { missing: () => [], scopeOf: () => undefined } as never;
    const grant = await rememberedConsent({ consents, records, requested, maxAge: 60 })(ctx);
    expect(grant === undefined).toBe(withdrawn);
    expect((await records.find('Grant', `grant-${withdrawn}`)) === undefined).toBe(withdrawn);
  },
);
