// Records the effects of commands, of imports and of changes of the keys in the audit trail.

import { userInfo } from 'node:os';
import { operatorNamed } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { ImportAlreadyRunning } from '#import/collect/import-error.ts';
import { sentencesOf } from '#import/guards/verdict.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { KeyChange } from '#openid/keys/key-changes.ts';
import type { AuditActor, AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { openAuditEvents, recordOf } from '#store/audit/audit-events.ts';
import type { Database } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';

/**
 * Returns the operator of this command: HYGIE_OPERATOR if it is set, otherwise SUDO_USER, otherwise the name of the account of the process.
 */
export function operator(): AuditActor {
  const named = operatorNamed(process.env);
  if (named !== undefined) return `operator:${named}`;
  try {
    return `operator:${userInfo().username}`;
  } catch {
    // A container may run under a user id that has no name.
    return `operator:${process.getuid?.() ?? ''}`;
  }
}

/**
 * Records the effect of a command. Resolves when the record is stored. In a transaction, the record is stored when the transaction is
 * committed.
 */
export function recordByOperator(
  database: Database,
  keys: Pick<Settings['keys'], 'secrets'>,
  events: readonly AuditEvent[],
): Promise<void> {
  return recordAs(operator(), database, keys, events);
}

/** Does the same as `recordByOperator` for another actor. */
export async function recordAs(
  actor: AuditActor,
  database: Database,
  { secrets }: Pick<Settings['keys'], 'secrets'>,
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  try {
    const append = () => openAuditEvents(database, secrets).append(events.map((event) => recordOf(event, actor)));
    // If storing the record fails, it is tried again. If the database had stored it and only the answer was lost, the record is then stored
    // twice, which is better than not at all.
    await (database.isTransaction ? append() : outlastFailOver(database, append));
  } catch (error) {
    if (database.isTransaction) throw error;
    throw new Refusal('It is done, but the audit trail has no record of it: the database did not take it.');
  }
}

/** The event of each outcome of an import. The metrics use the same outcomes. */
export const IMPORT_EVENTS = {
  imported: 'directory.imported',
  refused: 'directory.refused',
  kept: 'directory.kept',
  'rolled-back': 'directory.rolled-back',
} as const satisfies Record<string, AuditEventName>;

/**
 * Makes the record of an import. An import that changes nothing has no record, except if the import before was refused. Then
 * `directory.kept` says that the edition in force stays.
 */
export async function importEvents(
  database: Database,
  { outcome, snapshot, resources, guards, judgement }: ImportReport,
): Promise<AuditEvent[]> {
  if (outcome === 'imported') {
    const accepted = sentencesOf(guards.filter((guard) => guard.accepted));
    return [
      { event: 'directory.imported', details: { snapshot, ...resources, ...(accepted.length > 0 && { accepted }) } },
    ];
  }
  if (outcome === 'refused') return [{ event: 'directory.refused', details: { guards: judgement.reasons } }];
  if (outcome !== 'unchanged') return [];
  const [last] = await outlastFailOver(database, () =>
    openAuditEvents(database).search({ events: Object.values(IMPORT_EVENTS), limit: 1 }),
  );
  return last?.event === IMPORT_EVENTS.refused ? [{ event: IMPORT_EVENTS.kept }] : [];
}

/**
 * Makes the record of an import that threw. If it threw because another import is in progress, there is no record, because nothing has
 * failed.
 */
export function failedImportEvents(error: unknown): AuditEvent[] {
  if (error instanceof ImportAlreadyRunning) return [];
  const reason = error instanceof Error ? error.message : String(error);
  return [{ event: 'directory.refused', details: { reason } }];
}

const KEY_EVENTS = {
  created: 'key.created',
  waits: 'key.created',
  active: 'key.activated',
  removed: 'key.removed',
  encrypted: 'key.encrypted',
} as const;

/**
 * In an audit record `key.encrypted`, this `kind` means that the secrets of second factors were encrypted. They are encrypted together with
 * the keys.
 */
export const SECOND_FACTORS = 'second-factors';

/** A change: the secrets of all second factors were encrypted. `count` is their number. */
export interface SecondFactorsEncrypted {
  what: 'encrypted';
  kind: typeof SECOND_FACTORS;
  count: number;
}

/** Makes the record of a change of keys, or of secrets that are encrypted like keys. */
export function keyEvent(change: KeyChange | SecondFactorsEncrypted): AuditEvent {
  if (change.kind === SECOND_FACTORS) {
    return { event: KEY_EVENTS.encrypted, details: { kind: change.kind, count: change.count } };
  }
  const { what, kind, id, activeAt } = change;
  const used = activeAt === undefined ? {} : { usedFrom: new Date(activeAt * 1000).toISOString() };
  return { event: KEY_EVENTS[what], details: { kind, key: id, ...used } };
}
