// Lets the library read the public keys of a client again at regular times, if the client publishes them at an address of its own
// (`jwksUrl`). By itself, the library reads the keys again only if no key fits a signature, so it would accept a withdrawn key for ever.

import type { ClientMetadata } from 'oidc-provider';
import { hasPrivateMembers } from '#shared/crypto/json-web-keys.ts';
import { epochSeconds } from '#store/database/connection.ts';

/**
 * Name of the metadata that Hygie adds to a client with a `jwksUrl`. The value is the number of the current reading of the client's keys.
 * When the number changes, the library takes the client for a new one and asks for its keys again.
 */
export const KEY_SET_READING = 'hygie_key_set_reading';

/** Seconds between two readings of the keys of a client. */
const READ_EVERY = 60;
/** Seconds for which the last keys that were read stay valid if the address cannot be read. */
const USABLE_FOR = 600;
/** Seconds after a failure before the address is requested again. The pause doubles with each failure, up to `READ_EVERY`. */
const FIRST_PAUSE = 5;

interface KeySet {
  reading: number;
  startedAt: number;
  endsAt: number;
  last?: { text: string; readAt: number };
  /** The request for the keys that is in progress. All callers wait for the same request. */
  pending?: Promise<string>;
  failed?: { times: number; at: number; error: unknown };
}

export type ClientKeySets = ReturnType<typeof createClientKeySets>;

/** Makes the store of key sets. `reach` is the function `fetch` that is used for addresses of clients. */
export function createClientKeySets(reach: typeof fetch) {
  const sets = new Map<string, KeySet>();

  const keySetAt = (address: string): KeySet => {
    const now = epochSeconds();
    const set = sets.get(address) ?? { reading: 0, startedAt: 0, endsAt: 0 };
    sets.set(address, set);
    // If the reading began in the future, the clock was set back. A new reading then begins as well.
    if (now >= set.endsAt || now < set.startedAt) {
      Object.assign(set, { reading: set.reading + 1, startedAt: now, endsAt: now + READ_EVERY });
    }
    return set;
  };

  const ask = async (set: KeySet, target: string, init: RequestInit | undefined): Promise<string> => {
    try {
      const response = await reach(target, init);
      if (response.status !== 200) throw new Error(`expected 200 OK, got ${response.status}`);
      const text = await response.text();
      assertPublicKeys(text);
      set.last = { text, readAt: epochSeconds() };
      delete set.failed;
      return text;
    } catch (error) {
      // If the address has published a private key, anybody may know it, so the stored keys are no longer used.
      if (error instanceof PrivateKeyPublished) delete set.last;
      set.failed = { times: (set.failed?.times ?? 0) + 1, at: epochSeconds(), error };
      throw error;
    }
  };

  const read = async (set: KeySet, target: string, init: RequestInit | undefined): Promise<string> => {
    const { last } = set;
    const age = last === undefined ? Number.POSITIVE_INFINITY : epochSeconds() - last.readAt;
    if (last && last.readAt >= set.startedAt && age >= 0) return last.text;
    try {
      // Anybody who knows a client_id can cause this request. So an address that could not be read just now is not requested again.
      if (rests(set)) throw set.failed?.error;
      set.pending ??= ask(set, target, init).finally(() => delete set.pending);
      return await set.pending;
    } catch (error) {
      // If the address cannot be read, the last keys stay valid for a while, so that the client is not locked out.
      const known = set.last;
      if (!known || age < 0 || age >= USABLE_FOR) throw error;
      set.endsAt = Math.min(set.endsAt, known.readAt + USABLE_FOR);
      return known.text;
    }
  };

  return {
    /** Returns the metadata of a client, with the number of the current reading if the client publishes its keys at an address. */
    withReading: (metadata: ClientMetadata): ClientMetadata =>
      metadata.jwks_uri === undefined
        ? metadata
        : { ...metadata, [KEY_SET_READING]: String(keySetAt(new URL(metadata.jwks_uri).href).reading) },
    /** Works like `fetch`. For the address of a key set, it returns the stored keys as long as the current reading lasts. */
    fetch: async (target: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
      const set = typeof target === 'string' ? sets.get(target) : undefined;
      if (!set || (init?.method ?? 'GET') !== 'GET') return reach(target, init);
      return new Response(await read(set, String(target), init));
    },
  };
}

/**
 * Tells whether a request to the address failed so recently that it is not requested now. If the failure is in the future, the clock was
 * set back, and the address is requested.
 */
function rests({ failed }: KeySet): boolean {
  if (!failed) return false;
  const age = epochSeconds() - failed.at;
  return age >= 0 && age < Math.min(FIRST_PAUSE * 2 ** (failed.times - 1), READ_EVERY);
}

class PrivateKeyPublished extends Error {}

function assertPublicKeys(text: string): void {
  const { keys } = (JSON.parse(text) ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('it is no JSON Web Key Set');
  const isObject = (key: unknown): key is object => typeof key === 'object' && key !== null;
  for (const key of keys.filter(isObject)) {
    if (hasPrivateMembers(key)) throw new PrivateKeyPublished('it holds a private key');
  }
  if (!keys.every(isObject)) throw new Error('it is no JSON Web Key Set');
}
