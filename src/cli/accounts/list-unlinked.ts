// `accounts list --unlinked`: lists the account links that are not valid in the current edition, each with the commands that repair it.

import { once } from 'node:events';
import { identityText } from '#server/linked-accounts/same-record.ts';
import { printable } from '#shared/log/printable.ts';
import { counted, hygie, printNotice } from '#shared/operator-messages.ts';
import type { LinkedAccount } from '#store/accounts/links/account-links.ts';
import { changeIn, type LinkChange, type Reference, referencesOf } from '#store/accounts/links/link-changes.ts';
import type { ListOptions } from './options.ts';
import type { People } from './people.ts';

interface Unlinked {
  account: string;
  /** Absent for an account without an e-mail address. */
  email?: string;
  record: Reference;
  change: LinkChange['change'];
  /** Id of the first edition in which the link was not valid. `since` is the time at which that edition was made. */
  edition: string;
  since: string;
  was?: string;
  now?: string;
  candidate?: Reference;
  /**
   * Commands that repair the link in different ways. The operator chooses one of them: the record may have a successor, may have changed,
   * or may be gone.
   */
  remedies: { confirm?: string; relink?: string; unlink: string };
}

/** Prints each link as soon as it is read, so that a hundred thousand links need no more memory than a thousand. */
export async function listUnlinked(accounts: People, { json = false }: ListOptions): Promise<void> {
  const edition = await accounts.editionInForce();
  const total = { links: 0, accounts: 0 };
  if (json) await write('[');
  for await (const page of accounts.changedLinks()) {
    const found = page.map((account) => unlinkedOf(account, edition?.id)).filter((links) => links.length > 0);
    total.accounts += found.length;
    for (const one of found.flat()) {
      await write(json ? `${total.links > 0 ? ',' : ''}\n${JSON.stringify(one, null, 2)}` : describe(one));
      total.links += 1;
    }
  }
  if (json) await write('\n]\n');
  if (edition && edition.linksComparedAt === undefined) printNotice(NOT_COMPARED);
  printNotice(
    `${counted(total.links, 'link')} of ${counted(total.accounts, 'account')} ${total.links === 1 ? 'does' : 'do'} not hold.`,
  );
}

const NOT_COMPARED =
  'The linked accounts were not compared with the edition in force. The next import does that, of the same files too.';

function unlinkedOf(account: LinkedAccount, edition: string | undefined): Unlinked[] {
  return referencesOf(account).flatMap((record) => {
    const change = changeIn(account.linkChanges[record], edition);
    if (!change) return [];
    const as = account.linkedAs[record];
    const { since, successor, now } = change;
    const [type] = record.split('/');
    return {
      account: account.id,
      ...(account.email !== undefined && { email: account.email }),
      record,
      change: change.change,
      edition: since,
      since: timeOf(since),
      ...(as && { was: identityText(as) }),
      ...(now && { now: identityText(now) }),
      ...(successor !== undefined && { candidate: `${type}/${successor}` as Reference }),
      remedies: remediesOf(account, record, change),
    };
  });
}

/** Returns the time at which an edition was made. The id of an edition begins with this time: `20261121T024500123Z-9f3a`. */
function timeOf(edition: string): string {
  return edition.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z');
}

function remediesOf(
  account: LinkedAccount,
  record: Reference,
  { change, successor }: LinkChange,
): Unlinked['remedies'] {
  const [type, id = ''] = record.split('/');
  const commands = type === 'Practitioner' ? ofPractitioners(account) : ofWorkspaces(account);
  const unlink = commands.unlink(id);
  if (change === 'other') return { confirm: commands.confirm(id), unlink };
  return successor === undefined ? { unlink } : { relink: commands.relink(id, successor), unlink };
}

// Each command is written as a whole and not composed of parts, because tests find the commands in the source and check them.
function ofPractitioners({ id: account, practitioners }: LinkedAccount) {
  return {
    confirm: (id: string) => hygie`accounts link ${account} --practitioner ${id}`,
    unlink: (id: string) => hygie`accounts unlink ${account} --practitioner ${id}`,
    relink: (id: string, successor: string) => {
      const all = repeated('--practitioner', practitioners, id, successor);
      return hygie`accounts link ${account} --replace --practitioner ${all}`;
    },
  };
}

function ofWorkspaces({ id: account, workspaces, currentWorkspace }: LinkedAccount) {
  return {
    confirm: (id: string) => hygie`accounts link ${account} --workspace ${id}`,
    unlink: (id: string) => hygie`accounts unlink ${account} --workspace ${id}`,
    relink: (id: string, successor: string) => {
      const all = repeated('--workspace', workspaces, id, successor);
      const current = currentWorkspace === id ? successor : (currentWorkspace ?? '');
      return hygie`accounts link ${account} --replace --workspace ${all} --current-workspace ${current}`;
    },
  };
}

/**
 * Returns the words of a command line that repeat `option` before each id. The first `option` is left out, because the caller writes it.
 * `successor` stands in the place of `left`, the id of the record that left the directory.
 */
function repeated(option: string, ids: readonly string[], left: string, successor: string): string[] {
  const all = new Set(ids.map((id) => (id === left ? successor : id)));
  return [...all].flatMap((id) => [option, id]).slice(1);
}

const MEANINGS: Readonly<Record<LinkChange['change'], string>> = {
  left: 'left the directory',
  other: 'belongs to another person or structure',
  missing: 'is not in the directory yet',
};

function describe({ account, email, record, change, since, was, now, candidate, remedies }: Unlinked): string {
  const began = change === 'missing' ? '' : ` with the edition of ${since}`;
  const rows = [
    ['was', was],
    ['now', now],
    ['candidate', candidate],
    ['if it is the same person or structure', remedies.confirm],
    ['if it is the candidate', remedies.relink],
    [(remedies.confirm ?? remedies.relink) ? 'otherwise' : 'if it has no other id', remedies.unlink],
  ];
  const lines = rows.flatMap(([label, value]) => (value ? [`  ${label}: ${value}`] : []));
  return [`${email ?? account}: ${record} ${MEANINGS[change]}${began}`, ...lines]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
