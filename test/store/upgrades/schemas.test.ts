// Issue item "Upgrades": a database of every schema that was ever on the main branch, with data that a release of that time put in,
// becomes one like a new one, and nothing of what was in it is lost. The schemas: test/support/upgrades/fixtures.ts.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSeals, type Seals } from '#store/audit/audit-chain.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { ENGINES, type Engine, newDatabase, openTestDatabase } from '#support/databases.ts';
import { contentsOf, emptyTables, keptRows } from '#support/upgrades/contents.ts';
import { fillTables } from '#support/upgrades/fill.ts';
import {
  KEY_SECRET,
  loadFixture,
  PEOPLE,
  readFixture,
  runSql,
  SCHEMAS,
  TOTP_SECRET,
} from '#support/upgrades/fixtures.ts';
import { CLIENT, REPOSITORY } from '#support/upgrades/old-release.ts';
import { schemaOf } from '#support/upgrades/schema-of.ts';
import { useRows } from '#support/upgrades/use-rows.ts';

describe.each(ENGINES)('on %s, a database of', (engine) => {
  let fresh: object;
  // Deriving the key of a seal costs as much as migrating.
  let seals: { of: Seals; none: Seals };
  let places: Awaited<ReturnType<typeof openPlaces>>;
  beforeAll(async () => {
    const { database, close } = await openTestDatabase(engine);
    fresh = await schemaOf(database);
    await close();
    seals = { of: await openSeals([KEY_SECRET]), none: await openSeals([]) };
    places = await openPlaces(engine);
  });
  afterAll(() => places?.close());

  it.each(SCHEMAS)('$commit gets the schema of a new one, and keeps its data', async ({ commit, service }) => {
    const { database, remove } = await places.empty();
    try {
      const { facts, filled } = await loadFixture(database, engine, commit);
      const before = await contentsOf(database);
      expect(emptyTables(before)).toEqual([]);
      await migrate(database);
      expect(await schemaOf(database)).toEqual(fresh);
      const { expected, found } = keptRows(before, await contentsOf(database));
      expect(found).toEqual(expected);
      const account = await openAccounts(database).findByEmail('Mathilde.DuChardey@demo.example');
      expect(account).toMatchObject({ account: { id: PEOPLE[0], status: 'active' } });
      const sealed = (await openServiceKeys(database).list()).some(({ material }) => material.startsWith('sealed-'));
      expect((await verifyTrail(database, sealed ? seals.of : seals.none, undefined)).faults).toEqual([]);
      if (facts.refreshToken !== undefined) {
        expect(await openConsents(database).find(PEOPLE[0], CLIENT, 365 * 86_400)).toContain('PRACTITIONER_READ');
        const record = await openOidcRecords(database).find('RefreshToken', facts.refreshToken);
        expect(record).toMatchObject({ accountId: PEOPLE[0], clientId: CLIENT });
      }
      // The same code wrote it on both engines; each has a salt of its own, from which a key is derived.
      if (facts.secondFactor && engine === 'sqlite') {
        const factors = openSecondFactors(database, createEncryption(service ? [KEY_SECRET] : []));
        const code = totp(Buffer.from(TOTP_SECRET, 'base64url'), stepAt(Date.now() / 1000));
        expect(await factors.take(PEOPLE[1], code)).toBe('code');
      }
      await useRows(database, Object.keys(before), filled);
    } finally {
      await remove();
    }
  });
});

it('a database of the schema of today has a row in every table, or the next fixture would lack some', async () => {
  const { settings, remove } = await newDatabase('sqlite');
  const database = openDatabase(settings);
  try {
    const { commit } = SCHEMAS.at(-1) as (typeof SCHEMAS)[number];
    await runSql(database, 'sqlite', readFixture('sqlite', commit).signedIn);
    await migrate(database);
    const filled = await fillTables(REPOSITORY, settings);
    const contents = await contentsOf(database);
    expect(emptyTables(contents)).toEqual([]);
    await useRows(database, Object.keys(contents), filled);
  } finally {
    await database.destroy();
    await remove();
  }
});

/** Empty databases, one after the other: files of SQLite; in PostgreSQL the same one anew, which costs less than to create one. */
async function openPlaces(engine: Engine) {
  if (engine === 'sqlite') return { empty: openNew, close: async () => {} };
  const { database, remove } = await openNew();
  const clear = () => database.raw('drop schema public cascade; create schema public');
  return { empty: async () => ({ database, remove: clear }), close: remove };

  async function openNew() {
    const { settings, remove: removeFiles } = await newDatabase(engine);
    const opened = openDatabase(settings);
    return {
      database: opened,
      remove: async () => {
        await opened.destroy();
        await removeFiles();
      },
    };
  }
}
