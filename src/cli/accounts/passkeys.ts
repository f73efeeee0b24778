// `accounts passkeys` and `accounts remove-passkeys`: what an operator sees of a person's passkeys, and removes when they were lost.

import { columns } from '#cli/support/output.ts';
import { hygie } from '#shared/hygie-command.ts';
import { Refusal } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import { type People, UNLOCKED } from './account-actions.ts';
import { findAccount, json } from './find-accounts.ts';

/** Lists the passkeys of an account; keys and user handles help nobody. */
export async function listPasskeys(
  accounts: People,
  options: { json?: boolean | undefined },
  who: string,
): Promise<void> {
  const { id } = await findAccount(accounts, who);
  const passkeys = (await accounts.passkeysOf(id)).map(({ id, name, createdAt, lastUsedAt, synced, aaguid }) => {
    const times = { createdAt, ...(lastUsedAt !== undefined && { lastUsedAt }) };
    return { id, name, ...times, synced, aaguid };
  });
  if (options.json) return void process.stdout.write(json(passkeys));
  const rows = passkeys.map(({ id, name, createdAt, lastUsedAt, synced }) => [
    id,
    name,
    dateOf(createdAt),
    lastUsedAt === undefined ? 'never' : dateOf(lastUsedAt),
    synced ? 'yes' : 'no',
  ]);
  process.stdout.write(columns(['ID', 'NAME', 'CREATED', 'LAST USED', 'SYNCED'], rows));
}

/** Removes one passkey, or all, and ends all that was signed in; refused when there is none. */
export async function removePasskeys(accounts: People, who: string, passkey: string | undefined): Promise<void> {
  const account = await findAccount(accounts, who);
  const { id, login, hasPassword } = account;
  const { removed, unlocked } = await accounts.change(id, async (changes) => {
    const removed = await changes.removePasskeys(id, passkey);
    if (removed === 0) {
      const what = passkey === undefined ? 'no passkey' : `no passkey "${passkey}"`;
      throw new Refusal(`${login} has ${what}. Nothing was changed. See: ${hygie(`accounts passkeys ${id}`)}`);
    }
    await changes.record('passkey.removed', id, { passkeys: removed, ...(passkey !== undefined && { passkey }) });
    return { removed, unlocked: await changes.unlock(account) };
  });
  printNotice(
    `${login}: ${removed} passkey(s) removed; sessions and tokens in use have ended.${unlocked ? UNLOCKED : ''}`,
  );
  if (hasPassword || (await accounts.passkeysOf(id)).length > 0) return;
  printNotice(`The account has no password and cannot sign in: ${hygie(`accounts set-password ${id}`)}`);
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
