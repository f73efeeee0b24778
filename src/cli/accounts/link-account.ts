// `accounts link`: which practitioners and structures of the directory an account is.

import { Refusal, UsageError } from '../../shared/operator-errors.ts';
import { printNotice } from '../../shared/print-notice.ts';
import type { People } from './account-actions.ts';
import { readReferences } from './account-fields.ts';
import { findAccount, json } from './find-accounts.ts';
import { noteMissing } from './note-missing.ts';

interface LinkOptions {
  practitioner?: string[] | undefined;
  workspace?: string[] | undefined;
  'current-workspace'?: string | undefined;
  replace?: boolean | undefined;
  json?: boolean | undefined;
}

/** Adds to what the account is linked to, or replaces it; ids that the directory does not hold are noted. */
export async function linkAccount(accounts: People, options: LinkOptions, who: string): Promise<void> {
  const { practitioner, workspace, replace = false } = options;
  const current = options['current-workspace'];
  if (!practitioner && !workspace && current === undefined) {
    throw new UsageError('accounts link needs --practitioner, --workspace or --current-workspace.');
  }
  const problems: string[] = [];
  const account = await findAccount(accounts, who);
  const merged = (before: string[], given: string[] | undefined, type: 'Practitioner' | 'Organization') => {
    if (!given) return before;
    const ids = readReferences(given, type, problems);
    return replace ? ids : [...new Set([...before, ...ids])];
  };
  const practitioners = merged(account.practitioners, practitioner, 'Practitioner');
  const workspaces = merged(account.workspaces, workspace, 'Organization');
  const wanted =
    current === undefined ? account.currentWorkspace : readReferences([current], 'Organization', problems)[0];
  const belongs = wanted !== undefined && workspaces.includes(wanted);
  if (current !== undefined && !belongs && problems.length === 0) {
    problems.push(`Organization/${wanted} is none of the account's workspaces. Add it with --workspace.`);
  }
  if (problems.length > 0) throw new Refusal(problems);
  const currentWorkspace = belongs ? wanted : workspaces[0];
  const updated = await accounts.update(account.id, {
    practitioners,
    workspaces,
    ...(currentWorkspace !== undefined && { currentWorkspace }),
  });
  await accounts.record('account.linked', account.id, {
    practitioners,
    workspaces,
    ...(currentWorkspace !== undefined && { currentWorkspace }),
  });
  if (updated && options.json) process.stdout.write(json(updated));
  await noteMissing(accounts, {
    practitioners: added(practitioners, account.practitioners),
    workspaces: added(workspaces, account.workspaces),
  });
  printNotice(`${account.email}: ${practitioners.length} practitioner(s), ${workspaces.length} workspace(s).`);
}

function added(after: readonly string[], before: readonly string[]): string[] {
  return after.filter((id) => !before.includes(id));
}
