// Decides which links of an account hold in the edition of the directory that is served. Applications learn only of links that hold. As the
// current place of work, a person may choose only a place with a link that holds (specification section 2.2, `currentWorkspaceId`).

import type { Account } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { AccountLinks } from './account-links.ts';
import { suspension } from './link-changes.ts';

/** The edition of the directory that is served: its id, and the records that the operator hides, as `Practitioner/ID`. */
export interface ServedEdition {
  id: string | undefined;
  hidden: ReadonlySet<string>;
}

/**
 * Returns an account with only those of its links that hold. Links to records that are hidden, have left, or now belong to another person
 * or structure are left out.
 */
export function withLinksInForce(account: Account, { id: edition, hidden }: ServedEdition): Account {
  const { linkChanges, currentWorkspace, ...others } = account;
  if (!linkChanges && hidden.size === 0) return account;
  const holds = (type: 'Practitioner' | 'Organization') => (id: string) =>
    !hidden.has(`${type}/${id}`) && suspension(linkChanges?.[`${type}/${id}`], edition) === undefined;
  return {
    ...others,
    practitioners: account.practitioners.filter(holds('Practitioner')),
    workspaces: account.workspaces.filter(holds('Organization')),
    // If the current place is left out, no other one replaces it, because the current place must not be guessed.
    ...(currentWorkspace !== undefined && holds('Organization')(currentWorkspace) && { currentWorkspace }),
  };
}

export interface Workspaces {
  ids: readonly string[];
  current?: string;
}

/** Returns the places of work among which a person can choose, and the current one. */
export function workspacesInForce(account: Account, edition: ServedEdition): Workspaces {
  const { workspaces: ids, currentWorkspace: current } = withLinksInForce(account, edition);
  return { ids, ...(current !== undefined && { current }) };
}

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
      // If an operator changes the links at the same time, this function is called again with the new links. They may lack the place of
      // work.
      linked = before.workspaces.includes(workspaceId);
      return { ...before, ...(linked && { currentWorkspace: workspaceId }), confirmed: [] };
    });
    return linked ? 'chosen' : 'refused';
  };
}
