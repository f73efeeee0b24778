// `accounts link` and `accounts unlink`: ties an account to practitioners and structures of the directory.

import { json } from '#cli/support/output.ts';
import { identityOf, identityText } from '#server/linked-accounts/same-record.ts';
import { printable } from '#shared/log/printable.ts';
import { counted, hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';
import { type Links, type Reference, referencesOf } from '#store/accounts/links/link-changes.ts';
import { readReferences } from './account-fields.ts';
import type { LinkOptions, UnlinkOptions } from './options.ts';
import type { People } from './people.ts';
import { findAccount } from './show-accounts.ts';

/**
 * Adds links to the account or, with `replace`, replaces its links. Prints the ids that are missing in the directory. If an id belongs to
 * another person or structure than before, its link is not valid. Without `replace`, giving such an id makes the link valid again: the
 * operator confirms by this that the present record is the right one.
 */
export async function linkAccount(accounts: People, options: LinkOptions, who: string): Promise<void> {
  const { replace = false } = options;
  const current = options['current-workspace'];
  if (!options.practitioner && !options.workspace && current === undefined) {
    throw new UsageError('accounts link needs --practitioner, --workspace or --current-workspace.');
  }
  const account = await findAccount(accounts, who);
  const { practitioners, workspaces, problems } = givenIds(options);
  const [wanted] = current === undefined ? [undefined] : readReferences([current], 'Organization', problems);
  if (problems.length > 0) throw new Refusal(problems);

  const held = (await heldRecords(accounts, referencesOf({ practitioners, workspaces }))) ?? [];
  // By giving an id, the operator confirms that the record which has this id now is the right one. With `replace`, a given id confirms
  // nothing: the operator has to repeat all ids of the account to change one of them, and may not have looked at the records of the ids
  // that stay.
  const confirmed = replace ? [] : held.map(({ reference }) => reference);
  const merged = (before: readonly string[], given: string[] | undefined, ids: readonly string[]) => {
    if (!given) return before;
    return replace ? ids : [...new Set([...before, ...ids])];
  };
  const updated = await relink(accounts, account, confirmed, (before) => {
    const after = {
      practitioners: merged(before.practitioners, options.practitioner, practitioners),
      workspaces: merged(before.workspaces, options.workspace, workspaces),
    };
    if (wanted !== undefined && !after.workspaces.includes(wanted)) {
      throw new Refusal(`Organization/${wanted} is none of the account's workspaces. Add it with --workspace.`);
    }
    return withCurrent(after, wanted ?? before.currentWorkspace);
  });
  if (options.json) process.stdout.write(json(updated));
  for (const { reference, text } of held.slice(0, NAMED)) {
    if (text !== '') printNotice(`${reference}: ${printable(text)}`);
  }
  await noteMissing(accounts, { practitioners, workspaces });
  printNotice(summaryOf(updated));
}

/** Removes the links that the options name. Throws a `Refusal` if the account does not have one of them. */
export async function unlinkAccount(accounts: People, options: UnlinkOptions, who: string): Promise<void> {
  if (!options.practitioner && !options.workspace) {
    throw new UsageError('accounts unlink needs --practitioner or --workspace.');
  }
  const account = await findAccount(accounts, who);
  const { practitioners, workspaces, problems } = givenIds(options);
  if (problems.length > 0) throw new Refusal(problems);
  const updated = await relink(accounts, account, [], (before) => {
    const linked = new Set(referencesOf(before));
    const strangers = referencesOf({ practitioners, workspaces }).filter((reference) => !linked.has(reference));
    if (strangers.length > 0) {
      const see = `See: ${hygie`accounts show ${account.id}`}`;
      throw new Refusal(`The account is not linked to ${strangers.join(', ')}. Nothing was changed. ${see}`);
    }
    const after = {
      practitioners: before.practitioners.filter((id) => !practitioners.includes(id)),
      workspaces: before.workspaces.filter((id) => !workspaces.includes(id)),
    };
    return withCurrent(after, before.currentWorkspace);
  });
  if (options.json) process.stdout.write(json(updated));
  printNotice(summaryOf(updated));
}

function givenIds({ practitioner = [], workspace = [] }: UnlinkOptions) {
  const problems: string[] = [];
  const practitioners = readReferences(practitioner, 'Practitioner', problems);
  return { practitioners, workspaces: readReferences(workspace, 'Organization', problems), problems };
}

/** Chooses the current workspace among the linked ones: `wanted` if it is linked, otherwise the first linked workspace. */
function withCurrent(links: Pick<Links, 'practitioners' | 'workspaces'>, wanted: string | undefined): Links {
  const current = wanted !== undefined && links.workspaces.includes(wanted) ? wanted : links.workspaces[0];
  return { ...links, ...(current !== undefined && { currentWorkspace: current }) };
}

async function relink(
  accounts: People,
  account: Account,
  confirmed: readonly Reference[],
  change: (before: Links) => Links,
): Promise<Account> {
  const { id } = account;
  const ended = confirmed.filter((reference) => account.linkChanges?.[reference]);
  await accounts.change(id, async ({ relink, find, record }) => {
    await relink(id, (before) => ({ ...change(before), confirmed }));
    const { practitioners, workspaces, currentWorkspace } = (await find(id)) ?? account;
    await record('account.linked', id, {
      practitioners,
      workspaces,
      ...(currentWorkspace !== undefined && { currentWorkspace }),
      ...(ended.length > 0 && { confirmed: ended }),
    });
  });
  await accounts.compareNow([id]);
  return (await accounts.find(id)) ?? account;
}

/** A command prints at most this many lines about records that the directory has, and at most this many about missing records. */
const NAMED = 10;

function summaryOf(account: Account): string {
  const { practitioners, workspaces } = account;
  return `${loginOf(account)}: ${counted(practitioners.length, 'practitioner')}, ${counted(workspaces.length, 'workspace')}.`;
}

/** Ids of records, such as `123`: without `Practitioner/` or `Organization/` before them. */
export interface References {
  practitioners?: readonly string[];
  workspaces?: readonly string[];
}

/**
 * Prints a line for each given id that is missing in the directory. After ten such lines, it only prints how many other ids are missing. A
 * missing id is not refused, because an account may be created before the edition with its record is imported. If the id is a national
 * number without the character before it, the line names the record of that number.
 */
export async function noteMissing(
  accounts: People,
  { practitioners = [], workspaces = [] }: References,
): Promise<void> {
  const references = referencesOf({ practitioners, workspaces });
  if (references.length === 0) return;
  const held = await heldRecords(accounts, references);
  if (!held) return;
  const known = new Set(held.map(({ reference }) => reference));
  const missing = [...new Set(references)].filter((reference) => !known.has(reference));
  const named = missing.slice(0, NAMED);
  const meant = (await heldRecords(accounts, named.map(referenceOfNumber))) ?? [];
  for (const reference of named) {
    const found = meant.find((record) => record.reference === referenceOfNumber(reference));
    const instead = found ? `, but ${found.reference}: ${printable(found.text)}. Is this one meant?` : '';
    printNotice(`Note: the directory has no ${reference}${instead}`);
  }
  if (missing.length > NAMED) printNotice(`Note: the directory also lacks ${missing.length - NAMED} others`);
}

/**
 * Reads the id of a reference as a national number. Returns the reference of the record with this number, whose id is `8` and the RPPS
 * number, or `F` and the FINESS number.
 */
function referenceOfNumber(reference: Reference): Reference {
  return reference.replace('Practitioner/', 'Practitioner/8').replace('Organization/', 'Organization/F') as Reference;
}

/**
 * Finds the records with the given ids, and leaves out ids that are missing in the directory. Only the first ten records get a description,
 * because no more are printed and an imported file may link a hundred thousand. Resolves with undefined if this machine cannot read the
 * directory.
 */
function heldRecords(accounts: People, references: readonly Reference[]) {
  return accounts.readDirectory(async (directory) => {
    const held: { reference: Reference; text: string }[] = [];
    for (const reference of references) {
      const [type, id] = reference.split('/') as ['Practitioner' | 'Organization', string];
      const record = await directory.read(type, id);
      if (record) held.push({ reference, text: held.length < NAMED ? identityText(identityOf(record.json)) : '' });
    }
    return held;
  });
}
