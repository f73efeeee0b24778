// Owns how what operators change is told to the audit trail: commands, edits of the clients, keys. Does not own the trail.

import { userInfo } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { ImportReport } from '../ingest/report.ts';
import type { KeyChange } from '../oidc/key-changes.ts';
import type { AuditActor, AuditEvent } from '../shared/audit.ts';
import type { ClientSettings } from '../shared/settings.ts';
import { openAuditEvents } from '../store/audit-events.ts';
import { openAuditTrail } from '../store/audit-trail.ts';
import type { Database } from '../store/connection.ts';

/** Who runs this command, by the name the system knows. */
export function operator(): AuditActor {
  try {
    return `operator:${userInfo().username}`;
  } catch {
    // A container may run under a number that has no name.
    return `operator:${process.getuid?.() ?? ''}`;
  }
}

/** Records what a command has done, and waits until it is stored. */
export function recordByOperator(database: Database, events: readonly AuditEvent[]): Promise<void> {
  return recordAs(operator(), database, events);
}

/** As `recordByOperator`, for what happens by itself. */
export async function recordAs(actor: AuditActor, database: Database, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  const trail = openAuditTrail({ events: openAuditEvents(database), actor });
  for (const event of events.slice(0, -1)) trail.note(event);
  await trail.record(events.at(-1) as AuditEvent);
  await trail.close();
}

/** The record of an import: none when nothing changed. */
export function importEvents({ outcome, snapshot, resources, guards }: ImportReport): AuditEvent[] {
  if (outcome === 'imported') {
    return [{ event: 'directory.imported', details: { snapshot, ...resources } }];
  }
  const failed = guards.filter(({ passed }) => !passed).map(({ name, figures }) => `${name}: ${figures}`);
  return outcome === 'refused' ? [{ event: 'directory.refused', details: { guards: failed } }] : [];
}

const KEY_EVENTS = {
  created: 'key.created',
  waits: 'key.created',
  active: 'key.activated',
  removed: 'key.removed',
  encrypted: 'key.encrypted',
} as const;

/** The record of a change of keys. */
export function keyEvent({ what, kind, id, activeAt }: KeyChange): AuditEvent {
  const used = activeAt === undefined ? {} : { usedFrom: new Date(activeAt * 1000).toISOString() };
  return { event: KEY_EVENTS[what], details: { kind, key: id, ...used } };
}

/** Which clients an edit added, removed or changed, and which of their keys. */
export function clientChanges(
  before: readonly ClientSettings[],
  after: readonly ClientSettings[],
): AuditEvent['details'] {
  const old = new Map(before.map((client) => [client.id, client]));
  const kept = new Set(after.map(({ id }) => id));
  const added = after.filter(({ id }) => !old.has(id)).map(({ id }) => id);
  const removed = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  const changed = after.flatMap((client) => {
    const was = old.get(client.id);
    const keys = was ? changedKeys(was, client) : [];
    return keys.length === 0 ? [] : [`${client.id}: ${keys.join(' ')}`];
  });
  return {
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
    ...(changed.length > 0 && { changed }),
  };
}

function changedKeys(before: ClientSettings, after: ClientSettings): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof ClientSettings>;
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
