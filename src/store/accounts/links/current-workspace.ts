// The current place of work of a person (specification section 2.2, `currentWorkspaceId`). It is one that an operator linked to the
// account, and that the current edition of the directory still holds.

import type { Account } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { suspension } from '#store/accounts/links/link-changes.ts';
import type { AccountLinks } from './account-links.ts';

/** The edition of the directory that is served: its id, and the records that the operator hides, as `Practitioner/ID`. */
export interface ServedEdition {
  id: string | undefined;
  hidden: ReadonlySet<string>;
}

export interface Workspaces {
  ids: readonly string[];
  current?: string;
}

/** The places from which a person chooses. With fewer than two there is no choice. */
export function workspacesInForce(account: Account, edition: ServedEdition): Workspaces {
  const { workspaces: ids, currentWorkspace: current } = withLinksInForce(account, edition);
  return { ids, ...(current !== undefined && { current }) };
}

/** `refused` means that the account is not linked to it, no longer is, or not in this edition. */
export type WorkspaceChange = 'chosen' | 'unchanged' | 'refused';

export type ChooseWorkspace = (accountId: string, workspaceId: string) => Promise<WorkspaceChange>;

interface ChooseOptions {
  accounts: Pick<Accounts, 'find'>;
  links: Pick<AccountLinks, 'relink'>;
  edition(): ServedEdition;
}

/** Sets the place of work of accounts. */
export function createChooseWorkspace({ accounts, links, edition }: ChooseOptions): ChooseWorkspace {
  return async (accountId, workspaceId) => {
    const account = await accounts.find(accountId);
    if (!account || !workspacesInForce(account, edition()).ids.includes(workspaceId)) return 'refused';
    if (account.currentWorkspace === workspaceId) return 'unchanged';
    let linked = false;
    await links.relink(accountId, (before) => {
      // An operator may be changing the links. Then it is called again with the new ones.
      linked = before.workspaces.includes(workspaceId);
      return { ...before, ...(linked && { currentWorkspace: workspaceId }), confirmed: [] };
    });
    return linked ? 'chosen' : 'refused';
  };
}

/** An account with only those of its links that hold, without those to records that are hidden, left or now belong to another. */
export function withLinksInForce(account: Account, { id: edition, hidden }: ServedEdition): Account {
  const { linkChanges, currentWorkspace, ...others } = account;
  if (!linkChanges && hidden.size === 0) return account;
  const holds = (type: 'Practitioner' | 'Organization') => (id: string) =>
    !hidden.has(`${type}/${id}`) && suspension(linkChanges?.[`${type}/${id}`], edition) === undefined;
  return {
    ...others,
    practitioners: account.practitioners.filter(holds('Practitioner')),
    workspaces: account.workspaces.filter(holds('Organization')),
    // No other place replaces it, because the current one must not be guessed.
    ...(currentWorkspace !== undefined && holds('Organization')(currentWorkspace) && { currentWorkspace }),
  };
}
