// SEC-48: edits of clients.yaml are in the audit trail, with what changed, and no secret.

import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '#config/index.ts';
import type { ClientSettings } from '#config/settings.ts';
import { clientChanges, recordClientEdits } from '#server/audit/client-changes.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import { CALLBACK, testClients } from '#support/service.ts';

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
