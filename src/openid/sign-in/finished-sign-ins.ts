// Keeps the outcome of a sign-in in a cookie. If the person returns to the sign-in page afterwards, by Back, a reload or a bookmark, the
// page shows the outcome. Browsers send the cookie only to the address of that page.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { interactionUrl } from '#openid/routes.ts';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';
import { type Application, applicationOf } from '#web/pages/ways-on.ts';

/** `refused`: the person refused on the consent page. `cancelled`: the sign-in ended without success on another page. */
type SignInOutcome = 'signed-in' | 'cancelled' | 'refused';

/** The end of a sign-in, as the cookie keeps it. */
export interface SignInEnd {
  outcome: SignInOutcome;
  /** The account that signed in. */
  accountId?: string;
  clientId: string;
  /** The `redirect_uri` of the request. */
  callback: string;
}

/** The end of a sign-in, as the page shows it. */
export interface FinishedSignIn {
  /** `over` means that the account is no longer signed in at this browser. */
  outcome: SignInOutcome | 'over';
  /** The application that sent the request. Undefined for the account pages, and for an application that is no longer registered. */
  application?: Application;
}

/** Seconds for which an outcome is kept: twelve hours, which is longer than a working day. */
const KEPT_FOR = 43_200;

/** Makes the functions that store and find the ends of sign-ins. The first of `keys` seals new cookies; each of `keys` can open cookies. */
export function finishedSignIns(provider: Provider, keys: readonly string[]) {
  const { issuer } = provider;
  const cookie = sealedCookie(COOKIES.finished, keys, issuer.startsWith('https:'));
  const contextOf = (uid: string) => `end of sign-in ${uid}`;
  return {
    keep: (res: ServerResponse, uid: string, end: SignInEnd): void => {
      const at = { context: contextOf(uid), path: interactionUrl(issuer, uid), seconds: KEPT_FOR };
      cookie.write(res, JSON.stringify(end), at);
    },

    find: async (req: IncomingMessage, res: ServerResponse, uid: string): Promise<FinishedSignIn | undefined> => {
      const text = cookie.read(req, contextOf(uid));
      if (text === undefined) return undefined;
      const { outcome, clientId, callback, accountId } = JSON.parse(text) as SignInEnd;
      const client = clientId === OWN_CLIENT_ID ? undefined : await provider.Client.find(clientId);
      const application = client && applicationOf(client, callback);
      const session = await provider.Session.get(provider.createContext(req, res) as never);
      const over = outcome === 'signed-in' && session.accountId !== accountId;
      return { outcome: over ? 'over' : outcome, ...(application && { application }) };
    },
  };
}
