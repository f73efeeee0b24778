// SEC-48, SEC-16: what of the configuration was changed while the service stood still is in the audit trail after the next start;
// what is remembered for it holds no secret. Against the real service: `configuration-change.test.ts`.

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hashSecret, newSecret } from '../../src/shared/crypto/secret-hash.ts';
import {
  client,
  FIRST,
  forgetLog,
  LONGER,
  logged,
  onEngine,
  opened,
  place,
  SHORTER,
  start,
  tokens,
  trail,
} from '../support/cli/configuration-starts.ts';
import { ENGINES } from '../support/databases.ts';
import { LOW_COST } from '../support/hash-cost.ts';

describe.each(ENGINES)('what is known of the configuration on %s', (engine) => {
  onEngine(engine);

  it('SEC-48 what is remembered and cannot be read is told, warned of and replaced', async () => {
    place.configure('clients.yaml', `clients: [${client()}]`);
    await start();
    const table = opened.database('known_configuration');
    for (const content of ['{', '[]', '{"a":{"b":1}}', '[{"id":"web","scopes":5}]', 'null']) {
      await table.clone().update({ content, differs: content });
      forgetLog();
      await start();
      const unreadable = 'what was remembered of it is gone or cannot be read: nothing to compare with';
      const events = (await trail()).slice(-2);
      expect([content, events]).toEqual([content, expect.arrayContaining([[expect.any(String), unreadable]])]);
      expect(logged).toMatch(/"level":"warn".*cannot be read/);
    }
    const before = (await trail()).length;
    await start();
    tokens('30m');
    await start();
    expect((await trail()).slice(before)).toEqual([SHORTER]);
  });

  it.each(['known_configuration', 'audit_events'])(
    'SEC-48 without the table %s the service starts, and the next start tells',
    async (table) => {
      await start();
      tokens('30m');
      await opened.database.schema.renameTable(table, 'elsewhere');
      await start();
      expect(logged).toContain('the configuration was not compared with the one before: it is tried again');
      await opened.database.schema.renameTable('elsewhere', table);
      await start();
      expect(await trail()).toEqual([FIRST, SHORTER]);
    },
  );
});

describe('what is told of the configuration', () => {
  onEngine('sqlite');

  it('SEC-48 each change is told with its values, and the way back too; the same again is none', async () => {
    await start();
    for (const lifetime of ['30m', '1h', '30m']) {
      tokens(lifetime);
      await start();
      await start();
    }
    expect(await trail()).toEqual([FIRST, SHORTER, LONGER, SHORTER]);
    place.configure(
      'service.yaml',
      'secondFactor: required\noutgoing: { privateNetworks: [10.0.0.0/8] }\nbranding: { supportUrl: "https://help.example/" }',
    );
    await start({ NODE_ENV: 'production', HYGIE_ISSUER: 'https://sign-in.example' });
    expect((await trail()).at(-1)).toEqual([
      'service.changed',
      [
        'NODE_ENV development -> production',
        'branding.supportUrl none -> https://help.example/',
        'demo true -> false',
        'issuer http://localhost:<port> -> https://sign-in.example',
        'lifetimes.accessToken 1800 -> 3600',
        'outgoing.privateNetworks +10.0.0.0/8',
        'secondFactor optional -> required',
      ],
    ]);
  });

  it('SEC-48 more than one record holds is told in several: no name is lost', async () => {
    await start();
    const long = `https://help.example/${'a'.repeat(900)}`;
    place.configure(
      'service.yaml',
      `branding: { supportUrl: "${long}", privacyUrl: "${long}", name: "${'N'.repeat(60)}" }\nproxies: 2\nnamespace: "${long}"`,
    );
    await start();
    const names = (await trail()).slice(1).flatMap(([, keys]) => (keys as string[]).map((key) => key.split(' ')[0]));
    expect(names).toEqual(['branding.name', 'branding.privacyUrl', 'branding.supportUrl', 'namespace', 'proxies']);
  });

  it('SEC-48 another secret of a client is told, wherever it comes from; SEC-16 no secret is kept, in no form that is usable', async () => {
    const [first, second, token, key] = [newSecret(), newSecret(), newSecret(), newSecret()];
    const hash = await hashSecret(first, LOW_COST);
    const publicKey = () =>
      JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }));
    const clients = (written: string, inAddress: string) => {
      const entries = [
        client(`secrets: [{ hash: "${written}" }]`, 'a-hash', 'server'),
        client('secrets: [{ env: SECRET_OF_A_TEST }]', 'env', 'server'),
        client('secrets: [{ file: secret.txt }]', 'file', 'server'),
        client(`jwks: { keys: [${publicKey()}] }`, 'signs', 'server'),
        client(`backchannelLogoutUrl: "https://w.example/out?token=${inAddress}"`),
      ];
      place.configure('clients.yaml', `clients: [${entries.join(', ')}]`);
    };
    clients(hash, token);
    place.configure('secret.txt', `${first}\n`);
    const env = { SECRET_OF_A_TEST: first, HYGIE_KEY_SECRET: key };
    await start(env);
    await start(env);
    expect(await trail()).toEqual([FIRST]);

    const newHash = await hashSecret(second, LOW_COST);
    clients(newHash, second);
    place.configure('secret.txt', `${second}\n`);
    await start({ SECRET_OF_A_TEST: second });
    expect((await trail()).slice(1)).toEqual([
      ['service.changed', ['HYGIE_KEY_SECRET set -> not set']],
      ['a-hash', ['secrets 1 -> 1 (1 new)']],
      ['env', ['secrets 1 -> 1 (1 new)']],
      ['file', ['secrets 1 -> 1 (1 new)']],
      ['signs', ['jwks: other keys']],
      ['web', [expect.stringMatching(/^backchannelLogoutUrl .*\?token=\[redacted\] #.* -> .*\?token=\[redacted\] #/)]],
    ]);
    const dump = JSON.stringify([await opened.database('known_configuration'), await opened.database('audit_events')]);
    for (const secret of [first, second, token, key, hash, newHash]) expect(dump + logged).not.toContain(secret);
  });

  it('SEC-48 no value that is no secret is masked', async () => {
    place.configure('clients.yaml', `clients: [${client()}]`);
    await start();
    place.configure('clients.yaml', `clients: [${client('par: required, dpop: required')}]`);
    await start();
    expect((await trail()).at(-1)).toEqual(['web', ['dpop: required', 'par required']]);
  });
});
