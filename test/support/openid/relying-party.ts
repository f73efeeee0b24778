// What the protocol tests share: relying parties made with openid-client, and a person who signs in for them.

import * as oidc from 'openid-client';
import { createPerson, type Person } from '#support/person.ts';
import { ALL_SCOPES, CALLBACK, DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, SECRET } from '#support/service.ts';

export const CREDENTIALS = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };

/** A confidential client as openid-client sees it, with the secret in the body unless told otherwise. */
export function discover(
  service: RunningService,
  clientId: string,
  authentication: oidc.ClientAuth = oidc.ClientSecretPost(SECRET),
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(service.issuer), clientId, { client_secret: SECRET }, authentication, {
    execute: [oidc.allowInsecureRequests],
  });
}

/** A public client. */
export function discoverPublic(service: RunningService, clientId: string): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(service.issuer), clientId, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });
}

export interface SignIn {
  tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;
  callback: URL;
  nonce: string;
  state: string;
  person: Person;
  configuration: oidc.Configuration;
}

export interface SignInChoices {
  clientId?: string;
  scope?: string;
  person?: Person;
  configuration?: oidc.Configuration;
  parameters?: Record<string, string>;
  redirectUri?: string;
  credentials?: { login: string; password: string };
}

/** The whole login sequence of section 1 with openid-client: redirect, callback, state, code exchange. */
export async function signIn(service: RunningService, choices: SignInChoices = {}): Promise<SignIn> {
  const { clientId = 'server', scope = ALL_SCOPES, redirectUri = CALLBACK } = choices;
  const configuration = choices.configuration ?? (await discover(service, clientId));
  const person = choices.person ?? signedInPerson(service);
  const state = choices.parameters?.['state'] ?? oidc.randomState();
  const nonce = oidc.randomNonce();
  const verifier = oidc.randomPKCECodeVerifier();
  const openid = scope.split(' ').includes('openid');
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state,
    version: '2.0.0',
    ...(openid && { nonce }),
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...choices.parameters,
  });
  const callback = await person.signIn(url, choices.credentials ?? CREDENTIALS);
  const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    ...(openid && { expectedNonce: nonce, idTokenExpected: true }),
    pkceCodeVerifier: verifier,
  });
  return { tokens, callback, nonce, state, person, configuration };
}

/** An authorization request without PKCE, as servers send it by the specification (section 4.1). */
export function authorizationUrl(service: RunningService, parameters: Record<string, string | undefined> = {}): URL {
  const url = new URL(`${service.issuer}/authorize`);
  const all = {
    client_id: 'server',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: ALL_SCOPES,
    state: oidc.randomState(),
    version: '2.0.0',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

const signedInPeople = new WeakMap<RunningService, Person>();

/** One person per service who stays signed in, for tests that are not about signing in. */
export function signedInPerson(service: RunningService): Person {
  const person = signedInPeople.get(service) ?? createPerson(service.issuer);
  signedInPeople.set(service, person);
  return person;
}

/** Obtains a code for a request without PKCE. */
export async function obtainCode(
  service: RunningService,
  parameters: Record<string, string | undefined> = {},
  person = signedInPerson(service),
): Promise<string> {
  const callback = await person.signIn(authorizationUrl(service, parameters), CREDENTIALS);
  return callback.searchParams.get('code') ?? '';
}

/** The token request of section 4.2, exactly as the specification writes it. */
export function redeem(
  service: RunningService,
  code: string,
  fields: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = {
    grant_type: 'authorization_code',
    client_id: 'server',
    client_secret: SECRET,
    code,
    redirect_uri: CALLBACK,
    ...fields,
  };
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) body.set(name, value);
  return fetch(`${service.issuer}/oauth/token`, { method: 'POST', body, headers });
}

/** A search that answers to a token of a person with the scope of the directory. */
export const SEARCH = '/directory/v2/Practitioner?name=martin';

/** The status of a request with an access token. */
export async function statusWith({ issuer }: { issuer: string }, token: string, path = '/userinfo'): Promise<number> {
  return (await fetch(issuer + path, { headers: { authorization: `Bearer ${token}` } })).status;
}
