// Decides when a person must sign in or choose something: the library's prompts and our additions (specification section 9). The grant that
// `remembered-consent.ts` finds decides whether the person is asked for consent. `second-factor-demand.ts` decides whether a second factor
// is needed.

import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { WORKSPACE } from '#openid/clients/client-registry.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import { type ServedEdition, workspacesInForce } from '#store/accounts/links/links-in-force.ts';
import { secondFactorCheck } from './second-factor-demand.ts';

/**
 * The value of `prompt` that lets the person choose between the signed-in account and another one (OpenID Connect Core section 3.1.2.1).
 */
export const SELECT_ACCOUNT = 'select_account';

/**
 * Makes the library's prompts with our additions: a sign-in if the session's account is disabled or gone, a sign-in if more than a password
 * is required, the choice of an account, and the choice of a place of work. Native clients ask for consent at every sign-in, because
 * another application can impersonate them (RFC 8252 section 8.6).
 */
export function prompts(
  settings: Pick<Settings, 'secondFactor'>,
  options: { secondFactors: Pick<SecondFactors, 'kinds'> } & WorkspaceOptions,
): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const accountGone = new interactionPolicy.Check(
    'account_gone',
    'the account of the session is gone',
    'login_required',
    ({ oidc }) => Boolean(oidc.session?.accountId && !oidc.account),
  );
  // This check replaces the library's check `id_token_hint`, which runs only when a request arrives. Ours also runs when the request
  // resumes after a sign-in.
  const otherPerson = new interactionPolicy.Check(
    'id_token_hint',
    'id_token_hint and authenticated subject do not match',
    'login_required',
    ({ oidc }) =>
      oidc.session?.accountId !== undefined && !matchesHint(oidc.params?.['id_token_hint'], oidc.session.accountId),
  );
  const checks = policy.get('login')?.checks;
  checks?.add(accountGone);
  checks?.remove('id_token_hint');
  checks?.add(otherPerson);
  checks?.remove('essential_acr');
  checks?.remove('essential_acrs');
  checks?.add(secondFactorCheck(settings, options.secondFactors));
  // The person chooses a place of work before the consent, because the consent is for everything that the application will learn, and that
  // includes the chosen place.
  policy.add(workspacePrompt(options), 1);
  policy.add(selectAccount(), 0);
  return policy;
}

/**
 * Makes the prompt for an account. This prompt comes first, because a person who chooses another account need not answer the other prompts
 * for the current account.
 */
function selectAccount(): interactionPolicy.Prompt {
  const chosen = new interactionPolicy.Check('no_account_chosen', 'the person has to choose an account', ({ oidc }) => {
    const { account, params = {}, result } = oidc;
    // The person is not asked if a sign-in follows anyway, in which they choose an account: if nobody is signed in, or if the request names
    // another person. After a sign-in, the person has chosen already.
    if (!account || result?.['login'] || subjectMismatch(params, account.accountId)) return false;
    return oidc.prompts.has(SELECT_ACCOUNT) && oidc.promptPending(SELECT_ACCOUNT);
  });
  const prompt = new interactionPolicy.Prompt({ name: SELECT_ACCOUNT, requestable: true }, chosen);
  // The library's own check would ask even if nobody is signed in.
  prompt.checks.remove(`${SELECT_ACCOUNT}_prompt`);
  return prompt;
}

/**
 * Returns the parameter that names another person than this account (`id_token_hint`, or `sub` in `claims`); undefined if no parameter
 * does. oidc-provider looks for such a parameter only when the request arrives, and compares it only with an existing session.
 */
export function subjectMismatch(
  params: Record<string, unknown>,
  accountId: string,
): 'id_token_hint' | 'claims' | undefined {
  if (!matchesHint(params['id_token_hint'], accountId)) return 'id_token_hint';
  // OpenID Connect Core section 5.5.1 defines this form of `claims`.
  const { id_token: claims } = JSON.parse(String(params['claims'] ?? '{}')) as {
    id_token?: { sub?: { value?: unknown } | null } | null;
  };
  const { value } = claims?.sub ?? {};
  return value !== undefined && value !== accountId ? 'claims' : undefined;
}

/**
 * Checks whether `id_token_hint` names this account (section 3.1.2.1). The library has verified the hint when the request arrived. Returns
 * true if there is no hint.
 */
function matchesHint(hint: unknown, accountId: string): boolean {
  if (hint === undefined) return true;
  const [, payload = ''] = String(hint).split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown }).sub === accountId;
}

/** Name of the prompt for a place of work (specification section 2.2, `currentWorkspaceId`). */
export const CHOOSE_WORKSPACE = 'workspace';

interface WorkspaceOptions {
  accounts: Pick<Accounts, 'find'>;
  edition(): ServedEdition;
}

/**
 * Checks whether a person must choose a place of work for this request. They must if the operator demands it for every request of the
 * client. They also must if the request asks for the choice of an account, because that page asks for the place of work too. Returns false
 * for `prompt=none`.
 */
export function asksForWorkspace(prompt: unknown, client: Readonly<Record<string, unknown>> | undefined): boolean {
  const wanted = String(prompt ?? '').split(' ');
  return !wanted.includes('none') && (wanted.includes(SELECT_ACCOUNT) || client?.[WORKSPACE] === 'ask');
}

/**
 * Makes the prompt for a place of work. It comes after the sign-in, once for each request. A person with fewer than two places of work is
 * not asked.
 */
function workspacePrompt({ accounts, edition }: WorkspaceOptions): interactionPolicy.Prompt {
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
