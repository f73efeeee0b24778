// SEC-67: the hash chain of the audit trail: one line however many write, and what is done to its records behind the service's
// back is found and named. On both engines.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ChainedContent,
  type ChainHead,
  nextDigest,
  openSeals,
  type Seals,
} from '../../../src/store/audit/audit-chain.ts';
import { type AuditEvents, type AuditRecord, openAuditEvents } from '../../../src/store/audit/audit-events.ts';
import { openAuditTrail } from '../../../src/store/audit/audit-trail.ts';
import { readEnds } from '../../../src/store/audit/chain-reader.ts';
import { verifyTrail } from '../../../src/store/audit/verify-trail.ts';
import { type Database, openDatabase } from '../../../src/store/database/connection.ts';
import { emptyAuditTrail, withoutTriggers } from '../../support/audit-trail.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../support/databases.ts';

const SECRET = 'a secret of the operator, long enough to be one';
const OLD_SECRET = 'the secret that the operator had a year before it';
const DAY = 86_400_000;

const records = (count: number, at = Date.now()): AuditRecord[] =>
  Array.from({ length: count }, (_, place) => ({
    time: new Date(at + place).toISOString(),
    event: 'token.issued',
    outcome: 'success',
    actor: 'client:app',
    details: { scope: 'openid', place: `${place} – é` },
  }));

describe.each(ENGINES)('SEC-67 the chain of the audit trail on %s', (engine) => {
  let opened: TestDatabase;
  let database: Database;
  let sealed: Seals;
  let unsealed: Seals;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    database = opened.database;
    chained = openAuditEvents(database, [SECRET]);
    sealed = await openSeals([SECRET]);
    unsealed = await openSeals([]);
  });
  afterAll(() => opened.close());
  beforeEach(() => emptyAuditTrail(database));

  const events = () => database('audit_events');
  // Opened once: each opening derives the key of the seals anew.
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

  it('is one line when two instances write at once, each in its order', async () => {
    const other = openDatabase(opened.settings);
    try {
      const before = (await readEnds(database))?.head.sequence ?? 0;
      const trails = [database, other].map((one) =>
        openAuditTrail({ events: openAuditEvents(one, [SECRET]), actor: 'service' }),
      );
      const writers = trails.flatMap((trail, place) =>
        Array.from({ length: 60 }, async (_, turn) => {
          trail.note({ event: 'token.issued', client: `${place}` });
          await trail.record({ event: 'token.revoked', client: `${place}`, details: { turn } });
        }),
      );
      const alone = [database, other].map((one) => openAuditEvents(one, [SECRET]));
      const bare = Array.from({ length: 40 }, (_, turn) => alone[turn % 2]?.append(records(3)));
      await Promise.all([...writers, ...bare]);
      await Promise.all(trails.map((trail) => trail.close()));
      const verified = await verifyTrail(database, unsealed);
      expect(verified.faults).toEqual([]);
      expect(verified.last?.sequence).toBe(before + 2 * 2 * 60 + 40 * 3);
      for (const place of ['0', '1']) {
        const turns = await events().where({ event: 'token.revoked', client_id: place }).orderBy('sequence');
        expect(turns.map(({ details }) => JSON.parse(details).turn)).toEqual(
          Array.from({ length: 60 }, (_, turn) => turn),
        );
      }
    } finally {
      await other.destroy();
    }
  });

  it('the table refuses changes and the removal of anything but what a clean-up has written down', async () => {
    await append(3);
    await expect(events().delete()).rejects.toThrow(/only the clean-up/);
    await expect(events().update({ actor: 'nobody' })).rejects.toThrow(/never changed/);
    await expect(database('audit_chain').delete()).rejects.toThrow(/only the clean-up/);
    const [row] = await events().limit(1);
    if (engine === 'sqlite') {
      // REPLACE would remove the row without its trigger.
      const replacing = { ...row, actor: 'nobody' };
      await expect(events().insert(replacing).onConflict('id').merge()).rejects.toThrow(/never changed/);
      for (const key of ['id', 'sequence']) {
        const names = Object.keys(row).filter((name) => name !== (key === 'id' ? 'sequence' : 'id'));
        const values = names.map((name) => replacing[name]);
        const replace = `replace into audit_events (${names}) values (${names.map(() => '?')})`;
        await expect(database.raw(replace, values)).rejects.toThrow(/never changed/);
      }
    }
    if (engine === 'postgresql') {
      await expect(database.raw('truncate audit_events')).rejects.toThrow(/only the clean-up/);
      await expect(database.raw('truncate audit_chain')).rejects.toThrow(/only the clean-up/);
    }
    expect((await verifyTrail(database, sealed)).faults).toEqual([]);
  });

  it('verifies after a clean-up, whose place is sealed; a record from a clock that was ahead goes with its neighbours', async () => {
    const trail = chained;
    const old = Date.now() - 400 * DAY;
    await trail.append(records(300, old));
    await trail.append(records(1, Date.now() + 3000 * DAY));
    await trail.append(records(20, old));
    await trail.append(records(5));
    const remove = () => trail.prune(Date.now() - 365 * DAY);
    const removed: number[] = [];
    for (let count = await remove(); count > 0; count = await remove()) removed.push(count);
    expect(removed).toEqual([250, 71]);
    const { faults, records: left, pruned, first } = await verifyTrail(database, sealed);
    expect([faults, left, first?.sequence]).toEqual([[], 5, pruned.sequence + 1]);
  });

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
      await withoutTriggers(database, async () => {
        await events()
          .where('sequence', '>', first + 6)
          .delete();
        const { digest } = await events()
          .where({ sequence: first + 6 })
          .first();
        await database('audit_chain').update({ sequence: first + 6, digest });
      });
      expect(await faultsOf(sealed)).toEqual([]);
      expect(await faultsOf(unsealed, head)).toEqual([[first + 7, 'missing']]);
    });

    it('an end that was cut off while the service runs: in the trail itself', async () => {
      const trail = openAuditTrail({ events: chained, actor: 'service' });
      await trail.record({ event: 'token.revoked', client: 'before' });
      await withoutTriggers(database, async () => {
        await events()
          .where('sequence', '>', first + 6)
          .delete();
        const { digest } = await events()
          .where({ sequence: first + 6 })
          .first();
        await database('audit_chain').update({ sequence: first + 6, digest });
      });
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

    it('records sealed with a secret that is not set; none with the old one, or with a head from before', async () => {
      await emptyAuditTrail(database);
      const { head: before } = await openAuditEvents(database, [OLD_SECRET]).append(records(4));
      await append(4);
      const place = (await readEnds(database))?.pruned;
      expect(await faultsOf(sealed, place)).toEqual([[before.sequence - 3, 'sealed']]);
      expect(await faultsOf(sealed, before)).toEqual([]);
      expect(await faultsOf(await openSeals([SECRET, OLD_SECRET]), place)).toEqual([]);
    });
  });
});
