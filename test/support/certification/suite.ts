// Plays the relying party of the OpenID Foundation's conformance suite: its two static clients, its browser, and its
// requests. Written from the modules' public descriptions (gitlab.com/openid/conformance-suite).

import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { type RunningService, type ServiceChoices, startService } from '#support/service.ts';
import {
  type Claims,
  checkIdToken,
  checkResponse,
  checkTokenResponse,
  checkUserinfo,
  type Tokens,
} from './conditions.ts';

export type { Claims } from './conditions.ts';

export const CALLBACK = 'https://suite.example/test/a/hygie/callback';
export const POST_LOGOUT = 'https://suite.example/test/a/hygie/post_logout_redirect';
export const FIRST = 'certification';
export const SECOND = 'certification-second';
export const SECRETS: Readonly<Record<string, string>> = {
  [FIRST]: 'a-secret-of-the-certification-that-opens-nothing',
  [SECOND]: 'another-secret-of-the-certification-for-nothing',
};

/** A service under the certification profile: the one setting `claims.updatedAt: epoch`. */
export async function startCertified(
  choices: { client?: Partial<ClientSettings>; adjust?: ServiceChoices['adjust'] } = {},
): Promise<RunningService> {
  const { client = {}, adjust = (settings) => settings } = choices;
  const clients = [FIRST, SECOND].map(async (id): Promise<ClientSettings> => {
    return {
      id,
      name: `Conformance suite (${id})`,
      type: 'server',
      secretHashes: [await hashSecret(SECRETS[id] ?? '', LOW_COST)],
      callbackUrls: [CALLBACK],
      logoutUrls: [POST_LOGOUT],
      scopes: ['openid', 'email', 'profile', 'offline_access'],
      consent: 'ask',
      serviceAccount: false,
      ...(id === FIRST && client),
    };
  });
  return startService({
    clients: await Promise.all(clients),
    adjust: (settings) => adjust({ ...settings, claims: { ...settings.claims, updatedAt: 'epoch' } }),
  });
}

/** What is there once the tests run, and not before. */
export interface Certified {
  readonly service: RunningService;
  /** One browser for the modules that are not about the sign-in. */
  readonly signedIn: ReturnType<typeof createRun>;
}

/** To be called at the top of a test file: one service for all of it; the clock is put back after each test. */
export function withCertified(): Certified {
  const on = {} as { service: RunningService; signedIn: Certified['signedIn'] };
  beforeAll(async () => {
    on.service = await startCertified();
    on.signedIn = createRun(on.service);
  });
  afterAll(() => on.service.stop());
  afterEach(() => void jest.restoreAllMocks());
  return on;
}

const realNow = Date.now.bind(Date);

/** Everything in this process sees the clock so much later than it is now, until the test ends. */
export function later(seconds: number): void {
  const ahead = Date.now() - realNow() + seconds * 1000;
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead);
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A state or nonce as the suite makes them: a long one ends with all the marks that need no escape in an address. */
export function randomValue(length = 10): string {
  const text = Array.from(randomBytes(length), (byte) => LETTERS_AND_DIGITS[byte % LETTERS_AND_DIGITS.length]).join('');
  return length > 10 ? `${text.slice(4)}-._~` : text;
}

export type Parameters = Record<string, string | undefined>;

export interface Flow {
  callback: URL;
  code: string;
  tokens: Tokens;
  header: Claims;
  claims: Claims;
  userinfo: Claims;
}

/** One module's run: a browser of its own, unless one is given, and one of the two clients. */
export function createRun(service: RunningService, person: Person = createPerson(service.issuer)) {
  const run = {
    person,

    /** The request that every module begins with; `undefined` leaves a parameter out. */
    request: (parameters: Parameters = {}): URL => {
      const url = new URL(`${service.issuer}/authorize`);
      const all: Parameters = {
        client_id: FIRST,
        redirect_uri: CALLBACK,
        scope: 'openid',
        state: randomValue(),
        nonce: randomValue(),
        response_type: 'code',
        ...parameters,
      };
      for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
      return url;
    },

    /** Opens the request and answers the forms by their field names and button ids, as the suite's browser does. */
    authorize: async (request: URL): Promise<URL> => {
      const callback = await person.signIn(request, CREDENTIALS);
      checkResponse(service.issuer, request, callback);
      return callback;
    },

    /** Answers the forms of a page that is open already. */
    answer: async (page: Visit, request: URL): Promise<URL> => {
      const next = await person.press(page, 'sign-in', CREDENTIALS);
      const callback = next.left ?? (await person.press(next, 'allow')).left;
      if (!callback) throw new Error(`the sign-in stopped at ${next.url}`);
      checkResponse(service.issuer, request, callback);
      return callback;
    },

    /** Code for tokens, with the checks that every module makes of them, and the call of userinfo that follows. */
    exchange: async (request: URL, callback: URL, how: Exchange = {}): Promise<Flow> => {
      const code = callback.searchParams.get('code') ?? '';
      const clientId = request.searchParams.get('client_id') ?? '';
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...how.fields };
      const tokens = await checkTokenResponse(await token(service, fields, { clientId, ...how }));
      const { header, claims } = await verified(service, tokens.id_token);
      expect(header['alg']).toBe('RS256');
      const nonce = request.searchParams.get('nonce') ?? undefined;
      checkIdToken(claims, { issuer: service.issuer, clientId, nonce, tokens, code });
      const known = await checkUserinfo(await userinfo(service, tokens.access_token), claims);
      return { callback, code, tokens, header, claims, userinfo: known };
    },

    /** Request, forms, callback, tokens, userinfo: what most modules do once or twice. */
    flow: async (parameters: Parameters = {}, how: Exchange = {}): Promise<Flow> => {
      const request = run.request(parameters);
      return run.exchange(request, await run.authorize(request), how);
    },
  };
  return run;
}

export interface Exchange {
  authentication?: 'client_secret_basic' | 'client_secret_post';
  fields?: Record<string, string>;
}

/** A request to the token endpoint. */
export function token(
  service: RunningService,
  fields: Record<string, string>,
  { clientId, authentication = 'client_secret_basic' }: Exchange & { clientId: string },
): Promise<Response> {
  const secret = SECRETS[clientId] ?? '';
  const body = new URLSearchParams(fields);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (authentication === 'client_secret_basic') {
    const pair = [clientId, secret].map(encodeURIComponent).join(':');
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    body.set('client_id', clientId);
    body.set('client_secret', secret);
  }
  return fetch(`${service.issuer}/oauth/token`, { method: 'POST', body, headers });
}

/** With the token in the header; a POST has the type of a form and no content, as that of the suite. */
export function userinfo(
  service: RunningService,
  accessToken: string,
  method: 'GET' | 'POST' = 'GET',
): Promise<Response> {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${accessToken}`,
    ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  return fetch(`${service.issuer}/userinfo`, { method, headers });
}

/** Header and claims of a JWT that a key of the service's JWKS has signed; the test fails unless one has. */
export async function verified(service: RunningService, jwt: string): Promise<{ header: Claims; claims: Claims }> {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const named = decoded(header);
  const { jwks_uri } = await discovery(service);
  const { keys } = (await (await fetch(String(jwks_uri))).json()) as { keys: Record<string, string>[] };
  const key = keys.filter(({ kid }) => kid === named['kid']);
  expect(key).toEqual([expect.objectContaining({ kty: 'RSA', use: 'sig', alg: named['alg'] })]);
  const publicKey = createPublicKey({ key: key[0] as never, format: 'jwk' });
  const data = Buffer.from(`${header}.${payload}`);
  expect(verify('sha256', data, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  return { header: named, claims: decoded(payload) };
}

export async function discovery(service: RunningService): Promise<Claims> {
  return (await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json()) as Claims;
}

export function decoded(part: string): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims;
}
