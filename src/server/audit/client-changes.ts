// Records edits of `clients.yaml` in the audit trail (SEC-48): for each client, one event with the keys that changed.

import { isDeepStrictEqual } from 'node:util';
import type { ConfigIssue, ConfigurationError } from '#config/index.ts';
import type { ClientSettings } from '#config/settings.ts';
import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';

/** Text in an event for a setting that the client leaves out, so that the value in `service.yaml` applies. */
const OF_THE_SERVICE = 'of the service';

/** Records an accepted edit as the differences from the version before, and a refused edit with the keys or lines that have faults. */
export function recordClientEdits(audit: AuditTrail, initial: readonly ClientSettings[]) {
  let inForce = initial;
  let lastWasRefused = false;
  return {
    accepted: (clients: readonly ClientSettings[]): void => {
      const events = clientChanges(inForce, clients);
      if (events.length === 0) {
        const edit = lastWasRefused ? 'back to the version in force' : 'no client differs';
        events.push({ event: 'clients.changed', details: { edit } });
      }
      inForce = clients;
      lastWasRefused = false;
      for (const event of events) void audit.record(event);
    },
    refused: ({ issues }: ConfigurationError): void => {
      lastWasRefused = true;
      void audit.record({ event: 'clients.refused', details: { faults: issues.map(positionOf) } });
    },
  };
}

/** Makes one event for each client that was added, removed or changed. No event holds a secret or the hash of one. */
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

/** Describes the changes of one client, by the keys of `clients.yaml`. */
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
        // Without the colon, the redaction would take the value for a DPoP proof and mask it.
        case 'dpop':
          return `dpop: ${before.dpop === undefined ? '' : `${before.dpop} -> `}${after.dpop ?? 'none'}`;
        // A client without this key has the value `consent`.
        case 'refreshTokens':
          return `refresh tokens: ${before.refreshTokens ?? 'consent'} -> ${after.refreshTokens ?? 'consent'}`;
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
  const added = after.filter((hash) => !before.includes(hash)).length;
  return `secrets ${before.length} -> ${after.length}${added > 0 ? ` (${added} new)` : ''}`;
}

function listChange(before: readonly string[], after: readonly string[]): string {
  const removed = before.filter((item) => !after.includes(item)).map((item) => `-${item}`);
  const added = after.filter((item) => !before.includes(item)).map((item) => `+${item}`);
  return [...added, ...removed].join(' ') || 'in another order';
}

function rateText(rate: ClientSettings['rate']): string {
  return rate ? `${rate.perSecond}/s, ${rate.burst} at once` : OF_THE_SERVICE;
}

// Returns the key or the line of a fault, and its text only if both are unknown, because the text may quote the file.
function positionOf({ path, line, problem }: ConfigIssue): string {
  return path || (line === undefined ? problem : `line ${line}`);
}
