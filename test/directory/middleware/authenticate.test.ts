// The tokens that the directory accepts, and how many requests a client may make with them.

import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { presentCaller } from '#search-index/threads/job-queue.ts';
import { edition } from '#support/directory/edition.ts';
import { ask, manifestOf } from '#support/directory/exporting.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory, TOKENS } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { startService, testClients } from '#support/service.ts';

// Specification 4.4, 4.5 and 5, SEC-19, SEC-20, SEC-21: who is let in, and how a refusal reads.
describe('directory: tokens', () => {
  describe('Bearer tokens at the directory', () => {
    const directory = openedForAll(() =>
      startDirectory(scanSnapshot('one', edition()), {
        introspect: async (token) => {
          if (token === 'broken') throw new Error('the database is away');
          return TOKENS[token] ?? { active: false, reason: 'unknown' };
        },
      }),
    );

    const get = (path: string, authorization?: string) => {
      const sent = request(directory.address).get(path);
      return authorization === undefined ? sent : sent.set('Authorization', authorization);
    };

    it.each([
      ['/Practitioner?name=duval', 'practitioners'],
      ['/Practitioner/prat-1', 'practitioners'],
      ['/Organization?name=ehpad', 'organizations'],
      ['/Organization/org-1', 'organizations'],
      ['/Practitioner?name=duval', 'both'],
      ['/Organization?name=ehpad', 'both'],
      ['/PractitionerRole?practitioner=prat-1', 'both'],
      ['/PractitionerRole/prat-1-a', 'both'],
    ])('4.5 %s with the permission of "%s"', async (path, token) => {
      expect((await get(path, `Bearer ${token}`)).status).toBe(200);
    });

    it.each([
      ['/Practitioner?name=duval', 'organizations', 'PRACTITIONER_READ'],
      ['/Practitioner/prat-1', 'organizations', 'PRACTITIONER_READ'],
      ['/Practitioner/nobody', 'openid', 'PRACTITIONER_READ'],
      ['/Organization?name=ehpad', 'practitioners', 'ORGANIZATION_READ'],
      ['/Organization/org-1', 'openid', 'ORGANIZATION_READ'],
    ])('SEC-20 4.5 %s with the permission of "%s" alone: 403 naming %s', async (path, token, scope) => {
      const answer = await get(path, `Bearer ${token}`);
      expect(answer.status).toBe(403);
      expect(answer.headers['www-authenticate']).toBe(
        `Bearer realm="directory", error="insufficient_scope", scope="${scope}"`,
      );
      expect(answer.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'forbidden' }] });
      expect(answer.body.issue[0].diagnostics).toContain(scope);
      expect(answer.body.issue[0].diagnostics).toContain('parameter scope, at /authorize, or at /oauth/token');
    });

    it.each([
      ['practitioners', 'the scope ORGANIZATION_READ:'],
      ['organizations', 'the scope PRACTITIONER_READ:'],
      ['openid', 'the scopes PRACTITIONER_READ and ORGANIZATION_READ:'],
    ])('SEC-20 a PractitionerRole takes both permissions: with "%s" 403 names %s', async (token, lacking) => {
      for (const path of ['/PractitionerRole?practitioner=prat-1', '/PractitionerRole/prat-1-a']) {
        const answer = await get(path, `Bearer ${token}`);
        expect(answer.status).toBe(403);
        expect(answer.headers['www-authenticate']).toBe(
          'Bearer realm="directory", error="insufficient_scope", scope="PRACTITIONER_READ ORGANIZATION_READ"',
        );
        expect(answer.body.issue[0].diagnostics).toContain(lacking);
      }
    });

    it('SEC-20 a search that includes other types names all that lacks at once', async () => {
      const including = '/Practitioner?name=duval&_revinclude=PractitionerRole:practitioner';
      const both = 'Bearer realm="directory", error="insufficient_scope", scope="PRACTITIONER_READ ORGANIZATION_READ"';
      for (const [token, lacking] of [
        ['openid', 'the scopes PRACTITIONER_READ and ORGANIZATION_READ:'],
        ['practitioners', 'the scope ORGANIZATION_READ:'],
        ['organizations', 'the scope PRACTITIONER_READ:'],
      ]) {
        const answer = await get(including, `Bearer ${token}`);
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, both]);
        expect(answer.body.issue[0].diagnostics).toContain(lacking);
      }
      // Nobody learns more of a search that the token does not permit.
      expect((await get('/Practitioner?_revinclude=Nothing', 'Bearer organizations')).status).toBe(403);
    });

    it('SEC-19 a token in the address or in a form is not read', async () => {
      expect((await get('/Practitioner?name=duval&access_token=both')).status).toBe(401);
      const posted = await request(directory.address)
        .post('/Practitioner/_search')
        .type('form')
        .send({ name: 'duval', access_token: 'both' });
      expect(posted.status).toBe(401);
    });

    it('SEC-19 a token in the address is refused beside a good header, and not repeated', async () => {
      const answer = await get('/Practitioner?name=duval&access_token=both', 'Bearer both');
      expect(answer.status).toBe(400);
      expect(answer.body.issue[0].location).toEqual(['http.access_token']);
    });
  });

  it('SEC-59, SEC-76 a search takes the turns of the client that asks and of the person, and apart from its people those of what it does on its own', async () => {
    const snapshot = scanSnapshot('one', edition());
    const callers: unknown[] = [];
    const search: typeof snapshot.search = async (...args) => {
      callers.push(presentCaller());
      return snapshot.search(...args);
    };
    const itself = { active: true, clientId: 'batch', scopes: new Set(['PRACTITIONER_READ']) } as const;
    const directory = await startDirectory(
      { ...snapshot, search },
      { introspect: async (token) => TOKENS[token] ?? itself },
    );
    try {
      for (const token of ['both', 'itself'])
        await request(directory.address).get('/Practitioner?name=duval').set('Authorization', `Bearer ${token}`);
    } finally {
      await directory.stop();
    }
    expect(callers).toEqual([
      { group: 'portal', member: 'someone' },
      { group: 'batch itself', member: '' },
    ]);
  });
});

// The limits of service.yaml and clients.yaml at work in the whole service, with real tokens of two clients.
describe('limits of the service', () => {
  const SLOW = { perSecond: 1, burst: 4 };
  const RATES: Record<string, { perSecond: number; burst: number }> = {
    trusted: { perSecond: 0, burst: 1 },
    edited: { perSecond: 1000, burst: 1000 },
  };
  /** The clients of the file, and one more; these have rates of their own. */
  const clientsWithRates = async (...ids: string[]) => {
    const clients = await testClients();
    const more = clients.filter(({ id }) => id === 'server').map((one) => ({ ...one, id: 'edited' }));
    return [...clients, ...more].map((one) => {
      const rate = ids.includes(one.id) && RATES[one.id];
      return rate ? { ...one, rate } : one;
    });
  };

  const tokens: Record<string, string> = {};
  const service = openedForAll(async () =>
    startService({
      adjust: (settings) => ({ ...settings, directory: { ...settings.directory, rate: SLOW } }),
      clients: await clientsWithRates('trusted'),
    }),
  );
  beforeAll(async () => {
    for (const clientId of ['server', 'edited', 'trusted']) {
      tokens[clientId] = (await signIn(service, { clientId })).tokens.access_token;
      // An address that guesses may use only tokens that held before.
      expect(await statuses(tokens[clientId], 1)).toEqual([200]);
    }
  });

  const statuses = async (token = '', count = 1) => {
    const all = [];
    for (let number = 0; number < count; number++)
      all.push((await ask(`${service.settings.directory.url}/Practitioner?name=ma&_count=1`, { token })).status);
    return all;
  };

  it('directory.rate: 429 for the client that exceeds it; a client with a rate of its own is not concerned', async () => {
    expect(await statuses(tokens['server'], 10)).toContain(429);
    expect(new Set(await statuses(tokens['trusted'], 20))).toEqual(new Set([200]));
  });

  it('an edit of clients.yaml counts at the next request', async () => {
    expect(await statuses(tokens['edited'], 10)).toContain(429);
    service.replaceClients(await clientsWithRates('trusted', 'edited'));
    expect(new Set(await statuses(tokens['edited'], 9))).toEqual(new Set([200]));
  });

  it('tokens that do not hold: 401, then 429 with Retry-After, while those that held before go on', async () => {
    const guesses = [];
    for (let number = 0; number < 260; number += 20)
      guesses.push(
        ...(await Promise.all(Array.from({ length: 20 }, (_, n) => statuses(`guess-${number + n}`, 1)))).flat(),
      );
    expect(new Set(guesses)).toEqual(new Set([401, 429]));
    expect(await statuses(tokens['trusted'], 1)).toEqual([200]);
  });

  it('the demonstration directory is exported with one address, by a signed-in person', async () => {
    const { output } = await manifestOf(`${service.settings.directory.url}/$export`, {
      token: tokens['trusted'] ?? '',
    });
    expect(output.map(({ type }) => type)).toEqual(['Practitioner', 'Organization', 'PractitionerRole']);
    const [file] = output;
    const text = await (await ask(file?.url ?? '', { token: tokens['trusted'] ?? '' })).text();
    expect(text.split('\n')).toHaveLength((file?.count ?? 0) + 1);
  });
});
