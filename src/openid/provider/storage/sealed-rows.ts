// Rows that can be read with their id only. The database has neither the id of an interaction or a pushed request, which is a cookie
// or a request_uri, nor anything that leads to it (SEC-62).

import type { Adapter, AdapterPayload } from 'oidc-provider';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';

/** Seconds since the epoch. Instances of an older release, which cannot read the row, treat it as ended. */
const ENDED = 1;

/** Wraps an adapter: payloads are sealed by their id, except the fields by which rows are looked up. */
export function sealedRows(adapter: Adapter, model: string): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => {
      const { grantId } = payload;
      const sealed = seal(id, JSON.stringify(payload), model);
      const row = { exp: ENDED, sealed, ...(grantId !== undefined && { grantId }) };
      return adapter.upsert(id, row, expiresIn);
    },
    find: async (id) => {
      const row = await adapter.find(id);
      // Stored before rows were sealed.
      if (typeof row?.['sealed'] !== 'string') return row;
      const text = unseal([id], row['sealed'], model);
      if (text === undefined) return undefined;
      const { consumed } = row;
      return { ...(JSON.parse(text) as AdapterPayload), ...(consumed !== undefined && { consumed }) };
    },
  };
}
