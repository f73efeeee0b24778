// Decides which links of an account to the directory hold in the edition that is served. Applications learn of these alone.

import type { Account } from '#store/accounts/account-row.ts';
import { suspension } from './link-changes.ts';

/** The edition of the directory that is served: its id, and the records that the operator hides, as `Practitioner/ID`. */
export interface ServedEdition {
  id: string | undefined;
  hidden: ReadonlySet<string>;
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

export interface Workspaces {
  ids: readonly string[];
  current?: string;
}

/** The places from which a person chooses. With fewer than two there is no choice. */
export function workspacesInForce(account: Account, edition: ServedEdition): Workspaces {
  const { workspaces: ids, currentWorkspace: current } = withLinksInForce(account, edition);
  return { ids, ...(current !== undefined && { current }) };
}
