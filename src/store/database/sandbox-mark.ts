// Marks and recognises the database of a sandbox, in which all people are fictional, including people that testers added.
// `server/start/fictional-people.ts` has the rules for such a database.

import { type Database, epochSeconds } from './connection.ts';

export async function isSandbox(database: Database): Promise<boolean> {
  return (await database('sandbox').where({ id: 1 }).first()) !== undefined;
}

/** Marks the database. The mark is never removed. */
export async function markSandbox(database: Database): Promise<void> {
  await database('sandbox').insert({ id: 1, marked_at: epochSeconds() }).onConflict('id').ignore();
}
