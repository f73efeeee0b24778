// `accounts sessions`: where a person is signed in.

import { columns } from '#cli/support/output.ts';
import { printNotice } from '#shared/print-notice.ts';
import type { People } from './account-actions.ts';
import { findAccount, json } from './find-accounts.ts';

/** The sessions of one account as a table or as JSON, without the identifiers by which a browser or the service knows them. */
export async function listSessions(
  accounts: People,
  options: { json?: boolean | undefined },
  who: string,
): Promise<void> {
  const { id, login } = await findAccount(accounts, who);
  const sessions = await accounts.sessionsOf(id);
  if (options.json) {
    const shown = sessions.map(({ uid: _uid, signedInAt, used, ...session }) => ({
      device: null,
      signedIn: date(signedInAt),
      lastUsed: date(used.at),
      ...session,
    }));
    process.stdout.write(json(shown));
    return;
  }
  if (sessions.length === 0) return printNotice(`${login} is not signed in anywhere.`);
  const rows = sessions.map(({ device, signedInAt, used, methods, clients }) => [
    device ?? 'unknown',
    date(signedInAt),
    `${used.orLater ? 'after ' : ''}${date(used.at)}`,
    methods.join(' '),
    clients.join(' '),
  ]);
  process.stdout.write(columns(['DEVICE', 'SIGNED IN', 'LAST USED', 'METHODS', 'APPLICATIONS'], rows));
}

function date(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
