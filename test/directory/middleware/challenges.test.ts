// RFC 6750 and RFC 9449: the challenge and the text of every refusal of a token, of a scope and of a rate, whole; and who counts as the caller.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { fhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { authenticate, callerOf, type Introspection, personOf, tokenOf } from '#directory/middleware/authenticate.ts';
import {
  openRenderingCounter,
  type RateRules,
  requestCounter,
  shareOf,
  withRateLimits,
} from '#directory/middleware/limit-requests.ts';
import { operationOutcome } from '#directory/middleware/operation-outcome.ts';
import { checkScopes } from '#directory/middleware/require-scopes.ts';
import { presentCaller } from '#search-index/threads/job-queue.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { thrownBy } from '#support/directory/thrown.ts';

const active = { active: true, accountId: 'ann', clientId: 'portal', scopes: new Set(['A', 'B']) } as const;
const { accountId: _accountId, ...itself } = active;
const FOUND: Record<string, Introspection> = {
  person: active,
  visitor: { ...active, visitor: 'grant-1' },
  itself,
  bound: { ...active, boundTo: 'thumbprint' },
  machine: { active: false, reason: 'no-person' },
  unproved: { active: false, reason: 'bound' },
  proof: { active: false, reason: 'proof', detail: 'it is too old' },
  undetailed: { active: false, reason: 'proof' },
  expired: { active: false, reason: 'expired' },
};

function serve() {
  const usedWithoutPerson: string[] = [];
  const logged: unknown[] = [];
  const app = express();
  const introspect = async (token: string) => {
    if (token === 'refused') throw fhirError(429, 'throttled', 'Not now.');
    if (token === 'broken') throw new Error('the database is away');
    return FOUND[token] ?? { active: false as const, reason: 'unknown' };
  };
  app.use(
    authenticate(introspect, (client) => usedWithoutPerson.push(client)),
    (_req, res) => {
      const { scopes, ...token } = tokenOf(res) ?? {};
      res.json({ ...token, scopes: [...(scopes ?? [])], caller: presentCaller() });
    },
  );
  app.use(operationOutcome({ log: { error: (details) => logged.push(details) } }));
  return { app, usedWithoutPerson, logged };
}

const ALGORITHMS = 'algs="ES256 EdDSA Ed25519 RS256 PS256 RS384 ES384"';
const UNKNOWN =
  'The access token is unknown, expired or revoked, or is none, such as an ID token: obtain an access token by signing in.';
const INVALID = 'error="invalid_token", error_description="unknown, expired or revoked"';
const BEARER = `Bearer realm="directory", ${INVALID}`;
const DPOP = `DPoP realm="directory", ${INVALID}, ${ALGORITHMS}`;
const NO_TOKEN = 'Send Authorization: Bearer, a blank and the access token. One in the address or body is not read.';
const BOTH = `Bearer realm="directory", DPoP realm="directory", ${ALGORITHMS}`;
const NEEDS_PROOF = 'The access token is bound to a key: send Authorization: DPoP, with a DPoP proof.';
const BOUND = `DPoP realm="directory", error="invalid_token", error_description="bound to a key", ${ALGORITHMS}`;
const PROOF = (detail: string) =>
  `DPoP realm="directory", error="invalid_dpop_proof", error_description="${detail}", ${ALGORITHMS}`;
const WITHOUT_PERSON =
  'The directory needs the access token of a signed-in person, not of a client alone: let a person sign in once with the scope offline_access, and renew with the refresh token; or have the operator of this service write directoryAccess: true for the client.';

describe('4.4 SEC-17 SEC-19 SEC-20 SEC-21 SEC-46 a refused token', () => {
  it.each<[authorization: string | undefined, status: number, code: string, text: string, challenge?: string]>([
    [undefined, 401, 'login', NO_TOKEN, BOTH],
    ['', 401, 'login', NO_TOKEN, BOTH],
    ['Basic Ym90aDpib3Ro', 401, 'login', NO_TOKEN, BOTH],
    ['Bearers person', 401, 'login', NO_TOKEN, BOTH],
    ['xBearer person', 401, 'login', NO_TOKEN, BOTH],
    ['Bearer', 401, 'login', UNKNOWN, BEARER],
    ['Bearer per"son', 401, 'login', UNKNOWN, BEARER],
    ['Bearer person other', 401, 'login', UNKNOWN, BEARER],
    ['Bearer expired', 401, 'login', UNKNOWN, BEARER],
    ['Bearer an.ID.token', 401, 'login', UNKNOWN, BEARER],
    ['bearer nobody', 401, 'login', UNKNOWN, BEARER],
    ['DPoP', 401, 'login', UNKNOWN, DPOP],
    ['dpop nobody', 401, 'login', UNKNOWN, DPOP],
    ['DPoP person', 401, 'login', UNKNOWN, DPOP],
    ['Bearer bound', 401, 'login', NEEDS_PROOF, BOUND],
    ['Bearer unproved', 401, 'login', NEEDS_PROOF, BOUND],
    ['DPoP unproved', 401, 'login', NEEDS_PROOF, BOUND],
    ['DPoP proof', 401, 'login', 'The DPoP proof does not hold: it is too old.', PROOF('it is too old')],
    ['DPoP undetailed', 401, 'login', 'The DPoP proof does not hold: .', PROOF('')],
    [
      'Bearer machine',
      403,
      'forbidden',
      WITHOUT_PERSON,
      'Bearer realm="directory", error="insufficient_scope", error_description="no authenticated user"',
    ],
    ['Bearer refused', 429, 'throttled', 'Not now.'],
    ['Bearer broken', 503, 'transient', 'Access tokens cannot be checked at the moment: try again soon.'],
  ])('Authorization: %s is %i with its challenge', async (authorization, status, code, text, challenge = undefined) => {
    const { app, logged, usedWithoutPerson } = serve();
    const answer = await request(app)
      .get('/')
      .set(authorization === undefined ? {} : { authorization });
    const issue = [{ severity: 'error', code, diagnostics: text }];
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { resourceType: 'OperationOutcome', issue }]);
    expect(answer.headers['www-authenticate']).toBe(challenge);
    expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
    expect(logged).toEqual(status === 503 ? [{ err: new Error('the database is away'), method: 'GET' }] : []);
    expect(usedWithoutPerson).toEqual([]);
  });

  it.each([
    ['Bearer person', { accountId: 'ann' }, { group: 'portal', member: 'ann' }, []],
    ['bearer   person  ', { accountId: 'ann' }, { group: 'portal', member: 'ann' }, []],
    ['Bearer visitor', { accountId: 'ann', visitor: 'grant-1' }, { group: 'portal', member: 'grant-1' }, []],
    ['DPoP bound', { accountId: 'ann', boundTo: 'thumbprint' }, { group: 'portal', member: 'ann' }, []],
    ['Bearer itself', {}, { group: 'portal itself', member: '' }, ['portal']],
  ])('Authorization: %s is accepted, on behalf of its caller', async (authorization, who, caller, without) => {
    const { app, usedWithoutPerson } = serve();
    const { body } = await request(app).get('/').set({ authorization });
    expect(body).toEqual({ active: true, clientId: 'portal', scopes: ['A', 'B'], ...who, caller });
    expect(usedWithoutPerson).toEqual(without);
  });

  it('SEC-44 a token is looked up as long as it may be, and no longer', async () => {
    const longest = 'a'.repeat(LIMITS.tokenLength);
    FOUND[longest] = active;
    const statusOf = async (token: string) =>
      (
        await request(serve().app)
          .get('/')
          .set({ authorization: `Bearer ${token}` })
      ).status;
    FOUND[`${longest}a`] = active;
    const statuses = [await statusOf(longest), await statusOf(`${longest}a`)];
    delete FOUND[longest];
    delete FOUND[`${longest}a`];
    expect(statuses).toEqual([200, 401]);
  });

  it('the caller is the client with its people, or the client itself', () => {
    expect([callerOf(active), callerOf(itself)]).toEqual(['portal', 'portal itself']);
    expect([active, { ...active, visitor: 'v' }, itself].map((token) => personOf(token))).toEqual([
      'ann',
      'v',
      undefined,
    ]);
  });
});

function refusalOf(call: () => unknown) {
  const { status, issues = [], headers } = thrownBy(call) ?? {};
  return status && { status, ...issues[0], headers };
}

describe('SEC-20 a lacking scope', () => {
  const REMEDY = 'ask for it by the parameter scope, at /authorize, or at /oauth/token for a token without a person.';
  const lacking = (named: string, scope: string, hint = '') => ({
    status: 403,
    severity: 'error',
    code: 'forbidden',
    diagnostics: `The access token lacks the ${named}: ${REMEDY}${hint}`,
    headers: { 'WWW-Authenticate': `Bearer realm="directory", error="insufficient_scope", scope="${scope}"` },
  });

  it('is named with all that the request needs, each once', () => {
    expect(refusalOf(() => checkScopes(active, ['A', 'B']))).toBeUndefined();
    expect(refusalOf(() => checkScopes(active, ['A', 'C', 'C']))).toEqual(lacking('scope C', 'A C'));
    expect(refusalOf(() => checkScopes(undefined, ['A', 'C'], ' Or less.'))).toEqual(
      lacking('scopes A and C', 'A C', ' Or less.'),
    );
  });
});

describe('SEC-76 a rate that is reached', () => {
  const rules: RateRules = {
    ofClient: () => ({ perSecond: 1.5, burst: 2.5 }),
    ofServiceAccount: () => ({ perSecond: 0.5, burst: 1 }),
    addressOf: () => '192.0.2.1',
  };
  const throttled = (diagnostics: string, seconds: string) => ({
    status: 429,
    severity: 'error',
    code: 'throttled',
    diagnostics,
    headers: { 'Retry-After': seconds },
  });

  it('is shared out among processes, and lets one request through in each', () => {
    expect([shareOf({ perSecond: 10, burst: 5 }, 4), shareOf({ perSecond: 1, burst: 3 }, 4)]).toEqual([
      { perSecond: 2.5, burst: 1.25 },
      { perSecond: 0.25, burst: 1 },
    ]);
  });

  it('is refused by whole numbers, and reported by its name', async () => {
    const reached: string[] = [];
    const stop = onLimitReached((limit) => reached.push(limit));
    try {
      const count = requestCounter(rules);
      count(itself);
      expect(refusalOf(() => count(itself))).toEqual(
        throttled('This client may make 1 requests a second here, and 1 at once: try again in 2 s.', '2'),
      );
      count(active);
      count({ ...active, accountId: 'bob' });
      expect(refusalOf(() => count({ ...active, accountId: 'eve' }))).toEqual(
        throttled('This client may make 2 requests a second here, and 3 at once: try again in 2 s.', '2'),
      );
      const alone = requestCounter(rules);
      alone(active);
      expect(refusalOf(() => alone(active))).toEqual(
        throttled(
          'One person may use as many of the 3 requests of this client as are left for all others: try again in 2 s.',
          '2',
        ),
      );
      const introspect = withRateLimits(
        async () => ({ active: false, reason: 'unknown' }),
        rules,
        () => {},
      );
      for (let number = 0; number < 200; number++) await introspect('guess', {} as never);
      const guessed = await introspect('guess', {} as never).catch((error) =>
        refusalOf(() => {
          throw error;
        }),
      );
      expect(guessed).toEqual(
        throttled('Too many access tokens from this address did not hold: try again in 40 s.', '40'),
      );
      const render = openRenderingCounter(rules);
      for (let number = 0; number < 600; number++) await render({} as never);
      const rendered = await render({} as never).catch((error) =>
        refusalOf(() => {
          throw error;
        }),
      );
      expect(rendered).toEqual(
        throttled(
          'Too many requests without a token came from this address for descriptions in XML, indented or in part ' +
            '(plain JSON is not counted): try again in 60 s.',
          '60',
        ),
      );
    } finally {
      stop();
    }
    expect(reached).toEqual([
      'directory-service-account',
      'directory-client',
      'directory-person',
      'invalid-tokens',
      'open-renderings',
    ]);
  });

  it('counts the network of an address too', async () => {
    let address = 0;
    const many: RateRules = { ...rules, addressOf: () => `192.0.2.${address++ % 250}` };
    const introspect = withRateLimits(
      async () => ({ active: false, reason: 'unknown' }),
      many,
      () => {},
    );
    for (let number = 0; number < 2000; number++) await introspect('guess', {} as never);
    const next = introspect('guess', {} as never);
    await expect(next).rejects.toThrow('Too many access tokens from this address did not hold');
    const render = openRenderingCounter(many);
    for (let number = 0; number < 6000; number++) await render({} as never);
    await expect(render({} as never)).rejects.toThrow('Too many requests without a token');
  });
});
