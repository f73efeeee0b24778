// `directory correct`: hides a record, mailbox, telephone or address of the directory, or shows it again. The command only stores
// corrections (`store/snapshots/corrections.ts`). `directory/corrections/corrected-snapshots.ts` removes the hidden data from answers.

import { action, option, type Values } from '#cli/support/command.ts';
import { JSON_OPTION, json } from '#cli/support/output.ts';
import { correctionKey, hidesSomething, withoutHidden } from '#directory/corrections/affected.ts';
import type { ResourceType, Snapshot } from '#search-index/index.ts';
import { correctionEvent } from '#server/audit/directory-events.ts';
import { operator, recordByOperator } from '#server/audit/operator-audit.ts';
import { type Work, withCurrentDatabase } from '#server/open-database.ts';
import { printable } from '#shared/log/printable.ts';
import { hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { addCorrections, endCorrections, listCorrections, type NewCorrection } from '#store/snapshots/corrections.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { describedCorrections } from './corrections.ts';

/** Maximum number of corrections in force. It is limited because each search looks at all of them. */
const MOST = 1000;
const DAY = 86_400_000;

const OPTIONS = {
  mailbox: option('ADDRESS|all', 'Hides this mail address of the record, or all of them.'),
  phone: option('NUMBER|all', 'Hides this telephone or fax number, in any spelling, or all of them.'),
  address: option('TEXT|all', 'Hides the addresses that have all of these words, or all addresses.'),
  reason: option('TEXT', 'Reason, for the list and the audit trail.', {
    fits: [/^(?=.*\S).{1,1000}$/s, 'a text of 1 to 1000 characters'],
  }),
  ends: option('DAY', 'Last day of the correction (UTC). Default: until you end it.', {
    fits: [/^\d{4}-\d{2}-\d{2}$/, 'a day such as 2027-01-31'],
  }),
  end: option('ID,...|mended', 'Ends these corrections, or all whose fault the register has mended.'),
  json: JSON_OPTION,
} as const;

export const correctAction = action({
  summary: 'Hides a person or structure of the directory, or their mailbox, telephone or address',
  args: { '[RECORD]': 'Practitioner/ID, Organization/ID, or the RPPS number of a person.' },
  forms: [
    'RECORD [--mailbox ADDRESS|all] [--phone NUMBER|all] [--address TEXT|all] [--ends DAY] --reason TEXT [--json]',
    '--end ID,...|mended [--reason TEXT] [--json]',
  ],
  options: OPTIONS,
  text: `
Without --mailbox, --phone or --address, the command hides the whole record, and the roles of a person too. Within seconds, every instance removes the data from searches, reads, exports and the claims of sign-ins. A correction only hides data, and it outlasts imports and rollbacks. Applications with a copy of the directory see it like a change in the register.`,
  examples: [
    ['directory correct 10003456789 --mailbox j.petit@mssante.example --reason "belongs to another"', 'a mailbox'],
    ['directory correct Practitioner/810003456789 --reason "objection of 3 March" --ends 2027-12-31', 'a person'],
  ],
  run: (values, [record]) => {
    if (values.end !== undefined) {
      const other = (['mailbox', 'phone', 'address', 'ends'] as const).find((name) => values[name] !== undefined);
      const surplus = other ? `--${other}` : record;
      if (surplus !== undefined) throw new UsageError(`--end does not go with ${surplus}.`);
      return end(values.end, values);
    }
    if (record === undefined) throw new UsageError('directory correct needs a record, or --end.');
    if (values.reason === undefined) throw new UsageError('directory correct needs --reason.');
    return hide(record, partsOf(values), { reason: values.reason, ...endOf(values.ends) }, values.json === true);
  },
});

type CorrectOptions = Values<typeof OPTIONS>;
type Part = Pick<NewCorrection, 'what' | 'value'>;
type About = Pick<NewCorrection, 'reason' | 'endsAt'>;

function partsOf(values: CorrectOptions): Part[] {
  const parts = (['mailbox', 'phone', 'address'] as const).flatMap((what): Part[] => {
    const text = values[what];
    if (text === undefined || text === 'all') return text === undefined ? [] : [{ what }];
    const value = correctionKey(what, text);
    if (value === '') throw new UsageError(`--${what} "${text}" names nothing.`);
    return [{ what, value }];
  });
  return parts.length > 0 ? parts : [{ what: 'record' }];
}

function endOf(day: string | undefined): { endsAt?: Date } {
  if (day === undefined) return {};
  const start = Date.parse(day);
  const endsAt = new Date(start + DAY);
  // JavaScript reads 30 February as 2 March. To refuse a day that does not exist, the parsed date is compared with the text.
  const exists = endsAt.getTime() > Date.now() && new Date(start).toISOString().startsWith(day);
  if (!exists) throw new UsageError(`--ends ${day}: this day is over, or does not exist.`);
  return { endsAt };
}

async function hide(wanted: string, parts: readonly Part[], about: About, asJson: boolean): Promise<void> {
  const run: Work<void> = async (database, settings) => {
    const inForce = (await listCorrections(database)).filter(({ endedAt }) => !endedAt);
    const entry = await findCurrentSnapshot(database);
    if (!entry) throw new Refusal('No edition of the directory is imported: there is nothing to correct.');
    const found = await readSnapshot(entry, settings.dataFolder, async (snapshot) => {
      const { record, json: resource } = await recordIn(snapshot, wanted);
      for (const part of parts) if (!hidesSomething(resource, part)) throw absent(record, resource, part);
      const left = contactsIn(withoutHidden(resource, parts));
      const hidden = contactsIn(resource).filter((contact) => !left.includes(contact));
      return { record, elsewhere: await othersWith(snapshot, hidden, [...inForce, { record, what: 'record' }]) };
    });
    if (!found) {
      throw new Refusal(
        `The file of the edition in force, ${entry.file}, is missing here, damaged or of another release. See: ${hygie('directory status')}`,
      );
    }
    const { record, elsewhere } = found;
    const twice = inForce.find((one) =>
      parts.some(({ what, value }) => one.record === record && one.what === what && one.value === value),
    );
    if (twice) throw new Refusal(`That is hidden already, by correction ${twice.id}.`);
    if (inForce.length + parts.length > MOST)
      throw new Refusal(`${inForce.length} corrections are in force, and ${MOST} are allowed: end some first.`);
    const corrections = await database.transaction(async (transaction) => {
      const made = parts.map((part) => ({ record, ...part, ...about, madeBy: operator() }));
      const added = await addCorrections(transaction, made);
      const events = added.map((one) => correctionEvent('directory.corrected', one));
      await recordByOperator(transaction, settings.keys, events);
      return added.map(({ id, what }) => ({ id, what }));
    });
    const named = corrections.map(({ id, what }) => `${what} (correction ${id})`).join(', ');
    const text = `Hidden at ${record}: ${named}. All instances hide it within seconds.\n`;
    process.stdout.write(asJson ? json({ record, corrections, elsewhere }) : text);
    if (elsewhere.length > 0) printNotice(`${elsewhere.join(', ')} still shows the same mailbox or telephone`);
  };
  return withCurrentDatabase(run, { writes: true });
}

const RECORD = /^(Practitioner|Organization)\/([A-Za-z0-9.-]{1,64})$/;

/**
 * Finds a record by its reference (`Practitioner/ID`, `Organization/ID`) or by its RPPS number. Throws a `Refusal` if the edition does not
 * have the record.
 */
async function recordIn(snapshot: Snapshot, wanted: string): Promise<{ record: string; json: string }> {
  const [, type = 'Practitioner', id] = RECORD.exec(wanted) ?? [];
  const clauses = [{ field: 'identifier', match: 'exact' as const, anyOf: [wanted] }];
  const found = id
    ? await snapshot.read(type as ResourceType, id)
    : (await snapshot.search({ type: 'Practitioner', clauses, limit: 1, total: false })).matches[0];
  if (!found)
    throw new Refusal(`The edition in force has no ${wanted}. Write Practitioner/ID, Organization/ID or RPPS.`);
  return { record: `${type}/${found.id}`, json: found.json };
}

function absent(record: string, resource: string, { what }: Part): Refusal {
  const { telecom = [], address = [] } = JSON.parse(resource) as Partial<Record<string, { value?: string }[]>>;
  const held = what === 'address' ? address.map((one) => JSON.stringify(one)) : telecom.map(({ value }) => value);
  const has = held.length > 0 ? `It has ${held.join(', ')}` : 'It has none';
  const hint = what === 'phone' ? ': the registers give telephones to the structures where people work' : '';
  return new Refusal(`${record} has no such ${what}. ${printable(has)}${hint}.`);
}

/**
 * Returns the mailboxes and telephones of a resource, each as the key (`correctionKey`) under which corrections store it. `resource` is
 * JSON.
 */
function contactsIn(resource = '{}'): string[] {
  const { telecom = [] } = JSON.parse(resource) as { telecom?: { system?: string; value?: string }[] };
  const contacts = telecom.filter(({ system, value }) => system !== 'url' && value);
  return contacts.map(({ value = '' }) => correctionKey(value.includes('@') ? 'mailbox' : 'phone', value));
}

/**
 * Finds some records (at most ten of each type) that still show one of the contacts although the corrections are in force. Such a record
 * may be the practice where the person works.
 */
async function othersWith(
  snapshot: Snapshot,
  contacts: readonly string[],
  corrections: readonly Pick<NewCorrection, 'record' | 'what' | 'value'>[],
): Promise<string[]> {
  const clauses = [{ field: 'telecom', match: 'exact' as const, anyOf: contacts }];
  const found = (['Practitioner', 'Organization'] as const).map(async (type) => {
    const { matches } = await snapshot.search({ type, clauses, limit: contacts.length && 10, total: false });
    return matches.flatMap(({ id, json }) => {
      const record = `${type}/${id}`;
      const ofRecord = corrections.filter((one) => one.record === record);
      return contactsIn(withoutHidden(json, ofRecord)).some((one) => contacts.includes(one)) ? record : [];
    });
  });
  return (await Promise.all(found)).flat();
}

function end(wanted: string, { reason, json: asJson }: CorrectOptions): Promise<void> {
  const run: Work<void> = async (database, settings) => {
    const all = await describedCorrections(database, settings);
    const chosen = wanted.split(',').map((text) => Number(text.trim()));
    const inForce = all.filter(({ endedAt, state, id }) =>
      wanted === 'mended' ? state === 'mended' : !endedAt && chosen.includes(id),
    );
    const ids = inForce.map(({ id }) => id);
    const missing = wanted === 'mended' ? [] : wanted.split(',').filter((text) => !ids.includes(Number(text)));
    if (missing.length > 0)
      throw new Refusal(`No correction ${missing.join(', ')} is in force: ${hygie('directory corrections')}`);
    await database.transaction(async (transaction) => {
      const ended = await endCorrections(transaction, ids, operator());
      const events = ended.map((one) =>
        correctionEvent('directory.correction-ended', { ...one, reason: reason ?? one.reason }),
      );
      await recordByOperator(transaction, settings.keys, events);
    });
    const text =
      ids.length > 0
        ? `Ended: ${ids.join(', ')}. What they hid is shown again within seconds.`
        : 'No correction is mended.';
    process.stdout.write(asJson ? json({ ended: ids }) : `${text}\n`);
  };
  return withCurrentDatabase(run, { writes: true });
}
