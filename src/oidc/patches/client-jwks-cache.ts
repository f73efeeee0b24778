// Owns how long the public keys are believed that a client publishes at an address of its own (`jwksUrl`), and when they are
// read again. Does not own asking for them (`outgoing.ts`) nor what is verified with them, which is the library's.

import type { Provider } from 'oidc-provider';
import { epochSeconds } from '../../store/database/connection.ts';

/** Seconds between two readings, whoever signs with whatever; and for which one reading is good at most. */
const READ_AGAIN_AFTER = 60;
const BELIEVED_FOR = 600;

/** What the library's types leave out. */
interface PublishedKeys extends Iterable<object> {
  /** What the last answer said of its own age, a minute at least. */
  freshUntil?: number;
  fresh(): boolean;
  refresh(): Promise<void>;
  selectForVerify(wanted: object): readonly object[];
}
interface PublishingClient {
  jwksUri?: string;
  asymmetricKeyStore: PublishedKeys;
}

/**
 * Bends a provider that has answered nothing yet. By itself, the library reads the keys again only when one does not fit
 * and the last answer says that it is old: a key that is taken away would be good for ever, and a new one refused for days.
 */
export function rereadClientKeys(provider: Provider): void {
  const model = provider.Client as unknown as { find(id: unknown): Promise<PublishingClient | undefined> };
  const { find } = model;
  const bent = new WeakSet<PublishingClient>();
  model.find = async function (id) {
    const client = await find.call(this, id);
    if (client?.jwksUri && !bent.has(client)) {
      bent.add(client);
      bend(client.asymmetricKeyStore);
    }
    return client;
  };
}

function bend(keys: PublishedKeys): void {
  const { refresh, selectForVerify } = keys;
  let readAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let believedUntil = Number.NEGATIVE_INFINITY;

  // What lies further ahead than it ever may was noted by a clock that was set back since.
  const isWithin = (seconds: number, most: number) => seconds >= 0 && seconds < most;
  const believed = () => isWithin(believedUntil - epochSeconds() - 1, BELIEVED_FOR);
  // Where no key is found, or none fits, the library asks `fresh`; unless they are, it reads them and looks once more.
  keys.selectForVerify = (wanted) => (believed() ? selectForVerify.call(keys, wanted) : []);
  keys.fresh = () => believed() && isWithin(epochSeconds() - askedAt, READ_AGAIN_AFTER);
  keys.refresh = async () => {
    if (keys.fresh()) return;
    try {
      await refresh.call(keys);
      readAt = epochSeconds();
      believedUntil = Math.min(keys.freshUntil ?? 0, readAt + BELIEVED_FOR);
    } catch (error) {
      // An address that is down for a moment keeps nobody out; but what it cannot take back is not good for ever.
      const now = epochSeconds();
      const until = Math.min(now + READ_AGAIN_AFTER, readAt + BELIEVED_FOR);
      const left = until > now && [...keys].length > 0;
      believedUntil = left ? Math.max(believedUntil, until) : 0;
      if (!left) throw error;
    } finally {
      askedAt = epochSeconds();
    }
  };
}
