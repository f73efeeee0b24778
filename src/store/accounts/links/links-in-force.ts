// Decides which links of an account hold in the edition of the directory that is served. Applications learn only of these.

import type { Account } from '#store/accounts/account-row.ts';
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

/** Returns the places of work from which a person chooses. If there are fewer than two, there is no choice. */
export function workspacesInForce(account: Account, edition: ServedEdition): Workspaces {
  const { workspaces: ids, currentWorkspace: current } = withLinksInForce(account, edition);
  return { ids, ...(current !== undefined && { current }) };
}
