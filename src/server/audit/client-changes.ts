// Owns what the audit trail is told of edits of `clients.yaml`: which clients and what of them, once for all processes of a
// service. Does not own noticing edits (`src/config/watch.ts`) nor taking them (`service.ts`).

import { isDeepStrictEqual } from 'node:util';
import type { ConfigurationError, Fault } from '../../config/index.ts';
import type { ClientSettings } from '../../config/settings.ts';
import type { AuditEvent, AuditTrail } from '../../shared/audit/events.ts';

/** In place of a value that a client has from the service. */
const OF_THE_SERVICE = 'of the service';

export interface ClientEdits {
  taken(clients: readonly ClientSettings[]): void;
  refused(error: ConfigurationError): void;
}

/** Tells the trail of edits, against the version in force before, and lets each be remembered. */
export function tellClientEdits(
  audit: AuditTrail,
  initial: readonly ClientSettings[],
  memory?: { edited(clients: readonly ClientSettings[]): void },
): ClientEdits {
  let inForce = initial;
  let faulty = false;
  return {
    taken: (clients) => {
      const events = clientChanges(inForce, clients);
      if (events.length === 0) {
        const edit = faulty ? 'back to the version in force' : 'no client differs';
        events.push({ event: 'clients.changed', details: { edit } });
      }
      inForce = clients;
      faulty = false;
      for (const event of events.slice(0, -1)) audit.note(event);
      void audit.record(events.at(-1) as AuditEvent).then(() => memory?.edited(clients));
    },
    refused: ({ faults }) => {
      faulty = true;
      void audit.record({ event: 'clients.refused', details: { faults: faults.map(placeOf) } });
    },
  };
}

/** One event for each client that an edit added, removed or changed. No secret, nor the hash of one, is in any. */
export function clientChanges(before: readonly ClientSettings[], after: readonly ClientSettings[]): AuditEvent[] {
  const old = new Map(before.map((client) => [client.id, client]));
  const kept = new Set(after.map(({ id }) => id));
  const event = (client: string, edit: string, keys?: string[]): AuditEvent => ({
    event: 'clients.changed',
    client,
    details: { edit, ...(keys && { keys }) },
  });
  return [
    ...before.filter(({ id }) => !kept.has(id)).map(({ id }) => event(id, 'removed')),
    ...after.flatMap((client) => {
      const was = old.get(client.id);
      const keys = keyChanges(was ?? {}, client);
      return was && keys.length === 0 ? [] : [event(client.id, was ? 'changed' : 'added', keys)];
    }),
  ];
}

/** By the keys of `clients.yaml`. */
function keyChanges(before: Partial<ClientSettings>, after: ClientSettings): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof ClientSettings>;
  return [...names]
    .filter((name) => name !== 'id' && !isDeepStrictEqual(before[name] || [], after[name] || []))
    .map((name) => {
      switch (name) {
        case 'secretHashes':
          return secretChange(before.secretHashes ?? [], after.secretHashes);
        case 'callbackUrls':
        case 'logoutUrls':
        case 'scopes':
          return `${name} ${listChange(before[name] ?? [], after[name])}`;
        case 'jwks':
          return after.jwks ? 'jwks: other keys' : 'jwks: none';
        // Without the colon, what follows would be taken for a proof and be masked.
        case 'dpop':
          return `dpop: ${before.dpop === undefined ? '' : `${before.dpop} -> `}${after.dpop ?? 'none'}`;
        case 'rate':
          return `rate ${rateText(before.rate)} -> ${rateText(after.rate)}`;
        case 'secondFactor':
          return `secondFactor ${before.secondFactor ?? OF_THE_SERVICE} -> ${after.secondFactor ?? OF_THE_SERVICE}`;
        default:
          return before[name] === undefined
            ? `${name} ${after[name]}`
            : `${name} ${before[name]} -> ${after[name] ?? 'none'}`;
      }
    });
}

function secretChange(before: readonly string[], after: readonly string[]): string {
  const others = after.filter((hash) => !before.includes(hash)).length;
  return `secrets ${before.length} -> ${after.length}${others > 0 ? ` (${others} new)` : ''}`;
}

/** What came to a list and what went from it. */
export function listChange(before: readonly string[], after: readonly string[]): string {
  const gone = before.filter((item) => !after.includes(item)).map((item) => `-${item}`);
  const come = after.filter((item) => !before.includes(item)).map((item) => `+${item}`);
  return [...come, ...gone].join(' ') || 'in another order';
}

function rateText(rate: ClientSettings['rate']): string {
  return rate ? `${rate.perSecond}/s, ${rate.burst} at once` : OF_THE_SERVICE;
}

// Its texts may quote the file; a place never does.
function placeOf({ path, line, problem }: Fault): string {
  return path || (line === undefined ? problem : `line ${line}`);
}
