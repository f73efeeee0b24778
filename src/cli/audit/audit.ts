// The command `audit`: searches the audit trail. `audit verify` and `audit export` are in files of their own.

import { isIP } from 'node:net';
import { UUID } from '#cli/accounts/account-fields.ts';
import { action, type Command, flag, option, type Values } from '#cli/support/command.ts';
import { columns } from '#cli/support/output.ts';
import { clientsAsWritten } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { AUDIT_EVENTS, type AuditEventName } from '#shared/audit/events.ts';
import { didYouMean } from '#shared/nearest.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { present } from '#shared/present.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { type Accounts, openAccounts } from '#store/accounts/accounts.ts';
import { type AuditEvents, type AuditRecord, type AuditSearch, openAuditEvents } from '#store/audit/audit-events.ts';
import { exportAction } from './export.ts';
import { verifyAction } from './verify.ts';

const NAMES = Object.keys(AUDIT_EVENTS) as AuditEventName[];
const FAMILIES = new Set(NAMES.map((name) => name.slice(0, name.indexOf('.'))));
const DEFAULT_LIMIT = 100;
const MOST = 1_000_000;

const TIME =
  'A day in UTC (2026-11-21, today, yesterday), a date and time (2026-11-21T08:00:00Z; without Z or offset in the time zone of this machine), or how long ago (30m, 12h, 7d).';

const OPTIONS = {
  account: option('ACCOUNT', 'UUID or e-mail address. A deleted account only has its UUID.'),
  client: option('ID', 'The client_id.'),
  request: option(
    'ID',
    'Id of a request: the reference on an error page, the header X-Request-Id or the id of an OperationOutcome. With millions of records add --since, because this search reads all records.',
  ),
  event: option('NAME', 'Name of an event, or its part before the dot (sign-in). May be repeated.', {
    multiple: true,
  }),
  address: option('ADDRESS', 'Network address of the request. Also prints counts of its networks.'),
  since: option('TIME', `From this time on. ${TIME}`),
  until: option('TIME', 'Before this time.'),
  limit: option('N', `Number of newest records. Default: ${DEFAULT_LIMIT}.`, {
    fits: [/^(?:[1-9]\d{0,5}|1000000)$/, 'a number from 1 to 1000000'],
  }),
  json: flag('Prints one JSON object per line.'),
} as const;

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Searches, verifies and exports the audit trail: who did what, when, with which application, from where',
  action: action({
    options: OPTIONS,
    text: 'Prints the newest matching records, oldest first. Times are UTC. Records are kept for audit.keep (service.yaml).',
    run: search,
  }),
  actions: { verify: verifyAction, export: exportAction },
  text: `Events:\n${eventList()}`,
  examples: [
    ['audit --account zoe@clinic.example --since 7d', 'what happened to an account'],
    ['audit --event sign-in.failed --since today', 'why people could not sign in'],
    ['audit verify', 'whether nothing was changed'],
  ],
};

async function search(values: Values<typeof OPTIONS>): Promise<void> {
  const { since, until, client, request, event, address } = values;
  const search: AuditSearch = present({
    limit: Number(values.limit ?? DEFAULT_LIMIT),
    since: since === undefined ? undefined : parseTime('--since', since),
    until: until === undefined ? undefined : parseTime('--until', until),
    client,
    request,
    events: event?.flatMap(eventsNamed),
    addresses: address === undefined ? undefined : addressesAround(address),
  });
  await withCurrentDatabase(async (database, settings) => {
    const accounts = openAccounts(database);
    const events = openAuditEvents(database);
    const account = values.account === undefined ? undefined : await accountOf(accounts, values.account);
    const found = await events.search({ ...search, ...(account !== undefined && { account }) });
    const lines = () => found.map((record) => `${JSON.stringify(record)}\n`).join('');
    process.stdout.write(values.json ? lines() : table(found, await emailsOf(found, accounts)));
    if (found.length === 0)
      printNotice(
        (await explainUnknownClient(values.client, events, settings)) ??
          `No record matches.${address === undefined || isNetwork(address) ? '' : ` ${address} is no IP address.`}`,
      );
    if (search.events) await noteCounted(events, search, search.events, account);
    if (found.length === search.limit) printNotice(`The newest ${search.limit}; more with --limit.`);
  });
}

/** Prints how many further events with these names have no record of their own. The audit trail only counts them. */
async function noteCounted(
  events: AuditEvents,
  search: AuditSearch,
  names: readonly AuditEventName[],
  account: string | undefined,
): Promise<void> {
  const counted = await events.search({ ...search, events: ['audit.counted', 'audit.dropped'], limit: MOST });
  // Refusals are counted by network, so most counts name no account. Such a count is included even if the search is for one account,
  // because some of the counted refusals may concern that account.
  const concerns = (of: string | undefined) => account === undefined || of === undefined || of === account;
  const ofThese = counted.filter(
    ({ details, account: of }) => names.includes(details?.['of'] as AuditEventName) && concerns(of),
  );
  const count = ofThese.reduce((sum, { details }) => sum + Number(details?.['count']), 0);
  if (count > 0)
    printNotice(`${count} more were only counted in that time: --event audit.counted --event audit.dropped`);
}

/**
 * Explains why no record matches a client id: neither `clients.yaml` nor the audit trail has such a client. Returns undefined if one of
 * them has it.
 */
async function explainUnknownClient(
  client: string | undefined,
  events: AuditEvents,
  settings: Settings,
): Promise<string | undefined> {
  if (client === undefined || (await events.search({ client, limit: 1 })).length > 0) return undefined;
  const known = (await clientsAsWritten(settings)).map(({ id }) => id);
  if (known.includes(client)) return undefined;
  const text = `No record matches: there is no client "${client}" in clients.yaml, and no record of one.`;
  return `${text} ${didYouMean(client, known)}`.trimEnd();
}

/** Returns the e-mail address of each account that the records name, by the UUID of the account. Deleted accounts are left out. */
async function emailsOf(records: readonly AuditRecord[], accounts: Accounts): Promise<Map<string, string>> {
  const emails = new Map<string, string>();
  for (const id of new Set(records.flatMap(({ account }) => account ?? []))) {
    const account = await accounts.find(id);
    if (account) emails.set(id, loginOf(account));
  }
  return emails;
}

function table(records: readonly AuditRecord[], emails: ReadonlyMap<string, string>): string {
  if (records.length === 0) return '';
  const rows = records.map(({ time, event, actor, account, client, address, requestId, details }) => [
    time,
    event,
    actor,
    account === undefined ? '' : [account, emails.get(account)].join(' ').trim(),
    client ?? '',
    address ?? '',
    requestId ?? '',
    Object.entries(details ?? {})
      .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('; ') : value}`)
      .join(' '),
  ]);
  return columns(['TIME', 'EVENT', 'ACTOR', 'ACCOUNT', 'CLIENT', 'ADDRESS', 'REQUEST', 'DETAILS'], rows);
}

async function accountOf(accounts: Accounts, who: string): Promise<string> {
  if (UUID.test(who)) return who.toLowerCase();
  const found = await accounts.findByEmail(who);
  if (!found) throw new Refusal(`There is no account "${who}". A deleted account is found by its UUID.`);
  return found.account.id;
}

function eventsNamed(name: string): AuditEventName[] {
  const found = NAMES.filter((known) => known === name || known.startsWith(`${name}.`));
  if (found.length > 0) return found;
  throw new UsageError(`Unknown event "${name}". ${didYouMean(name, [...NAMES, ...FAMILIES])}`.trimEnd());
}

/**
 * Returns an IP address together with its networks, because refusals may have been counted under a network. If `address` is a network
 * already, returns only that network.
 */
function addressesAround(address: string): string[] {
  const { narrow, wide } = prefixesOf(address);
  return isIP(address.split('%', 1)[0] ?? '') ? [address, narrow, wide] : [address];
}

/** Checks whether a text is an IP address or a network, as records name them: `192.0.2.0/24`, `2001:db8:0:1` or `2001:db8:0::/48`. */
function isNetwork(text: string): boolean {
  const [address = ''] = text.split(/[%/]/, 1);
  return isIP(address) !== 0 || isIP(`${address}::`) !== 0;
}

function eventList(): string {
  const width = Math.max(...NAMES.map((name) => name.length));
  return NAMES.map((name) => `  ${name.padEnd(width)}  ${AUDIT_EVENTS[name][1]}`).join('\n');
}

// A time in an option is a date, the name of a day, or how long ago it was.

const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY };
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Parses a time to milliseconds since the epoch. A day begins at midnight UTC. Throws a `UsageError` that names the option if the text is
 * no time.
 */
function parseTime(option: string, text: string): number {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return Date.now() - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const now = Date.now();
  const today = now - (now % DAY);
  if (text === 'today') return today;
  if (text === 'yesterday') return today - DAY;
  const instant = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(instant)) return instant;
  throw new UsageError(`${option} is no time: "${text}". Write 2026-11-21, 2026-11-21T08:00:00Z, yesterday or 12h.`);
}
