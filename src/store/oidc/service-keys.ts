// The table of keys that all instances of the service share: signing keys of each algorithm, and keys for cookies.

import type { Knex } from 'knex';
import { type Database, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';

/** The kind of a key: the JWS algorithm of a signing key, or `cookies` for a key that signs cookies. */
export const KEY_KINDS = ['RS256', 'ES256', 'EdDSA', 'cookies'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface ServiceKey {
  id: string;
  kind: KeyKind;
  /** Stored text of the key, which is encrypted if the service has a key secret. */
  material: string;
  createdAt: number;
  /** Second from which the service signs with the key. Before that, the key is only published. */
  activeAt: number;
}

const TABLE = 'service_keys';

function keyOf({ id, purpose, material, created_at, active_at }: Row<'service_keys'>): ServiceKey {
  return { id, kind: purpose as KeyKind, material, createdAt: Number(created_at), activeAt: Number(active_at) };
}

export type ServiceKeys = ReturnType<typeof openServiceKeys>;

/** Opens the keys of a database. */
export function openServiceKeys(database: Database) {
  const inOrder = (knex: Knex) =>
    knex(TABLE).whereNot('purpose', 'lock').orderBy('active_at').orderBy('created_at').orderBy('id');
  return {
    /** Lists all keys, in the order of the times from which they are used. */
    list: async (): Promise<ServiceKey[]> => (await inOrder(database)).map(keyOf),
    /**
     * Stores a key if the last key of the same kind still is `after` (undefined: there is no key of this kind). If several instances do
     * this at once, only one key is stored. The instance that stored it gets true, the others get false. `check` is called first, with the
     * keys that are stored by then.
     */
    add: (
      { id, kind, material, activeAt }: Omit<ServiceKey, 'createdAt'>,
      after: string | undefined,
      check: (stored: ServiceKey[]) => Promise<void> = async () => {},
    ): Promise<boolean> =>
      database.transaction(async (transaction) => {
        // This write comes first because it locks the row: a second instance waits here until the first has finished.
        await transaction(TABLE).where({ id: 'lock' }).update({ created_at: epochSeconds() });
        await check((await inOrder(transaction)).map(keyOf));
        const last = (await inOrder(transaction).where({ purpose: kind })).at(-1);
        if (last?.id !== after) return false;
        const key = { id, purpose: kind, material, created_at: epochSeconds(), active_at: activeAt };
        await transaction(TABLE).insert(key);
        return true;
      }),
    /** Sets the second at which a key that is not in use yet comes into use. */
    activate: async (id: string, at: number): Promise<void> => {
      await database(TABLE).where({ id }).update({ active_at: at });
    },
    /**
     * Replaces the stored text of a key, for example by the same key encrypted with a new secret. Returns false if the key was changed or
     * removed meanwhile.
     */
    rewrite: async (
      { id, material: before }: Pick<ServiceKey, 'id' | 'material'>,
      material: string,
    ): Promise<boolean> => (await database(TABLE).where({ id, material: before }).update({ material })) > 0,
    /** Removes keys. Returns how many of them were still stored. */
    remove: (ids: readonly string[]): Promise<number> =>
      database(TABLE)
        .whereIn('id', [...ids])
        .whereNot('purpose', 'lock')
        .delete(),
  };
}
