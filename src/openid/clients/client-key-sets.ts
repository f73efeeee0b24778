// Lets the library read the public keys of a client regularly, if the client publishes them at its own address (`jwksUrl`). The library
// itself reads them again only if no key fits a signature, so it would accept a withdrawn key for ever.

import type { ClientMetadata } from 'oidc-provider';
import { hasPrivateMembers } from '#shared/crypto/json-web-keys.ts';
import { epochSeconds } from '#store/database/connection.ts';

/**
 * Metadata of our own: the number of the reading. It changes whenever the keys of a client must be read again, because the library then
 * takes it for a new client.
 */
export const KEY_SET_READING = 'hygie_key_set_reading';

/** Seconds between two readings. */
const READ_EVERY = 60;
/** Seconds for which the last keys are used while the address fails. */
const USABLE_FOR = 600;
/** Seconds until a failed address is requested again. They double with each failure, up to `READ_EVERY`. */
const FIRST_PAUSE = 5;

interface KeySet {
  reading: number;
  startedAt: number;
  endsAt: number;
  last?: { text: string; readAt: number };
  /** The request in progress. All callers that need its keys share it. */
  pending?: Promise<string>;
  failed?: { times: number; at: number; error: unknown };
}

export type ClientKeySets = ReturnType<typeof createClientKeySets>;

/** Makes the key sets. `reach` is the `fetch` for addresses of clients. */
export function createClientKeySets(reach: typeof fetch) {
  const sets = new Map<string, KeySet>();

  const keySetAt = (address: string): KeySet => {
    const now = epochSeconds();
    const set = sets.get(address) ?? { reading: 0, startedAt: 0, endsAt: 0 };
    sets.set(address, set);
    // A start in the future shows that the clock was set back after it.
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
      // If the address has published a private key, the keys that are cached from it cannot be trusted any more.
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
      // Anybody who knows the client_id can trigger this request, so a failing address is not requested every time.
      if (rests(set)) throw set.failed?.error;
      set.pending ??= ask(set, target, init).finally(() => delete set.pending);
      return await set.pending;
    } catch (error) {
      // A failing address locks nobody out for a while: the last keys stay in use.
      const known = set.last;
      if (!known || age < 0 || age >= USABLE_FOR) throw error;
      set.endsAt = Math.min(set.endsAt, known.readAt + USABLE_FOR);
      return known.text;
    }
  };

  return {
    /** Adds the number of the reading to the metadata of a client that publishes its keys. */
    withReading: (metadata: ClientMetadata): ClientMetadata =>
      metadata.jwks_uri === undefined
        ? metadata
        : { ...metadata, [KEY_SET_READING]: String(keySetAt(new URL(metadata.jwks_uri).href).reading) },
    /** Caches the last key set of each such client. */
    fetch: async (target: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
      const set = typeof target === 'string' ? sets.get(target) : undefined;
      if (!set || (init?.method ?? 'GET') !== 'GET') return reach(target, init);
      return new Response(await read(set, String(target), init));
    },
  };
}

/**
 * Checks whether an address failed so recently that it is not requested now. A failure in the future shows that the clock was set back
 * since.
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
