// The kinds of device that an account was signed in to with, on both engines.

import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { ENGINES, openTestDatabase } from '#support/databases.ts';

const DAY = 86_400;

describe.each(ENGINES)('seen devices on %s', (engine) => {
  it('one is new once, of many sign-ins at once too, and again after 90 days; never the first of an account', async () => {
    const { database, close } = await openTestDatabase(engine);
    try {
      const people = ['a', 'b'].map((name) => ({ email: `${name}@a.example`, name }));
      const [one = '', other = ''] = (await openAccounts(database).create(people)).map(({ id }) => id);
      const devices = openSeenDevices(database);
      const seenAt = (device: string, days: number) =>
        database('seen_devices')
          .where({ account_id: one, device })
          .update({ seen_at: epochSeconds() - days * DAY });
      expect(await devices.note(one, 'Safari, iOS')).toBe(false);
      const together = await Promise.all(Array.from({ length: 10 }, () => devices.note(one, 'Firefox, Linux')));
      expect(together.filter(Boolean)).toHaveLength(1);
      expect(await devices.note(one, 'Firefox, Linux')).toBe(false);
      expect(await devices.note(other, 'Firefox, Linux')).toBe(false);
      await seenAt('Safari, iOS', 89);
      expect(await devices.note(one, 'Safari, iOS')).toBe(false);
      // The sign-in renewed it.
      const [row] = await database('seen_devices').where({ account_id: one, device: 'Safari, iOS' });
      expect(Number(row.seen_at)).toBeGreaterThan(epochSeconds() - DAY);
      await seenAt('Safari, iOS', 91);
      const again = await Promise.all(Array.from({ length: 10 }, () => devices.note(one, 'Safari, iOS')));
      expect(again.filter(Boolean)).toHaveLength(1);
      await database('accounts').where({ id: one }).delete();
      expect(await database('seen_devices').where({ account_id: one })).toEqual([]);
    } finally {
      await close();
    }
  });
});
