// Owns that the audit trail is told of what was changed while the service stood still: once it answers, its settings and clients
// are compared with what is known since the start or edit before. Does not own what differs (`configuration-difference.ts`), what
// is remembered (`remembered-settings.ts`, `remembered-clients.ts`) nor the table (`src/store/audit/known-configuration.ts`).

import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { ClientSettings, Settings } from '../../config/settings.ts';
import type { AuditEvent } from '../../shared/audit/events.ts';
import type { Logger } from '../../shared/log/log.ts';
import type { AuditEvents } from '../../store/audit/audit-events.ts';
import { openAuditTrail } from '../../store/audit/audit-trail.ts';
import { openKnownConfiguration } from '../../store/audit/known-configuration.ts';
import type { Database } from '../../store/database/connection.ts';
import { differenceFrom } from './configuration-difference.ts';
import { rememberedClients } from './remembered-clients.ts';
import { rememberedSettings } from './remembered-settings.ts';

export interface ConfigurationMemory {
  /** To be called once the service answers: what it was told is in force. */
  inForce(): void;
  /** After an edit, of which the trail was told. */
  edited(clients: readonly ClientSettings[]): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Other instances that start at the same time may each come first once. */
const TRIES = 20;
/** Milliseconds until what failed, as while the database is away, is tried again. */
const AGAIN_AFTER = 60_000;

/** The memory of this instance in a migrated database. Nothing that goes wrong here keeps the service from its work. */
export function openConfigurationMemory(options: {
  database: Database;
  settings: Settings;
  clients: readonly ClientSettings[];
  log: Logger;
  env?: Readonly<Record<string, string | undefined>>;
  againAfter?: number;
}): ConfigurationMemory {
  const { database, settings, clients, log, env, againAfter = AGAIN_AFTER } = options;
  // No two that run at the same time share it. What is remembered under it outlives a restart where names are given by hand.
  const instance = `${hostname()}:${settings.listen.port}`;
  const known = openKnownConfiguration(database, instance);

  const compare = async (present: readonly ClientSettings[], isTold: boolean) => {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const seen = await known.read();
      const { last, own } = seen.clients;
      const contents = {
        service: rememberedSettings(settings),
        clients: await rememberedClients(present, settings, [last?.content ?? '', own?.content ?? ''], env),
      };
      const { events, notes, next } = differenceFrom(seen, contents, instance);
      const stored = isTold
        ? // Of the settings of others, which may have started meanwhile, nothing was told.
          await known.replace(seen, { service: {}, clients: next.clients }, async () => {})
        : await known.replace(seen, next, (table) => record(events, table, log));
      if (!stored) continue;
      for (const { level, text } of isTold ? [] : notes) log[level]({ instance }, text);
      return;
    }
    throw new Error('others changed it each time');
  };
  const closing = new AbortController();
  const attempt = async (present: readonly ClientSettings[], isTold: boolean): Promise<boolean> => {
    for (let warned = false; ; warned = true) {
      try {
        await compare(present, isTold);
        return true;
      } catch (err) {
        const text = 'the configuration was not compared with the one before: it is tried again, at the next start too';
        if (!warned) log.warn({ err }, text);
      }
      await setTimeout(againAfter, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return false;
    }
  };

  // An edit must not stand in for what a start could not tell.
  let last: Promise<boolean> | undefined;
  let early: readonly ClientSettings[] | undefined;
  const edited = (edit: readonly ClientSettings[]) => {
    if (last) last = last.then((ready) => ready && attempt(edit, true));
    else early = edit;
  };
  return {
    inForce: () => {
      last = attempt(clients, false);
      if (early) edited(early);
    },
    edited,
    close: async () => {
      closing.abort();
      await last;
    },
  };
}

// With what is remembered, or not at all: the trail by itself would keep them for later.
async function record(events: readonly AuditEvent[], table: AuditEvents, log: Logger): Promise<void> {
  let fault: { reason: unknown } | undefined;
  const append: AuditEvents['append'] = async (records) => {
    try {
      await table.append(records);
    } catch (reason) {
      fault = { reason };
      throw reason;
    }
  };
  const trail = openAuditTrail({ events: { ...table, append }, log, actor: 'service' });
  for (const event of events) trail.note(event);
  await trail.close();
  if (fault) throw fault.reason;
}
