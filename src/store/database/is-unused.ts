// Whether a database has never held anything: it is new, another process makes it just now, or one was killed while it did.

import type { Database } from './connection.ts';

/** Of any schema: no account, no directory, no key. */
export async function isUnused(database: Database): Promise<boolean> {
  for (const table of ['accounts', 'directory_snapshots', 'service_keys']) {
    if (!(await database.schema.hasTable(table))) continue;
    const rows = database(table);
    // The one row that a migration inserts.
    if (await (table === 'service_keys' ? rows.whereNot({ purpose: 'lock' }) : rows).first()) return false;
  }
  return true;
}
