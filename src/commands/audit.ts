// Owns the command `audit`: searching the audit trail. Does not own the trail (`src/store/audit-events.ts`).

import { AUDIT_EVENTS, type AuditEventName } from '../shared/audit.ts';
import { nearest } from '../shared/nearest.ts';
import { openAccounts } from '../store/accounts.ts';
import { type AuditRecord, type AuditSearch, openAuditEvents } from '../store/audit-events.ts';
import type { Database } from '../store/connection.ts';
import { UUID } from './account-fields.ts';
import { type Command, parseOptions, Refusal, UsageError } from './command.ts';
import { withCurrentDatabase } from './open-database.ts';
import { columns } from './output.ts';

const NAMES = Object.keys(AUDIT_EVENTS) as AuditEventName[];
const DEFAULT_LIMIT = 100;
const MOST = 1_000_000;

const OPTIONS = {
  account: { type: 'string' },
  client: { type: 'string' },
  event: { type: 'string', multiple: true },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Searches the audit trail: who did what, when, with which application, from where',
  help: `
Usage: hygie audit [--account ACCOUNT] [--client ID] [--event NAME]... [--since TIME] [--until TIME] [--limit N] [--json]

Prints the newest records that fit, oldest first; times are UTC.

  --account   UUID or e-mail address; the UUID also of an account that is gone
  --client    client_id
  --event     name of an event, or what stands before its dot (sign-in); may be repeated
  --since     from this time on; --until: before it. A date (2026-11-21), a date and time (2026-11-21T08:00:00Z; without
              Z or offset in the time zone of this machine), or that long ago (30m, 12h, 7d)
  --limit     the newest so many (${DEFAULT_LIMIT})
  --json      one JSON object per line

Records are kept for audit.keep (service.yaml). Events:
${eventList()}`,
  async run(args) {
    const { values, positionals } = parseOptions(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError(`audit does not take "${positionals[0]}".`);
    const since = values.since === undefined ? undefined : instantOf('--since', values.since);
    const until = values.until === undefined ? undefined : instantOf('--until', values.until);
    const search: AuditSearch = {
      limit: limitOf(values.limit),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(values.client !== undefined && { client: values.client }),
      ...(values.event && { events: values.event.flatMap(eventsNamed) }),
    };
    await withCurrentDatabase(async (database) => {
      const account = values.account === undefined ? undefined : await accountOf(database, values.account);
      const found = await openAuditEvents(database).search({ ...search, ...(account !== undefined && { account }) });
      process.stdout.write(values.json ? found.map((record) => `${JSON.stringify(record)}\n`).join('') : table(found));
      if (found.length === 0) process.stderr.write('No record fits.\n');
      if (found.length === search.limit) process.stderr.write(`The newest ${search.limit}; more with --limit.\n`);
    });
    return 0;
  },
};

function table(records: readonly AuditRecord[]): string {
  if (records.length === 0) return '';
  const rows = records.map(({ time, event, actor, account, client, address, requestId, details }) => [
    time,
    event,
    actor,
    account ?? '',
    client ?? '',
    address ?? '',
    requestId ?? '',
    Object.entries(details ?? {})
      .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`)
      .join(' '),
  ]);
  return columns(['TIME', 'EVENT', 'ACTOR', 'ACCOUNT', 'CLIENT', 'ADDRESS', 'REQUEST', 'DETAILS'], rows);
}

async function accountOf(database: Database, who: string): Promise<string> {
  if (UUID.test(who)) return who.toLowerCase();
  const found = await openAccounts(database).findByEmail(who);
  if (!found) throw new Refusal(`There is no account "${who}". One that is gone is found by its UUID.`);
  return found.account.id;
}

function eventsNamed(name: string): AuditEventName[] {
  const found = NAMES.filter((known) => known === name || known.startsWith(`${name}.`));
  if (found.length > 0) return found;
  const near = nearest(name, NAMES);
  throw new UsageError(`Unknown event "${name}". ${near ? `Did you mean "${near}"?` : 'See: hygie audit --help'}`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Milliseconds since the epoch. */
function instantOf(option: string, text: string): number {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return Date.now() - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const instant = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(instant)) return instant;
  throw new UsageError(`${option} is no time: "${text}". Write 2026-11-21, 2026-11-21T08:00:00Z or 12h.`);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST) return limit;
  throw new UsageError(`--limit is a number from 1 to ${MOST}.`);
}

function eventList(): string {
  const width = Math.max(...NAMES.map((name) => name.length));
  return NAMES.map((name) => `  ${name.padEnd(width)}  ${AUDIT_EVENTS[name][1]}`).join('\n');
}
