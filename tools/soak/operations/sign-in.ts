// Whole sign-ins by the real pages: the authorization request, password, a code of the app, consent, the callback, the tokens.

import * as oidc from 'openid-client';
import { createPerson, type Visit } from '#support/person.ts';
import type { Member } from '#tools/soak/load/members.ts';
import { holds, same } from '#tools/soak/load/record.ts';
import type { AppAccount, World } from '#tools/soak/load/world.ts';
import type { AccountOfSoak } from '#tools/soak/site/accounts.ts';
import { CALLBACK } from '#tools/soak/site/clients.ts';
import { ISSUER } from '#tools/soak/site/site.ts';

type Through = Member['client'];

export const DIRECTORY_SCOPE = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** How a client asks: its own parameters beside those that all send. */
const REQUESTS: Readonly<Record<Through, Record<string, string>>> = {
  portail: { scope: `${DIRECTORY_SCOPE} offline_access`, prompt: 'consent' },
  annuaire: { scope: DIRECTORY_SCOPE },
  hopital: { scope: DIRECTORY_SCOPE },
};

export interface Started {
  state: string;
  nonce: string;
  verifier: string;
  url: URL;
  dpop?: oidc.DPoPHandle;
}

/** An authorization request of a client, pushed where the client has to. */
export async function beginRequest(world: World, client: Through, own: Record<string, string> = {}): Promise<Started> {
  const configuration = world.configuration(client);
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  const parameters = {
    redirect_uri: CALLBACK,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...REQUESTS[client],
    ...own,
  };
  if (client !== 'hopital')
    return { state, nonce, verifier, url: oidc.buildAuthorizationUrl(configuration, parameters) };
  const dpop = oidc.getDPoPHandle(configuration, await oidc.randomDPoPKeyPair('ES256'));
  const url = await oidc.buildAuthorizationUrlWithPAR(configuration, parameters, { DPoP: dpop });
  return { state, nonce, verifier, url, dpop };
}

/** Redeems the code at the callback and verifies the ID token. */
export async function redeem(world: World, client: Through, started: Started, callback: URL) {
  const { state, nonce, verifier, dpop } = started;
  const tokens = await oidc.authorizationCodeGrant(
    world.configuration(client),
    callback,
    { expectedState: state, expectedNonce: nonce, idTokenExpected: true, pkceCodeVerifier: verifier },
    undefined,
    dpop && { DPoP: dpop },
  );
  const claims = await world.verify(tokens.id_token ?? '');
  return { tokens, claims };
}

/** Signs somebody in with a new browser. */
export async function signIn(world: World, client: Through, account: AccountOfSoak | AppAccount): Promise<Member> {
  const browser = world.newBrowser();
  // Lifetimes count from here on.
  const begun = Date.now();
  try {
    const person = createPerson(ISSUER, browser.fetch);
    const started = await beginRequest(world, client);
    const callback = await throughPages(person, await person.visit(started.url), account);
    const { tokens, claims } = await redeem(world, client, started, callback);
    same(Boolean(tokens.refresh_token), client === 'portail', 'whether there is a refresh token');
    const now = Date.now();
    const member: Member = {
      browser,
      person,
      client,
      sub: String(claims['sub']),
      sid: String(claims['sid'] ?? ''),
      idToken: tokens.id_token ?? '',
      accessToken: tokens.access_token,
      accessUntil: now + (tokens.expires_in ?? 0) * 1000,
      refreshToken: tokens.refresh_token,
      dpop: started.dpop,
      signedInAt: begun,
      usedAt: begun,
      refreshedAt: begun,
      endsBy: endOf(world, now, now),
    };
    return member;
  } catch (error) {
    browser.close();
    throw error;
  }
}

/** The latest end of a session, in milliseconds since 1970, for its latest possible beginning and last use. */
export function endOf({ lifetimes }: World, signedInAt: number, usedAt: number): number {
  return Math.min(signedInAt + lifetimes.session, usedAt + lifetimes.sessionIdle);
}

/** Answers every page of a sign-in until the browser is sent back to the application. */
export async function throughPages(
  person: ReturnType<typeof createPerson>,
  first: Visit,
  account: AccountOfSoak | AppAccount,
): Promise<URL> {
  let page = first;
  const { login, password } = account;
  for (let pages = 0; pages < 6 && !page.left; pages += 1) {
    if (page.html.includes('id="sign-in"')) page = await person.press(page, 'sign-in', { login, password });
    else if (page.html.includes('id="allow"')) page = await person.press(page, 'allow');
    else if ('code' in account && page.html.includes('name="code"')) {
      page = await person.press(page, buttonBeside(page.html), { code: account.code() });
    } else break;
  }
  holds(page.left !== undefined, () => `the sign-in stopped at ${page.url} (${page.status}): ${plain(page.html)}`);
  const error = page.left.searchParams.get('error');
  holds(error === null, `the sign-in ended with ${error}: ${page.left.searchParams.get('error_description')}`);
  return page.left;
}

/** Id of the button of the form that asks for a code. */
function buttonBeside(html: string): string {
  const form =
    [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].find(([whole]) => whole.includes('name="code"'))?.[0] ?? '';
  return /<button\b[^>]*\bid="([^"]+)"/.exec(form)?.[1] ?? '';
}

/** The text of a page, shortened. */
export function plain(html: string): string {
  const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? html;
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
}
