// SEC-67: the hash chain of the audit trail: what is done to its records behind the service's back is found and named. On both
// engines.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openSeals, type Seals } from '#shared/crypto/seals.ts';
import { type ChainedContent, type ChainHead, nextDigest, readEnds } from '#store/audit/audit-chain.ts';
import { type AuditEvents, openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { resealCleanUp } from '#store/audit/chain-clean-up.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import type { Database } from '#store/database/connection.ts';
import { emptyAuditTrail, records, withoutTriggers } from '#support/audit-trail.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

// Each list of secrets is derived once.
const SECRET = ['a secret of the operator, long enough to be one'];
const OLD_SECRET = ['the secret that the operator had a year before it'];
const BOTH_SECRETS = [...SECRET, ...OLD_SECRET];

describe.each(bothEngines('store/audit/audit-chain'))('SEC-67 the chain of the audit trail on %s', (engine) => {
  let database: Database;
  let sealed: Seals;
  let unsealed: Seals;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(async () => {
    database = opened.database;
    chained = openAuditEvents(database, SECRET);
    sealed = await openSeals(SECRET);
    unsealed = await openSeals([]);
  });
  beforeEach(() => emptyAuditTrail(database));

  const events = () => database('audit_events');
  let chained: AuditEvents;
  const append = (count: number) => chained.append(records(count));
  const faultsOf = async (seals = unsealed, known?: ChainHead) =>
    (await verifyTrail(database, seals, known)).faults.map(({ sequence, id, problem }) => [
      sequence === undefined ? `id ${id}` : sequence,
      problem.replace(/[:,( ].*/, ''),
    ]);
  const rowAt = async (sequence: number) =>
    (await events().where({ sequence }).first()) as ChainedContent & { id: number };
  const change = (sequence: number, values: object) => events().where({ sequence }).update(values);

  /** Removes the records after this one, as if it had always been the last. */
  const cutAfter = (sequence: number) =>
    withoutTriggers(database, async () => {
      await events().where('sequence', '>', sequence).delete();
      const { digest } = await events().where({ sequence }).first();
      await database('audit_chain').update({ sequence, digest });
    });
  /** Gives the records from this one on digests that fit, and the chain an end that fits. */
  const makeAnew = async (from: number, seal: object = {}) => {
    let head: ChainHead | undefined;
    for (const row of await events()
      .where('sequence', '>=', from - 1)
      .orderBy('sequence')) {
      const content = { ...row, at_ms: Number(row.at_ms) };
      if (head) head = { sequence: head.sequence + 1, digest: nextDigest(head, content) };
      else head = { sequence: Number(row.sequence), digest: row.digest };
      if (head.sequence >= from)
        await events()
          .where({ id: row.id })
          .update({ ...head, ...seal });
    }
    await database('audit_chain').update({ ...head });
  };

  describe('names', () => {
    let first: number;
    let head: ChainHead;
    beforeEach(async () => {
      ({ head } = await append(10));
      first = head.sequence - 9;
      expect(await faultsOf(sealed)).toEqual([]);
    });

    it.each([
      ['actor', { actor: 'client:other' }],
      ['time', { at_ms: 1_700_000_000_000 }],
      ['time that is none', { at_ms: 9e15 }],
      ['details', { details: '{"scope":"openid profile"}' }],
      ['details that are no JSON', { details: '{' }],
      ['address that was not there', { address: '192.0.2.7' }],
    ])('a changed record: %s', async (_, values) => {
      await withoutTriggers(database, () => change(first + 4, values));
      expect(await faultsOf()).toEqual([[first + 4, 'changed']]);
    });

    it('a changed record whose digest was made anew: the one after it, or by its seal itself', async () => {
      await withoutTriggers(database, async () => {
        const row = await rowAt(first + 4);
        const before = {
          sequence: first + 3,
          digest: (
            await events()
              .where({ sequence: first + 3 })
              .first()
          ).digest,
        };
        const changed = { ...row, at_ms: Number(row.at_ms), actor: 'client:other' };
        await change(first + 4, { actor: changed.actor, digest: nextDigest(before, changed) });
      });
      expect(await faultsOf()).toEqual([[first + 5, 'changed']]);
      expect(await faultsOf(sealed)).toEqual([
        [first + 4, 'its'],
        [first + 5, 'changed'],
      ]);
    });

    it('seals that were all taken away, with digests made anew: only up to which time, but for a head kept elsewhere', async () => {
      await withoutTriggers(database, async () => {
        await change(first, { seal: null });
        await change(first + 4, { actor: 'client:other' });
        await makeAnew(first + 1, { seal: null });
      });
      const { at_ms } = await rowAt(first + 9);
      expect(await verifyTrail(database, sealed)).toMatchObject({
        faults: [],
        sealed: 0,
        unsealed: 10,
        unsealedUntil: new Date(Number(at_ms)).toISOString(),
      });
      expect(await faultsOf(sealed, head)).toEqual([[head.sequence, 'another']]);
    });

    it.each([
      ['the first', 0],
      ['one in the middle', 5],
      ['the last', 9],
    ])('a removed record: %s', async (_, place) => {
      await withoutTriggers(database, () =>
        events()
          .where({ sequence: first + place })
          .delete(),
      );
      expect(await faultsOf()).toEqual([[first + place, 'missing']]);
    });

    it('an end that was cut off with the head: by a head that was kept elsewhere', async () => {
      await cutAfter(first + 6);
      expect(await faultsOf(sealed)).toEqual([]);
      expect(await faultsOf(unsealed, head)).toEqual([[first + 7, 'missing']]);
    });

    it('an end that was cut off while the service runs: in the trail itself', async () => {
      const trail = openAuditTrail({ events: chained, actor: 'service' });
      await trail.record({ event: 'token.revoked', client: 'before' });
      await cutAfter(first + 6);
      await trail.record({ event: 'token.revoked', client: 'after' });
      await trail.close();
      const [cut] = await openAuditEvents(database).search({ events: ['audit.cut'], limit: 2 });
      expect(cut?.details?.['expected']).toMatch(new RegExp(`^${head.sequence + 1}:`));
      expect(cut?.details?.['found']).toMatch(new RegExp(`^${first + 6}:`));
      expect(await faultsOf(unsealed, head)).toEqual([[head.sequence, 'missing']]);
    });

    it('a record inserted beside the chain', async () => {
      await withoutTriggers(database, async () => {
        const { id: _, ...row } = await rowAt(first + 4);
        await events().insert({ ...row, sequence: null, digest: null, seal: null });
      });
      const { id } = await events().whereNull('sequence').first();
      expect(await faultsOf()).toEqual([[`id ${id}`, 'inserted']]);
    });

    it('a record inserted into the chain, with a digest that fits', async () => {
      await withoutTriggers(database, async () => {
        for (let sequence = first + 9; sequence > first + 4; sequence -= 1)
          await change(sequence, { sequence: sequence + 1 });
        const { id: _, ...row } = await rowAt(first + 4);
        const digest = nextDigest(row as never, { ...row, at_ms: Number(row.at_ms) });
        await events().insert({ ...row, sequence: first + 5, digest, seal: null });
        await database('audit_chain').update({ sequence: first + 10 });
      });
      const faults = await faultsOf();
      expect(faults).toContainEqual([first + 6, 'changed']);
      expect(await faultsOf(sealed)).toContainEqual([first + 5, 'has']);
    });

    it('records that changed places', async () => {
      await withoutTriggers(database, async () => {
        const [one, other] = [await rowAt(first + 3), await rowAt(first + 7)];
        const place = ({ sequence, digest, seal }: Record<string, unknown>) => ({ sequence, digest, seal });
        await events().where({ id: one.id }).update({ sequence: null });
        await events()
          .where({ id: other.id })
          .update(place(one as never));
        await events()
          .where({ id: one.id })
          .update(place(other as never));
      });
      const faults = await faultsOf();
      expect(faults).toContainEqual([first + 3, 'changed']);
      expect(faults).toContainEqual([first + 7, 'changed']);
      expect(faults).toContainEqual([first + 4, 'moved']);
    });

    it('a chain that was made anew from a record on: by the seals, or by a head that was kept elsewhere', async () => {
      await withoutTriggers(database, async () => {
        await change(first + 4, { actor: 'client:other' });
        await makeAnew(first + 4);
      });
      expect(await faultsOf()).toEqual([]);
      expect((await faultsOf(sealed))[0]).toEqual([first + 4, 'its']);
      expect(await faultsOf(unsealed, head)).toEqual([[head.sequence, 'another']]);
      await withoutTriggers(database, () => makeAnew(first + 4, { seal: null }));
      expect((await faultsOf(sealed))[0]).toEqual([first + 4, 'has']);
    });

    it('a clean-up that the service did not do', async () => {
      const { digest } = await events()
        .where({ sequence: first + 3 })
        .first();
      await database('audit_chain').update({ pruned_sequence: first + 3, pruned_digest: digest });
      await events()
        .where('sequence', '<=', first + 3)
        .delete();
      expect(await faultsOf()).toEqual([]);
      expect(await faultsOf(sealed)).toEqual([[first + 3, 'records']]);
      expect(await faultsOf(sealed, { sequence: first + 3, digest })).toEqual([]);
    });

    it('SEC-80 records sealed with a secret that is not set, unless sealed ones follow; none with the old one, or with a head', async () => {
      await emptyAuditTrail(database);
      const { head: before } = await openAuditEvents(database, OLD_SECRET).append(records(4));
      const place = (await readEnds(database))?.pruned;
      expect(await faultsOf(sealed, place)).toEqual([[before.sequence - 3, 'sealed']]);
      await append(4);
      expect(await faultsOf(sealed, place)).toEqual([]);
      await openAuditEvents(database, OLD_SECRET).append(records(2));
      await append(1);
      expect(await faultsOf(sealed, place)).toEqual([[before.sequence + 5, 'sealed']]);
      expect(await faultsOf(sealed, before)).toEqual([[before.sequence + 5, 'sealed']]);
      const both = await openSeals(BOTH_SECRETS);
      expect(await faultsOf(both, place)).toEqual([]);
    });

    it('SEC-80 the place of a clean-up that the secret before has sealed, until keys encrypt seals it anew', async () => {
      await emptyAuditTrail(database);
      const events = openAuditEvents(database, OLD_SECRET);
      await events.append(records(4));
      await events.prune(Date.now() + 60_000, 2);
      await append(2);
      expect(await faultsOf(sealed)).toHaveLength(1);
      await resealCleanUp(database, sealed);
      expect(await faultsOf(sealed)).toHaveLength(1);
      await resealCleanUp(database, await openSeals(BOTH_SECRETS));
      expect(await faultsOf(sealed)).toEqual([]);
    });
  });
});
