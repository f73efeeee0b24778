// Decides when a sign-in asks for a place of work (specification section 2.2, `currentWorkspaceId`).

import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { WORKSPACE } from '#openid/clients/client-registry.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { workspacesInForce } from '#store/accounts/links/current-workspace.ts';

export const CHOOSE_WORKSPACE = 'workspace';

/** The `prompt` by which an application asks for it. The operator may ask for it at all of its requests. */
const BY_REQUEST = 'select_account';

export interface WorkspaceOptions {
  accounts: Pick<Accounts, 'find'>;
  /** Id of the edition of the directory that is served. */
  edition(): string | undefined;
}

/** Checks whether a request asks for the choice. A silent request never does. */
export function asksForWorkspace(prompt: unknown, client: Readonly<Record<string, unknown>> | undefined): boolean {
  const wanted = String(prompt ?? '').split(' ');
  return !wanted.includes('none') && (wanted.includes(BY_REQUEST) || client?.[WORKSPACE] === 'ask');
}

/** The prompt comes after the sign-in, once for each request. A person with one place of work or none is not asked. */
export function workspacePrompt({ accounts, edition }: WorkspaceOptions): interactionPolicy.Prompt {
  const description = 'the person has to choose a place of work';
  const check = async ({ oidc }: KoaContextWithOIDC) => {
    const { session, client, params = {}, result = {} } = oidc;
    if (!session?.accountId || CHOOSE_WORKSPACE in result || !asksForWorkspace(params['prompt'], client)) return false;
    const account = await accounts.find(session.accountId);
    return account !== undefined && workspacesInForce(account, edition()).ids.length > 1;
  };
  const notChosen = new interactionPolicy.Check('no_workspace_chosen', description, check);
  return new interactionPolicy.Prompt({ name: CHOOSE_WORKSPACE, requestable: false }, notChosen);
}
