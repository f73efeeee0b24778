// What an account is linked to, as it may be told to applications.

import type { Account } from '#store/accounts/account-row.ts';
import { suspension } from './link-changes.ts';

/** An account with those of its links that hold in an edition: without those to records that left, or are another's now. */
export function withLinksInForce(account: Account, edition: string | undefined): Account {
  const { linkChanges, currentWorkspace, ...others } = account;
  if (!linkChanges) return account;
  const holds = (type: 'Practitioner' | 'Organization') => (id: string) =>
    suspension(linkChanges[`${type}/${id}`], edition) === undefined;
  return {
    ...others,
    practitioners: account.practitioners.filter(holds('Practitioner')),
    workspaces: account.workspaces.filter(holds('Organization')),
    // Not another one in its place: which one is in use is nobody's guess.
    ...(currentWorkspace !== undefined && holds('Organization')(currentWorkspace) && { currentWorkspace }),
  };
}
