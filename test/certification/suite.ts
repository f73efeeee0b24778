// Plays the relying party of the OpenID Foundation's conformance suite: its two static clients, its browser, and the checks
// that each of its modules makes of an authorization, a token response, an ID token and a userinfo response.
// Written from the modules' public descriptions (gitlab.com/openid/conformance-suite). Does not own the modules (`*.test.ts`).

import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import { hashSecret } from '../../src/shared/secret-hash.ts';
import type { ClientSettings } from '../../src/shared/settings.ts';
import { LOW_COST } from '../hash-cost.ts';
import { CREDENTIALS } from '../oidc/relying-party.ts';
import { createPerson, type Person, type Visit } from '../person.ts';
import { type RunningService, type ServiceChoices, startService } from '../service.ts';

export const CALLBACK = 'https://suite.example/test/a/hygie/callback';
export const POST_LOGOUT = 'https://suite.example/test/a/hygie/post_logout_redirect';
export const FIRST = 'certification';
export const SECOND = 'certification-second';
const SECRETS: Record<string, string> = {
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

/** Everything in this process sees the clock so much later, until the test ends. */
export function later(seconds: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
}

export type Parameters = Record<string, string | undefined>;
export type Claims = Record<string, unknown>;

export interface Flow {
  callback: URL;
  code: string;
  tokens: { access_token: string; id_token: string; refresh_token?: string; expires_in: number };
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
        state: randomBytes(8).toString('base64url'),
        nonce: randomBytes(8).toString('base64url'),
        response_type: 'code',
        ...parameters,
      };
      for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
      return url;
    },

    /** Opens the request and answers the forms by their field names and button ids, as the suite's browser does. */
    authorize: async (request: URL): Promise<URL> => {
      const callback = await person.signIn(request, CREDENTIALS);
      checkResponse(service, request, callback);
      return callback;
    },

    /** Answers the forms of a page that is open already. */
    answer: async (page: Visit, request: URL): Promise<URL> => {
      const next = await person.press(page, 'sign-in', CREDENTIALS);
      const callback = next.left ?? (await person.press(next, 'allow')).left;
      if (!callback) throw new Error(`the sign-in stopped at ${next.url}`);
      checkResponse(service, request, callback);
      return callback;
    },

    /** Code for tokens, with the checks that every module makes of them, and the call of userinfo that follows. */
    exchange: async (request: URL, callback: URL, how: Exchange = {}): Promise<Flow> => {
      const code = callback.searchParams.get('code') ?? '';
      expect(code).toMatch(/^[\w-]{22,}$/);
      const response = await token(
        service,
        { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...how.fields },
        { clientId: request.searchParams.get('client_id') ?? '', ...how },
      );
      expect(response.status).toBe(200);
      const tokens = (await response.json()) as Flow['tokens'];
      expect(tokens).toMatchObject({ token_type: 'Bearer', access_token: expect.stringMatching(/^[\w-]{22,}$/) });
      expect(tokens.expires_in).toBeGreaterThan(0);
      const { header, claims } = await checkIdToken(service, tokens, request.searchParams);
      const answer = await userinfo(service, tokens.access_token);
      expect(answer.status).toBe(200);
      const known = (await answer.json()) as Claims;
      expect(known['sub']).toBe(claims['sub']);
      return { callback, code, tokens, header, claims, userinfo: checkUserinfo(known) };
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
  const headers: Record<string, string> = {};
  if (authentication === 'client_secret_basic') {
    headers['authorization'] = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  } else {
    body.set('client_id', clientId);
    body.set('client_secret', secret);
  }
  return fetch(`${service.issuer}/oauth/token`, { method: 'POST', body, headers });
}

export function userinfo(service: RunningService, accessToken: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${service.issuer}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` }, ...init });
}

/** RFC 9207, RFC 6749 section 4.1.2: the callback of the request, its state, the issuer, and a code. */
function checkResponse(service: RunningService, request: URL, callback: URL): void {
  expect(`${callback.origin}${callback.pathname}`).toBe(CALLBACK);
  expect(callback.searchParams.get('error')).toBeNull();
  expect(callback.searchParams.get('state')).toBe(request.searchParams.get('state'));
  expect(callback.searchParams.get('iss')).toBe(service.issuer);
}

/** An error at the callback: state and issuer right, no code, no parameter that no specification knows. */
export function checkErrorResponse(service: RunningService, request: URL, callback: URL | undefined): string {
  const answer = callback?.searchParams ?? new URLSearchParams();
  expect(answer.get('state')).toBe(request.searchParams.get('state'));
  expect(answer.get('iss')).toBe(service.issuer);
  for (const name of answer.keys()) expect(['error', 'error_description', 'state', 'iss']).toContain(name);
  expect(answer.get('error_description') ?? '').toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/);
  return answer.get('error') ?? '';
}

/** OpenID Connect Core sections 2, 3.1.3.6, 3.1.3.7 and 10.1. */
async function checkIdToken(service: RunningService, tokens: Flow['tokens'], request: URLSearchParams) {
  const { header, claims } = await verified(service, tokens.id_token);
  const now = Math.floor(Date.now() / 1000);
  expect(header['alg']).toBe('RS256');
  expect(claims).toMatchObject({ iss: service.issuer, aud: request.get('client_id'), sub: expect.any(String) });
  expect(claims['nonce']).toBe(request.get('nonce') ?? undefined);
  expect(claims['exp']).toBeGreaterThan(now);
  expect(Math.abs(Number(claims['iat']) - now)).toBeLessThan(300);
  const half = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16);
  expect(claims['at_hash']).toBe(half.toString('base64url'));
  checkUpdatedAt(claims);
  return { header, claims };
}

/** Header and claims of a JWT that a key of the service's JWKS has signed; the test fails unless one has. */
export async function verified(service: RunningService, jwt: string): Promise<{ header: Claims; claims: Claims }> {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const named = decoded(header);
  const { jwks_uri } = await discovery(service);
  const { keys } = (await (await fetch(String(jwks_uri))).json()) as { keys: { kid: string }[] };
  const key = keys.filter(({ kid }) => kid === named['kid']);
  expect(key).toHaveLength(1);
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

const KINDS: Record<string, string> = {
  sub: 'string',
  name: 'string',
  nickname: 'string',
  picture: 'string',
  email: 'string',
  email_verified: 'boolean',
  updated_at: 'number',
};

/** OpenID Connect Core section 5.1: standard claims have the kind of value that they should. */
export function checkUserinfo(claims: Claims): Claims {
  for (const [name, kind] of Object.entries(KINDS)) {
    if (claims[name] !== undefined) expect([name, typeof claims[name]]).toEqual([name, kind]);
  }
  checkUpdatedAt(claims);
  return claims;
}

function checkUpdatedAt({ updated_at }: Claims): void {
  if (updated_at === undefined) return;
  expect(updated_at).toBeGreaterThan(Date.UTC(1990) / 1000);
  expect(updated_at).toBeLessThan(Date.now() / 1000 + 300);
}
