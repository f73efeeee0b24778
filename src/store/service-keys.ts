// Owns the table of keys that every instance of the service shares: signing keys and cookie keys.
// Does not own how they are made or used (`src/oidc/keys.ts`).

import type { Database } from './connection.ts';
import { epochSeconds } from './connection.ts';

export type KeyPurpose = 'signing' | 'cookies';

export interface ServiceKey {
  id: string;
  /** Text form of the key: a JWK for signing, random text for cookies. */
  material: string;
  createdAt: number;
}

export interface ServiceKeys {
  /** Newest first. */
  list(purpose: KeyPurpose): Promise<ServiceKey[]>;
  /** Stores the key unless the purpose already has one: of several instances that start at once, one wins. */
  addFirst(purpose: KeyPurpose, key: { id: string; material: string }): Promise<void>;
}

/** Opens the keys of a database. */
export function openServiceKeys(database: Database): ServiceKeys {
  return {
    list: async (purpose) => {
      const rows = await database('service_keys').where({ purpose }).orderBy('created_at', 'desc').orderBy('id');
      return rows.map((row) => ({ id: row.id, material: row.material, createdAt: Number(row.created_at) }));
    },
    addFirst: (purpose, key) =>
      database.transaction(async (transaction) => {
        // One fixed row per purpose decides the race: the second instance's insert changes nothing.
        const lock = { id: `first:${purpose}`, purpose: 'lock', material: '', created_at: epochSeconds() };
        await transaction('service_keys').insert(lock).onConflict('id').ignore();
        const present = await transaction('service_keys').where({ purpose }).first();
        if (present) return;
        await transaction('service_keys').insert({ ...key, purpose, created_at: epochSeconds() });
      }),
  };
}
