// The file of what is known about a person: what is in it, in which words, and what is left out.

import { describe, expect, it } from '@jest/globals';
import { downloadData } from '#openid/account/profile/own-data.ts';
import { ME, recordOf, withStores } from '#support/openid/account/stores.ts';

describe('the data that a person takes along', () => {
  const { kept, told, ask } = withStores();

  const download = async (
    more: object = {},
    account: object = {},
    records: object[] = [],
    form: Record<string, string> = {},
  ) => {
    const shown = await ask(
      downloadData,
      {
        pictures: { pathOf: (id: string) => `/picture/${id}.svg` },
        secondFactors: { find: async () => undefined },
        passkeys: { list: async () => [] },
        applications: { list: async () => [] },
        sessions: { list: async () => [] },
        auditEvents: {
          search: told('search', records),
        },
        ...more,
      },
      { form, account },
    );
    return { ...shown, data: shown.status === 200 ? JSON.parse(shown.html) : undefined };
  };

  it('are one file, with times in words, without what is the service’s own, and without the names of others', async () => {
    const { data, html, headers } = await download(
      {
        secondFactors: { find: async () => ({ since: 60, recoveryCodes: 7 }) },
        passkeys: {
          list: async () => [{ id: 'k', publicKey: 'secret', name: 'Laptop', createdAt: 120, lastUsedAt: 180 }],
        },
        applications: { list: async () => [{ id: 'app', name: 'A', scopes: ['openid'], since: 1 }] },
        sessions: {
          list: async () => [
            {
              uid: 'u',
              signedInAt: 240,
              used: { at: 300, orLater: true },
              device: 'Firefox, Linux',
              applications: ['A'],
            },
          ],
        },
      },
      {
        createdAt: 0,
        updatedAt: 1,
        passwordSetAt: 2,
        deletionRequestedAt: 3,
        sessionsNotBefore: 4,
        passwordChangeRequired: true,
        keptSession: 's',
      },
      [
        { event: 'account.added', actor: 'operator:a-name', requestId: 'r', account: 'me' },
        { event: 'sign-in.succeeded', actor: 'account:me', account: 'me' },
      ],
    );
    const at = (seconds: number) => new Date(seconds * 1000).toISOString();
    expect(data).toEqual({
      account: {
        ...ME,
        deletionRequestedAt: at(3),
        picture: 'https://connect.example/picture/me.svg',
        createdAt: at(0),
        updatedAt: at(1),
        passwordSetAt: at(2),
        signedOutEverywhereAt: at(4),
      },
      secondFactor: { since: at(60), recoveryCodesLeft: 7 },
      passkeys: [{ name: 'Laptop', createdAt: at(120), lastUsedAt: at(180) }],
      applications: [{ id: 'app', name: 'A', scopes: ['openid'], since: 1 }],
      sessions: [{ device: 'Firefox, Linux', applications: ['A'], signedInAt: at(240), lastUsedAt: at(300) }],
      activity: {
        complete: true,
        records: [
          { event: 'account.added', actor: 'operator', account: 'me' },
          { event: 'sign-in.succeeded', actor: 'account:me', account: 'me' },
        ],
      },
    });
    expect([html, headers['content-disposition']]).toEqual([`${JSON.stringify(data, null, 2)}\n`, 'account.json']);
    expect(kept.calls).toEqual([['search', { account: 'me', limit: 10_000 }]]);
    expect(kept.recorded).toEqual([recordOf('account.data-exported')]);
  });

  it('say where they end, and what is unknown is left out', async () => {
    const records = Array.from({ length: 10_000 }, () => ({ event: 'x', actor: 'service' }));
    const { data } = await download({}, { picture: 'https://elsewhere.example/me.png' }, records);
    expect([data.activity.complete, data.account.picture, data.secondFactor]).toEqual([
      false,
      'https://elsewhere.example/me.png',
      null,
    ]);
    expect(Object.keys(data.account).filter((name) => name.endsWith('At'))).toEqual([]);
    expect((await download({}, {}, records.slice(1))).data.activity.complete).toBe(true);
  });
});
