// Whether a database belongs to a sandbox: then all people in it are fictional, those that testers added as well.

import { type Database, epochSeconds } from './connection.ts';

export async function isSandbox(database: Database): Promise<boolean> {
  return (await database('sandbox').where({ id: 1 }).first()) !== undefined;
}

/** Nothing removes the mark. */
export async function markSandbox(database: Database): Promise<void> {
  await database('sandbox').insert({ id: 1, marked_at: epochSeconds() }).onConflict('id').ignore();
}
