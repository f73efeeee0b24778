// `accounts set-name` and `set-picture`: change what applications are told of a person by the scope `profile`.

import { Refusal, UsageError } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import { type Account, type AccountChanges, loginOf } from '#store/accounts/account-row.ts';
import type { People } from './account-actions.ts';
import { type GivenNames, readAddress, readName } from './account-fields.ts';
import { findAccount, json } from './find-accounts.ts';

interface NameOptions extends GivenNames {
  nickname?: string | undefined;
  picture?: string | undefined;
  profile?: string | undefined;
  json?: boolean | undefined;
}

type Changes = Pick<AccountChanges, 'name' | 'given' | 'family' | 'nickname' | 'picture' | 'profile'>;

/** Changes what is given; an empty text removes it. A changed given or family name changes the full name too, unless that is given. */
export async function setName(accounts: People, options: NameOptions, who: string): Promise<void> {
  const { json: asJson, ...wanted } = options;
  if (Object.keys(wanted).length === 0) {
    throw new UsageError('accounts set-name needs --name, --given, --family, --nickname, --picture or --profile.');
  }
  const account = await findAccount(accounts, who);
  const problems: string[] = [];
  const changes = changesOf(wanted, account, problems);
  if (problems.length > 0) throw new Refusal(problems);
  const updated = await accounts.change(account.id, async ({ update, record }) => {
    await record('account.renamed', account.id, { fields: Object.keys(changes) });
    return update(account.id, changes);
  });
  if (!updated) return;
  if (asJson) process.stdout.write(json(updated));
  const picture = wanted.picture !== undefined && `picture ${updated.picture ?? 'of the initials'}`;
  printNotice(`${loginOf(updated)} is now ${shownName(updated, picture)}.`);
}

/** An address (https) as the picture, or with `none` the initials again. */
export async function setPicture(
  accounts: People,
  { none = false, json: asJson }: { none?: boolean | undefined; json?: boolean | undefined },
  who: string,
  url: string,
): Promise<void> {
  if (none !== (url === '')) throw new UsageError('accounts set-picture needs URL, or --none for the initials.');
  await setName(accounts, { picture: url, ...(asJson && { json: true }) }, who);
}

function changesOf(wanted: Omit<NameOptions, 'json'>, account: Account, problems: string[]): Changes {
  const text = (value: string, field: string) => (value.trim() === '' ? null : readName(value, field, problems));
  const address = (value: string, field: string) => (value.trim() === '' ? null : readAddress(value, field, problems));
  const { name, given, family, nickname, picture, profile } = wanted;
  const parts = {
    ...(given !== undefined && { given: text(given, 'given name') }),
    ...(family !== undefined && { family: text(family, 'family name') }),
  };
  const both = { ...account, ...parts };
  const composed = both.given && both.family ? `${both.given} ${both.family}` : undefined;
  const changed = Object.values(parts).some((part) => part !== null);
  return {
    ...parts,
    ...(name !== undefined && { name: readName(name, 'name', problems) }),
    ...(name === undefined && changed && composed !== undefined && { name: composed }),
    ...(nickname !== undefined && { nickname: text(nickname, 'nickname') }),
    ...(picture !== undefined && { picture: address(picture, 'picture') }),
    ...(profile !== undefined && { profile: address(profile, 'profile') }),
  };
}

function shownName({ name, given, family }: Account, picture: string | false): string {
  const parts = [given && `given name ${given}`, family && `family name ${family}`, picture].filter(Boolean);
  return `"${name}"${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}
