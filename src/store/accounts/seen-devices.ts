// The kinds of device with which people signed in to each account. A kind is a family of browser and a family of system; the day on which
// it was last seen is stored with it.

import { type Database, epochSeconds } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { columnsIn, type Row } from '#store/rows.ts';

const TABLE = 'seen_devices';
/**
 * A device that was seen less than DAY seconds ago is not written again. A device that was not seen for more than REMEMBERED seconds is
 * taken for a new one, and its row is deleted.
 */
const DAY = 86_400;
const REMEMBERED = 90 * DAY;

export interface SeenDevices {
  /**
   * Records a sign-in with a kind of device. Returns true if the device is new: the account has had other devices, but not this one for 90
   * days. Of several simultaneous sign-ins, only one gets true. Outdated rows are removed only after the row of this sign-in was written,
   * so that the account always has a row. Otherwise a simultaneous sign-in could take its device for the account's first one, of which the
   * person is not told.
   */
  note(accountId: string, device: string): Promise<boolean>;
}

/** Opens the devices of a database. */
export function openSeenDevices(database: Database): SeenDevices {
  const select = prepare<Row<'seen_devices'>>(database, (knex) =>
    knex(TABLE).select(columnsIn('seen_devices')).where('account_id', X),
  );
  const insert = prepare(database, (knex) =>
    knex(TABLE).insert({ account_id: X, device: X, seen_at: X }).onConflict(['account_id', 'device']).ignore(),
  );
  const renew = prepare(database, (knex) =>
    knex(TABLE).update({ seen_at: X }).where('account_id', X).where('device', X).where('seen_at', X),
  );
  const forget = prepare(database, (knex) => knex(TABLE).where('account_id', X).where('seen_at', '<', X).delete());
  return {
    note: async (accountId, device) => {
      const { rows } = await select(accountId);
      const now = epochSeconds();
      const before = rows.find((row) => row.device === device)?.seen_at;
      if (before === undefined) {
        const { changed } = await insert(accountId, device, now);
        await forget(accountId, now - REMEMBERED);
        return changed > 0 && rows.length > 0;
      }
      const age = now - Number(before);
      if (age < DAY) return false;
      const { changed } = await renew(now, accountId, device, before);
      await forget(accountId, now - REMEMBERED);
      return changed > 0 && age > REMEMBERED;
    },
  };
}
