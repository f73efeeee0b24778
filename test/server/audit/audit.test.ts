// SEC-48: what operators, schedules and edits of clients.yaml change is in the audit trail, and by whom; use of the directory is counted there.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError } from '#config/index.ts';
import type { ClientSettings } from '#config/settings.ts';
import { clientChanges, recordClientEdits } from '#server/audit/client-changes.ts';
import { countDirectoryUse } from '#server/audit/directory-events.ts';
import { recordAs } from '#server/audit/operator-audit.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { CALLBACK, testClients } from '#support/service.ts';

describe('SEC-48 changes by operators and schedules', () => {
  const test = openedForAll(() => openTestDatabase('sqlite'));

  const KEYS = { secrets: [] };

  it('the operator learns that something is done, and has no record: but within a transaction nothing is done', async () => {
    const events = [{ event: 'directory.kept' }] as const;
    const closed = await openTestDatabase('sqlite');
    await closed.close();
    await expect(recordAs('service', closed.database, KEYS, events)).rejects.toThrow(
      /^It is done, but the audit trail/,
    );
    await recordAs('service', closed.database, KEYS, []);
    await recordAs('service', test.database, KEYS, events);
    const records = () => openAuditEvents(test.database).search({ limit: 9 });
    const before = await records();
    expect(before).toContainEqual(expect.objectContaining({ event: 'directory.kept' }));
    const broken = test.database.transaction(async (transaction) => {
      await transaction.schema.dropTable('audit_events');
      await recordAs('service', transaction, KEYS, events);
    });
    await expect(broken).rejects.not.toThrow(/^It is done/);
    expect(await records()).toEqual(before);
  });
});

describe('SEC-48 a change of the configuration', () => {
  it('is one record for each client: what changed to what, and of secrets only how many there are', async () => {
    const [server, trusted, narrow] = await testClients();
    if (!server || !trusted || !narrow) throw new Error('there are no test clients');
    const logoutUrls = ['https://application.example/bye'];
    const secretHashes = [...server.secretHashes, 'scrypt$another'];
    const after = [
      { ...server, secretHashes, logoutUrls, rate: { perSecond: 20, burst: 40 } },
      { ...trusted, consent: 'ask' as const, secretHashes: [] },
      { ...narrow, id: 'new', secretHashes: [], logoutUrls: [], scopes: ['openid'] },
    ];
    const changes = clientChanges([server, trusted, narrow], after);
    expect(changes.map(({ client, details }) => [client, details?.['edit'], details?.['keys']])).toEqual([
      ['narrow', 'removed', undefined],
      [
        'server',
        'changed',
        [
          'logoutUrls +https://application.example/bye -https://application.example/signed-out',
          'secrets 1 -> 2 (1 new)',
          'rate of the service -> 20/s, 40 at once',
        ],
      ],
      ['trusted', 'changed', ['consent trusted -> ask', 'secrets 1 -> 0']],
      ['new', 'added', expect.arrayContaining(['type server', 'scopes +openid', `callbackUrls +${CALLBACK}`])],
    ]);
    expect(JSON.stringify(changes)).not.toContain('scrypt');
  });

  it('says where a refused edit is at fault, that a file is gone, and that an edit was taken back', async () => {
    const told: AuditEvent[] = [];
    const clients = await testClients();
    const edits = recordClientEdits({ record: async (event) => void told.push(event), note: () => {} }, clients);
    const fault = { file: 'clients.yaml', path: '', problem: 'The file is gone.', remedy: 'Put it back.' };
    edits.accepted(clients);
    edits.refused(new ConfigurationError([fault]));
    edits.refused(
      new ConfigurationError([
        { ...fault, line: 3, problem: 'Not YAML: "secret".' },
        { ...fault, path: 'clients[0].name' },
      ]),
    );
    edits.accepted(clients);
    edits.accepted(clients);
    expect(told.map(({ details }) => details)).toEqual([
      { edit: 'no client differs' },
      { faults: ['The file is gone.'] },
      { faults: ['line 3', 'clients[0].name'] },
      { edit: 'back to the version in force' },
      { edit: 'no client differs' },
    ]);
  });

  it.each<[string, Partial<ClientSettings>, Partial<ClientSettings>, string[]]>([
    ['other keys', { jwks: { keys: [] } }, { jwks: { keys: [{ kty: 'EC' }] } }, ['jwks: other keys']],
    ['no keys any more', { jwks: { keys: [] } }, {}, ['jwks: none']],
    ['a need of DPoP', {}, { dpop: 'required' }, ['dpop: required']],
    ['another one', { dpop: 'required' }, {}, ['dpop: required -> none']],
    ['refresh tokens', {}, { refreshTokens: 'always' }, ['refresh tokens: consent -> always']],
    ['a rate', { rate: { perSecond: 1, burst: 2 } }, {}, ['rate 1/s, 2 at once -> of the service']],
    ['a second factor', {}, { secondFactor: 'required' }, ['secondFactor of the service -> required']],
    ['a text', { name: 'One' }, { name: 'Two' }, ['name One -> Two']],
    ['a new key', {}, { description: 'Two' } as never, ['description Two']],
    ['scopes in another order', { scopes: ['a', 'b'] }, { scopes: ['b', 'a'] }, ['scopes in another order']],
    ['an empty list', {}, { logoutUrls: [] }, []],
  ])('names %s', (_what, before, after, keys) => {
    const changes = clientChanges(
      [{ id: 'a', ...before } as ClientSettings],
      [{ id: 'a', ...after } as ClientSettings],
    );
    expect(changes.flatMap(({ details }) => details?.['keys'] ?? [])).toEqual(keys);
  });
});

describe('SEC-48 what clients ask the directory with tokens of their own', () => {
  beforeEach(() => void jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
  afterEach(() => void jest.useRealTimers());

  it('has one record for each client and hour, and the rest at the end', () => {
    const noted: AuditEvent[] = [];
    const use = countDirectoryUse({ note: (event) => void noted.push(event) });
    for (const client of ['a', 'b', 'a']) use.count(client);
    jest.advanceTimersByTime(3_600_000);
    const since = '2026-01-01T00:00:00.000Z';
    const record = (client: string, requests: number, first = since) => ({
      event: 'directory.used',
      actor: `client:${client}`,
      client,
      details: { requests, since: first },
    });
    expect(noted.splice(0)).toEqual([record('a', 2), record('b', 1)]);
    // Nothing asked, nothing recorded.
    jest.advanceTimersByTime(3_600_000);
    use.count('a');
    use.close();
    expect(noted).toEqual([record('a', 1, '2026-01-01T02:00:00.000Z')]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
