// Describes the request that waits for the person, for a sign-in page. `interactions.ts` reads the request itself, once for each step.

import type { Provider } from 'oidc-provider';
import { ANEW_PARAMETER } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import { asksForWorkspace, CHOOSE_WORKSPACE, SELECT_ACCOUNT } from '#openid/provider/prompts/prompts.ts';
import { SECOND_FACTOR_NEEDED, secondFactorDemand } from '#openid/provider/prompts/second-factor-demand.ts';
import { requestedClaims } from '#openid/tokens/claims-parameter.ts';
import { present } from '#shared/present.ts';
import { SCOPES } from '#shared/scopes.ts';
import { workspacesInForce } from '#store/accounts/links/links-in-force.ts';
import { epochSeconds } from '#store/database/connection.ts';

/** A client's request that waits for a person to sign in or to agree. */
export interface InteractionDetails {
  uid: string;
  prompt: 'login' | 'consent' | 'select_account' | 'workspace';
  client: { id: string; name: string };
  /** Scopes that are requested and not yet granted. */
  scopes: readonly string[];
  /** Maximum seconds for which `offline_access` lets the client act, if the request asks for it. */
  offlineFor?: number;
  /** The account that is signed in. */
  account?: {
    id: string;
    name: string;
    email?: string;
    /** Language that the person has chosen for the pages. */
    language?: string;
    /** Public identifier of the session (`uid`). The secret id of the session is only in the cookie. */
    sessionUid?: string;
  };
  /**
   * Places of work from which the person can choose. Undefined if the request asks for no choice, or if there are fewer than two places.
   */
  workspaces?: { ids: readonly string[]; current?: string };
  /** True if a password alone does not suffice for this request. */
  secondFactorRequired: boolean;
  /** True if the sign-in of `account` is valid and only a second factor is missing. */
  passwordProved: boolean;
  uiLocales?: string;
  loginHint?: string;
  /** True if somebody is signed in, but another person may sign in now. `account` is then undefined, so that the page names nobody. */
  anew?: true;
  /** The `redirect_uri` of the request, to which the browser returns in the end. */
  callback: string;
  /** Other registered addresses of the client, to which its callback may redirect the browser. */
  addresses?: readonly string[];
}

/** Thrown if the sign-in to which a page belongs is over, or was begun in another browser. */
export class InteractionExpired extends Error {
  constructor() {
    super('the sign-in is over or was begun in another browser; start again from the application');
  }
}

/** An interaction as oidc-provider returns it. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export interface DetailsOptions extends Pick<Parts, 'records' | 'accounts' | 'settings' | 'edition'> {
  provider: Provider;
}

/** Makes the function that describes an interaction for the pages. */
export function interactionDescriptions({ provider, records, accounts, settings, edition }: DetailsOptions) {
  const { scopeOf } = requestedClaims(settings.namespace);
  const { grant, refreshToken } = settings.lifetimes;

  // Checks whether the session's password is still recent enough for `max_age`. The library checks the age only when a request begins, and
  // a person may enter the code of the second factor much later.
  const passwordProved = async ({ prompt, params, session }: Interaction): Promise<boolean> => {
    if (prompt.reasons.some((reason) => reason !== SECOND_FACTOR_NEEDED)) return false;
    const maxAge = params['max_age'];
    if (maxAge === undefined) return true;
    const signedInAt = (await records.findLiveSession(session?.uid ?? ''))?.['loginTs'];
    return signedInAt !== undefined && epochSeconds() - Number(signedInAt) <= Number(maxAge);
  };

  return async (interaction: Interaction): Promise<InteractionDetails> => {
    const { params, prompt, uid, session } = interaction;
    const clientId = String(params['client_id']);
    const client = await provider.Client.find(clientId);
    const mayBeAnother = params[ANEW_PARAMETER] !== undefined && prompt.reasons.includes('login_prompt');
    const anew = mayBeAnother && session?.accountId !== undefined;
    const account = !anew && session?.accountId && (await accounts.find(session.accountId));
    const workspaces = account && asksForWorkspace(params['prompt'], client) && workspacesInForce(account, edition());
    const scopes = missingScopes(interaction);
    return {
      uid,
      prompt: pageOf(prompt.name),
      client: { id: clientId, name: client?.clientName ?? clientId },
      scopes: [...new Set([...scopes, ...missingClaims(interaction).map((claim) => scopeOf(claim) ?? claim)])],
      // A refresh token and its successors never outlive their grant.
      ...(scopes.includes('offline_access') && { offlineFor: Math.min(grant, refreshToken) }),
      ...(account && {
        account: {
          id: account.id,
          name: account.name,
          ...present({ email: account.email, language: account.language, sessionUid: session.uid }),
        },
      }),
      ...(workspaces && workspaces.ids.length > 1 && { workspaces }),
      secondFactorRequired: secondFactorDemand({ params, client, settings }) === 'required',
      passwordProved: await passwordProved(interaction),
      ...(params['ui_locales'] !== undefined && { uiLocales: String(params['ui_locales']) }),
      ...(params['login_hint'] !== undefined && { loginHint: String(params['login_hint']) }),
      ...(anew && { anew }),
      callback: String(params['redirect_uri']),
      addresses: [...(client?.redirectUris ?? []), ...(client?.postLogoutRedirectUris ?? [])],
    };
  };
}

/** Returns the page for a prompt of the library. The sign-in page is for every prompt without a page of its own. */
function pageOf(prompt: string): InteractionDetails['prompt'] {
  return prompt === 'consent' || prompt === SELECT_ACCOUNT || prompt === CHOOSE_WORKSPACE ? prompt : 'login';
}

/**
 * Returns the scopes for which the person is asked. If the client demands consent (`prompt=consent`), these are all requested scopes, even
 * if the person has allowed some of them before.
 */
export function missingScopes({ prompt, params }: Interaction): string[] {
  const wantsConsent = String(params['prompt'] ?? '')
    .split(' ')
    .includes('consent');
  const missing = prompt.details['missingOIDCScope'] as string[] | undefined;
  if (missing && !wantsConsent) return missing;
  const requested = String(params['scope'] ?? '').split(' ');
  return SCOPES.filter((scope) => requested.includes(scope));
}

/** Returns the claims that the client requests by name and that no earlier consent covers. */
export function missingClaims({ prompt }: Interaction): string[] {
  return (prompt.details['missingOIDCClaims'] as string[] | undefined) ?? [];
}
