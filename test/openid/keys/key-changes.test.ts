// SEC-25: what each change of the keys does and says, upon a list of keys; and what a ring of keys notes.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  correctActivationTimes,
  createMissingKeys,
  currentPlan,
  encryptionContext,
  encryptKeys,
  type KeyVault,
  pruneKeys,
  removeKeys,
  rotateKeys,
} from '#openid/keys/key-changes.ts';
import { dueForRotation, newKey, type PlannedKey, planKeys } from '#openid/keys/key-plan.ts';
import { openKeyRing } from '#openid/keys/key-ring.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { KEY_KINDS, type KeyKind, type ServiceKey } from '#store/oidc/service-keys.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;
const DAY = 86_400;
const times = { cachedFor: 3600, session: 2 * DAY, deviceCookie: 30 * DAY };

describe('changes of keys', () => {
  beforeEach(
    () => void jest.useFakeTimers({ now: NOW * 1000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }),
  );
  afterEach(() => void jest.useRealTimers());

  const key = (kind: KeyKind, id: string, activeAt = NOW - DAY, more: object = {}) =>
    ({ kind, id, material: `{"kid":"${id}"}`, createdAt: activeAt, activeAt, ...more }) as ServiceKey;

  /** A vault upon a list of keys. */
  function vaultOf(list: ServiceKey[], secrets: string[] = []): KeyVault & { done: unknown[] } {
    const done: unknown[] = [];
    const keys = {
      list: async () => [...list],
      add: async (added: ServiceKey, after: string | undefined, check?: (stored: ServiceKey[]) => Promise<void>) => {
        await check?.([...list]);
        done.push(['add', added.kind, after]);
        list.push({ ...added, createdAt: NOW });
        return true;
      },
      activate: async (id: string, at: number) => {
        done.push(['activate', id, at]);
        for (const one of list) if (one.id === id) Object.assign(one, { activeAt: at });
      },
      remove: async ([id]: string[]) => {
        const index = list.findIndex((one) => one.id === id);
        if (index >= 0) list.splice(index, 1);
        return index >= 0 ? 1 : 0;
      },
      rewrite: async ({ id }: ServiceKey, material: string) => {
        for (const one of list) if (one.id === id) Object.assign(one, { material });
        return true;
      },
    };
    return { keys: keys as never, encryption: createEncryption(secrets), times, done };
  }
  const changesOf = (changes: { what: string; kind: string; activeAt?: number }[]) =>
    changes.map(({ what, kind, activeAt }) => [what, kind, ...(activeAt === undefined ? [] : [activeAt - NOW])]);

  it('what is missing is made and used at once, what is there is left', async () => {
    const list = [key('RS256', 'r')];
    const vault = vaultOf(list);
    expect(changesOf(await createMissingKeys(vault))).toEqual(
      KEY_KINDS.filter((kind) => kind !== 'RS256').map((kind) => ['created', kind, 0]),
    );
    expect(list.map(({ kind }) => kind).sort()).toEqual([...KEY_KINDS].sort());
    expect(await createMissingKeys(vault)).toEqual([]);
    const closed = await createEncryption(['another secret']).encrypt(
      '{}',
      encryptionContext({ kind: 'RS256', id: 'r' }),
    );
    await expect(createMissingKeys(vaultOf([key('RS256', 'r', NOW, { material: closed })]))).rejects.toMatchObject({
      reason: 'no-secret',
    });
  });

  it('a rotation publishes a key first, once; at once, it is used after three seconds', async () => {
    const rotated = async (list: ServiceKey[], now = false) => {
      const vault = vaultOf(list);
      return [changesOf(await rotateKeys(vault, ['ES256'], now)), vault.done];
    };
    const [active, waiting, soon] = [key('ES256', 'a'), key('ES256', 'w', NOW + 500), key('ES256', 's', NOW + 2)];
    expect([
      await rotated([]),
      await rotated([active]),
      await rotated([active], true),
      await rotated([active, waiting]),
      await rotated([active, { ...waiting }], true),
      await rotated([active, soon], true),
      await rotated([], true),
    ]).toEqual([
      [[['created', 'ES256', 0]], [['add', 'ES256', undefined]]],
      [[['created', 'ES256', 3605]], [['add', 'ES256', 'a']]],
      [[['created', 'ES256', 3]], [['add', 'ES256', 'a']]],
      [[['waits', 'ES256', 500]], []],
      [[['active', 'ES256', 3]], [['activate', 'w', NOW + 3]]],
      [[['waits', 'ES256', 2]], []],
      [[['created', 'ES256', 0]], [['add', 'ES256', undefined]]],
    ]);
  });

  it('a key is due by its earlier time, and never without a schedule', () => {
    const due = (more: Partial<ServiceKey>, seconds = 100) =>
      dueForRotation([{ ...key('EdDSA', 'e', NOW - 99), ...more, state: 'active' }], seconds, NOW);
    expect([
      due({}),
      due({ createdAt: NOW - 100 }),
      due({ activeAt: NOW - 100 }),
      due({ createdAt: 0 }, 0),
      dueForRotation([], 1, NOW),
    ]).toEqual([[], ['EdDSA'], ['EdDSA'], [], []]);
  });

  it('a time that is more than a day too far ahead is corrected', async () => {
    const limit = NOW + 3605 + DAY;
    const plan = [
      ...[key('RS256', 'fine', limit), key('ES256', 'far', limit + 1), key('EdDSA', 'alone', limit + 1)],
    ].map((one, index): PlannedKey => ({ ...one, state: index === 2 ? 'active' : 'waiting' }));
    const vault = vaultOf([]);
    expect(changesOf(await correctActivationTimes(vault, plan))).toEqual([
      ['waits', 'ES256', 3605],
      ['waits', 'EdDSA', 0],
    ]);
    expect(vault.done).toEqual([
      ['activate', 'far', NOW + 3605],
      ['activate', 'alone', NOW],
    ]);
  });

  it('what nothing needs any more is removed, by the longest of session, ID token and known browser', async () => {
    const successor = (kind: KeyKind, ago: number) => [
      key(kind, `${kind} old`, NOW - 99 * DAY),
      key(kind, `${kind} new`, NOW - ago),
    ];
    const needed = 2 * DAY + 3600;
    const cookies = 30 * DAY + 3600;
    const list = [
      ...successor('RS256', needed),
      ...successor('ES256', needed - 1),
      ...successor('cookies', cookies - 1),
    ];
    const vault = vaultOf(list);
    expect((await currentPlan(vault)).map(({ id, state, neededUntil }) => [id, state, neededUntil])).toEqual([
      ['RS256 new', 'active', undefined],
      ['RS256 old', 'done', NOW],
      ['ES256 new', 'active', undefined],
      ['ES256 old', 'retired', NOW + 1],
      ['cookies new', 'active', undefined],
      ['cookies old', 'retired', NOW + 1],
    ]);
    expect(await pruneKeys(vault)).toEqual([{ what: 'removed', kind: 'RS256', id: 'RS256 old' }]);
    expect(await removeKeys(vault, [key('RS256', 'gone'), key('ES256', 'ES256 old')] as PlannedKey[])).toEqual([
      { what: 'removed', kind: 'ES256', id: 'ES256 old' },
    ]);
    const day = planKeys(successor('EdDSA', DAY + 3600), NOW, { session: 60, deviceCookie: 60 });
    expect(day.map(({ state }) => state)).toEqual(['active', 'done']);
  });

  it('all are encrypted with the present secret, or none', async () => {
    const SECRETS = ['the first secret of these tests', 'the one before'];
    const sealed = async (kind: KeyKind, id: string, secret: string) =>
      key(kind, id, NOW, { material: await createEncryption([secret]).encrypt('{}', encryptionContext({ kind, id })) });
    const list = [
      key('RS256', 'plain'),
      await sealed('ES256', 'new', SECRETS[0] ?? ''),
      await sealed('EdDSA', 'old', SECRETS[1] ?? ''),
    ];
    const vault = vaultOf(list, SECRETS);
    expect(await encryptKeys(vault)).toEqual([
      { what: 'encrypted', kind: 'RS256', id: 'plain' },
      { what: 'encrypted', kind: 'EdDSA', id: 'old' },
    ]);
    expect(await encryptKeys(vault)).toEqual([]);
    expect(list.map(({ material }) => material.startsWith('sealed-1.'))).toEqual([true, true, true]);
    await expect(encryptKeys(vaultOf(list, ['another']))).rejects.toMatchObject({ reason: 'wrong-secret' });
  });

  it('are made as their algorithms want it, each with an id of its own', async () => {
    for (const [kind, kty] of [
      ['RS256', 'RSA'],
      ['ES256', 'EC'],
      ['EdDSA', 'OKP'],
    ] as const) {
      const { id, material } = await newKey(kind);
      expect(id).toMatch(/^[\w-]{16}$/);
      expect(JSON.parse(material)).toMatchObject({
        kty,
        kid: id,
        alg: kind,
        use: 'sig',
        ...(kind !== 'RS256' && { crv: kind === 'ES256' ? 'P-256' : 'Ed25519' }),
      });
      if (kind === 'RS256') expect(Buffer.from(JSON.parse(material).n, 'base64url')).toHaveLength(256);
    }
    const cookies = await newKey('cookies');
    expect([cookies.id.length, Buffer.from(cookies.material, 'base64url').length]).toEqual([16, 32]);
  });

  describe('noted by a ring', () => {
    async function ringOf(list: ServiceKey[], { secrets = [] as string[], rotateAfter = 0 } = {}) {
      const said: unknown[] = [];
      const say = (level: string) => (about: object, message: string) => void said.push([level, about, message]);
      const vault = vaultOf(list, secrets);
      const changed = (change: object) => void said.push(change);
      const log = { info: say('info'), warn: say('warn'), error: say('error') };
      const ring = await openKeyRing({ vault, rotateAfter, log: log as never, changed });
      return { ring, said, vault, list };
    }
    const all = (activeAt?: number) => KEY_KINDS.map((kind) => key(kind, `${kind} 1`, activeAt));

    it('are other keys, and only those; who listens gets them', async () => {
      const { ring, said, list } = await ringOf(all());
      const heard: unknown[] = [];
      ring.onChange((keys) => heard.push(keys.signing.map(({ kid }) => kid)));
      await ring.look();
      expect([said, heard]).toEqual([[], []]);
      list.push(key('ES256', 'ES256 2', NOW + 500));
      await ring.look();
      const kids = ['RS256 1', 'ES256 1', 'EdDSA 1', 'ES256 2'];
      expect(said).toEqual([['info', { keys: kids }, 'other keys are in force']]);
      expect([heard, ring.current().signing.map(({ kid }) => kid)]).toEqual([[kids], kids]);
      list.splice(0);
      await ring.look();
      expect(ring.current().cookies).toHaveLength(1);
      await ring.close();
    });

    it('are those that it cannot read: it goes on without, and says so once; no ring begins with them', async () => {
      const { ring, said, list } = await ringOf(all());
      const sealed = await createEncryption(['of others']).encrypt('{}', 'x');
      list.push(key('RS256', 'closed', NOW + 60, { material: sealed }));
      await ring.look();
      const remedy =
        'a new key cannot be read: it is encrypted and no secret is set; start this instance again with the secret of the others (HYGIE_KEY_SECRET)';
      await ring.look();
      expect(said.filter((line) => JSON.stringify(line).includes('closed'))).toEqual([
        ['error', { key: 'closed', kind: 'RS256' }, remedy],
      ]);
      expect(ring.current().signing.map(({ kid }) => kid)).toEqual(['RS256 1', 'ES256 1', 'EdDSA 1']);
      await ring.close();
      await expect(ringOf(list)).rejects.toMatchObject({ reason: 'no-secret' });
    });

    it('is what the schedule does, at the first look and each sixtieth after it', async () => {
      const { ring, said, list } = await ringOf(all(NOW - 5 * DAY), { rotateAfter: DAY });
      list.push(key('EdDSA', 'far', NOW + 99 * DAY));
      await ring.look();
      const warning = (id: string, kind: string) => [
        'warn',
        { key: id, kind, activeAt: NOW + 3605 },
        'a key was to be used years ahead: the clock was wrong when it was made',
      ];
      const changes = (all_: unknown[]) =>
        all_.flatMap((one) => (Array.isArray(one) ? [] : [one as { what: string; kind: string }]));
      expect(changes(said).map(({ what, kind }) => [what, kind])).toEqual(
        ['RS256', 'ES256', 'cookies'].map((kind) => ['created', kind]),
      );
      expect(said).toContainEqual(warning('far', 'EdDSA'));
      list.push(key('cookies', 'again', NOW + 99 * DAY));
      for (let look = 2; look <= 60; look += 1) await ring.look();
      expect(said).not.toContainEqual(warning('again', 'cookies'));
      await ring.look();
      expect(said).toContainEqual(warning('again', 'cookies'));
      await ring.close();
    });

    it('is what it removes and encrypts', async () => {
      const old = key('RS256', 'RS256 0', NOW - 90 * DAY);
      const secrets = ['a secret of the ring that opens nothing'];
      const { ring, said } = await ringOf([old, ...all(NOW - 80 * DAY)], { secrets });
      await ring.look();
      const changes = said.filter((one) => !Array.isArray(one)) as { what: string; id: string }[];
      expect(changes.filter(({ what }) => what === 'encrypted')).toHaveLength(5);
      expect(changes.filter(({ what }) => what === 'removed')).toEqual([
        { what: 'removed', kind: 'RS256', id: 'RS256 0' },
      ]);
      await ring.close();
    });

    it('is once that they cannot be looked at, and no look comes after the end', async () => {
      const { ring, said, vault } = await ringOf(all());
      let asked = 0;
      Object.assign(vault.keys, {
        list: async () => {
          asked += 1;
          throw new Error('away');
        },
      });
      await jest.advanceTimersByTimeAsync(3000);
      expect([said, asked]).toEqual([[['warn', { err: new Error('away') }, 'the keys could not be looked at']], 3]);
      await ring.close();
      await jest.advanceTimersByTimeAsync(3000);
      expect(asked).toBe(3);
    });
  });
});
