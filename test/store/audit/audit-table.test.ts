// SEC-67: the table of the audit trail: one line however many write, and no removal but by a clean-up. On both engines.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openSeals, type Seals } from '#shared/crypto/seals.ts';
import { readEnds } from '#store/audit/audit-chain.ts';
import { type AuditEvents, openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { emptyAuditTrail, records } from '#support/audit-trail.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

const SECRET = ['a secret of the operator, long enough to be one'];
const DAY = 86_400_000;

describe.each(bothEngines('store/audit/audit-table'))('SEC-67 the table of the audit trail on %s', (engine) => {
  let database: Database;
  let sealed: Seals;
  let unsealed: Seals;
  let chained: AuditEvents;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(async () => {
    database = opened.database;
    chained = openAuditEvents(database, SECRET);
    sealed = await openSeals(SECRET);
    unsealed = await openSeals([]);
  });
  beforeEach(() => emptyAuditTrail(database));

  const events = () => database('audit_events');

  it('is one line when two instances write at once, each in its order', async () => {
    const other = openDatabase(opened.settings);
    try {
      const before = (await readEnds(database))?.head.sequence ?? 0;
      const trails = [database, other].map((one) =>
        openAuditTrail({ events: openAuditEvents(one, SECRET), actor: 'service' }),
      );
      const writers = trails.flatMap((trail, place) =>
        Array.from({ length: 60 }, async (_, turn) => {
          trail.note({ event: 'token.issued', client: `${place}` });
          await trail.record({ event: 'token.revoked', client: `${place}`, details: { turn } });
        }),
      );
      const alone = [database, other].map((one) => openAuditEvents(one, SECRET));
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

  it('takes part in the transaction of a change: given up with it, and committed with it', async () => {
    const appendIn = (end: (transaction: Database) => unknown) =>
      database.transaction(async (transaction) => {
        await openAuditEvents(transaction, SECRET).append(records(2));
        await end(transaction);
      });
    const fail = () => Promise.reject(new Error('the change failed'));
    await expect(appendIn(fail)).rejects.toThrow('the change failed');
    expect(await events()).toEqual([]);
    await appendIn((transaction) => transaction('mail_queue').delete());
    expect((await verifyTrail(database, unsealed)).faults).toEqual([]);
    expect(await events()).toHaveLength(2);
  });

  it('the table refuses changes and the removal of anything but what a clean-up has written down', async () => {
    await chained.append(records(3));
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
    for (const _round of rounds()) {
      const count = await remove();
      if (count === 0) break;
      removed.push(count);
    }
    expect(removed).toEqual([250, 71]);
    const { faults, records: left, pruned, first } = await verifyTrail(database, sealed);
    expect([faults, left, first?.sequence]).toEqual([[], 5, pruned.sequence + 1]);
  });

  it('SEC-58 however many records came from a clock that was ahead, the old ones after them are removed', async () => {
    await chained.append(records(600, Date.now() + 3000 * DAY));
    await chained.append(records(20, Date.now() - 400 * DAY));
    await chained.append(records(5));
    for (const _round of rounds()) if ((await chained.prune(Date.now() - 365 * DAY)) === 0) break;
    const { faults, records: left } = await verifyTrail(database, sealed);
    expect([faults, left]).toEqual([[], 5]);
  });
});
