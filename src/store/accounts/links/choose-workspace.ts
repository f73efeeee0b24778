// Chooses the current place of work of a person (specification section 2.2, `currentWorkspaceId`). An operator must have linked it to the
// account, and it must still be in the current edition of the directory.

import type { Accounts } from '#store/accounts/accounts.ts';
import type { AccountLinks } from './account-links.ts';
import { type ServedEdition, workspacesInForce } from './links-in-force.ts';

/** `refused` means that the account is not linked to the place of work, or that the link does not hold in this edition. */
type WorkspaceChange = 'chosen' | 'unchanged' | 'refused';

export type ChooseWorkspace = (accountId: string, workspaceId: string) => Promise<WorkspaceChange>;

interface ChooseOptions {
  accounts: Pick<Accounts, 'find'>;
  links: Pick<AccountLinks, 'relink'>;
  edition(): ServedEdition;
}

/** Makes the function that sets the current place of work of an account. */
export function createChooseWorkspace({ accounts, links, edition }: ChooseOptions): ChooseWorkspace {
  return async (accountId, workspaceId) => {
    const account = await accounts.find(accountId);
    if (!account || !workspacesInForce(account, edition()).ids.includes(workspaceId)) return 'refused';
    if (account.currentWorkspace === workspaceId) return 'unchanged';
    let linked = false;
    await links.relink(accountId, (before) => {
      // An operator may be changing the links. This function is then called again with the new ones.
      linked = before.workspaces.includes(workspaceId);
      return { ...before, ...(linked && { currentWorkspace: workspaceId }), confirmed: [] };
    });
    return linked ? 'chosen' : 'refused';
  };
}
