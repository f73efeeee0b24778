// Owns what an authorization request must satisfy beyond OAuth's own rules, and when a person is asked for consent.
// Source: specification sections 4.1, 5, 9. Does not own the pages that ask (`src/signin/`).

import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../shared/log/log.ts';
import { SCOPES } from '../shared/scopes.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import { epochSeconds } from '../store/database/connection.ts';
import type { Consents } from '../store/oidc/consents.ts';
import { CONSENT } from './clients/client-registry.ts';
import { CLOCK_TOLERANCE } from './clock.ts';
import { secondFactorCheck } from './interactions/authentication-context.ts';
import { isFor } from './interactions/subject-hint.ts';
import { claimConsent, type RequestedClaims } from './tokens/claims-parameter.ts';
import { checkProofAge, ProofFault, proofTime } from './tokens/dpop-proof.ts';

/** Length below which a `state` is accepted but noted (specification section 8). */
const RECOMMENDED_STATE_LENGTH = 30;

const OFFLINE = 'offline_access';

/** Of scopes that anybody may invent, as many and as much of each as the log names. */
const MOST_NAMES = 5;
const LONGEST_NAME = 60;

const SUPPORTED_VERSION = /^2(\.\d{1,4}){0,2}$/;

type Validator = (ctx: KoaContextWithOIDC, value: string | undefined) => void;

/**
 * Validators of the authorization request's parameters; oidc-provider runs them also for absent ones.
 * A fault is an `invalid_request` at the client's callback (RFC 6749 section 4.1.2.1).
 */
export function requestRules(log: Logger): Record<'state' | 'version' | 'scope', Validator> {
  const noted = new Set<string>();
  const withoutConsent = new Set<string>();
  const withUnknown = new Set<string>();
  return {
    state: (ctx, value) => {
      if (!value) {
        throw new errors.InvalidRequest(
          'missing required parameter state: send a random text, best of 30 characters or more',
        );
      }
      const client = ctx.oidc.client?.clientId ?? '';
      if (value.length >= RECOMMENDED_STATE_LENGTH || noted.has(client)) return;
      noted.add(client);
      log.warn({ client, length: value.length, recommended: RECOMMENDED_STATE_LENGTH }, 'client sends a short state');
    },
    version: (_ctx, value) => {
      if (value !== undefined && !SUPPORTED_VERSION.test(value)) {
        throw new errors.InvalidRequest('unsupported version: this service speaks version 2.0.0');
      }
    },
    scope: (ctx, value) => {
      if (!value) throw new errors.InvalidRequest('missing required parameter scope: name the permissions you need');
      const client = ctx.oidc.client?.clientId ?? '';
      // As it was sent: the library has left them out by now.
      const sent = String(ctx.query['scope'] ?? ctx.oidc.body?.['scope'] ?? '');
      const unknown = sent.split(' ').filter((scope) => scope && !(SCOPES as readonly string[]).includes(scope));
      if (unknown.length > 0 && !withUnknown.has(client)) {
        withUnknown.add(client);
        const scopes = unknown.slice(0, MOST_NAMES).map((scope) => scope.slice(0, LONGEST_NAME));
        log.warn({ client, scopes }, 'scopes that this service does not know are left out');
      }
      // OpenID Connect Core section 11: left out without a word, so that integrators look for it in vain.
      const wanted = sent.split(' ').includes(OFFLINE) && !value.split(' ').includes(OFFLINE);
      if (!wanted || withoutConsent.has(client)) return;
      withoutConsent.add(client);
      log.warn({ client }, 'offline_access is left out: it needs prompt=consent, and the scope in clients.yaml');
    },
  };
}

/**
 * The prompts a person may meet: the library's, a new sign-in where the session's account was disabled or is gone, and one
 * where more than a password is demanded.
 * Native clients ask for consent at every sign-in, because another application can pose as them (RFC 8252 section 8.6).
 */
export function prompts(
  settings: Pick<Settings, 'secondFactor'>,
  secondFactors: Pick<SecondFactors, 'find'>,
): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const accountGone = new interactionPolicy.Check('account_gone', 'the account of the session is gone', ({ oidc }) =>
    Boolean(oidc.session?.accountId && !oidc.account),
  );
  // The library's own looks at the hint when a request comes, not when it is taken up again after a sign-in.
  const otherPerson = new interactionPolicy.Check(
    'id_token_hint',
    'id_token_hint and authenticated subject do not match',
    'login_required',
    ({ oidc }) =>
      oidc.session?.accountId !== undefined && !isFor(oidc.params?.['id_token_hint'], oidc.session.accountId),
  );
  const checks = policy.get('login')?.checks;
  checks?.add(accountGone);
  checks?.remove('id_token_hint');
  checks?.add(otherPerson);
  checks?.remove('essential_acr');
  checks?.remove('essential_acrs');
  checks?.add(secondFactorCheck(settings, secondFactors));
  return policy;
}

/**
 * The grant that a request continues: the one of this session, or a new one from what the person has agreed to
 * before (within `maxAge` seconds), or the operator has decided for a trusted client.
 */
export function grantLoader(consents: Consents, wanted: RequestedClaims, maxAge: number) {
  return async (ctx: KoaContextWithOIDC) => {
    const { client, session, provider, result, account } = ctx.oidc;
    if (!client || !session) return undefined;
    const consented = (result?.['consent'] as { grantId?: string } | undefined)?.grantId;
    const id = consented ?? session.grantIdFor(client.clientId);
    const grant = id ? await provider.Grant.find(id) : undefined;
    if (!account || ctx.oidc.prompts.has('consent')) return grant;

    const held = new Set(grant?.getOIDCScopeEncountered().split(' '));
    const scopes = [...ctx.oidc.requestParamOIDCScopes].filter((scope) => !held.has(scope));
    const claims = wanted.missing(ctx, grant);
    if (scopes.length === 0 && claims.length === 0 && grant) return grant;

    const trusted = client[CONSENT] === 'trusted';
    // Nothing to look up where only claims of scopes that are held already are asked for by name.
    const byName = claims.some((claim) => !held.has(String(wanted.scopeOf(claim))));
    const given =
      !trusted && (scopes.length > 0 || byName) ? await consents.find(account.accountId, client.clientId, maxAge) : [];
    const agreed = scopes.filter((scope) => trusted || given.includes(scope));
    const covers = (scope: string | undefined) => scope !== undefined && (held.has(scope) || agreed.includes(scope));
    const agreedClaims = claims.filter(
      (claim) => trusted || covers(wanted.scopeOf(claim)) || given.includes(claimConsent(claim)),
    );
    if (agreed.length === 0 && agreedClaims.length === 0) return grant;
    const renewed = grant ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    if (agreed.length > 0) renewed.addOIDCScope(agreed.join(' '));
    if (agreedClaims.length > 0) renewed.addOIDCClaims(agreedClaims);
    await renewed.save();
    return renewed;
  };
}

/**
 * The library's `requireNonce`, asked before it verifies a proof of possession. No nonce is required; but the library takes
 * proofs of five minutes, also from the future, which is longer than it remembers them (SEC-46, SEC-50).
 */
export function refuseOldProofs(ctx: KoaContextWithOIDC): boolean {
  try {
    checkProofAge(proofTime(ctx.get('DPoP')), epochSeconds());
  } catch (error) {
    if (!(error instanceof ProofFault)) throw error;
    throw new errors.InvalidDpopProof(`the DPoP proof does not hold: ${error.message}`);
  }
  return false;
}

/** Seconds: the longest that an assertion of a client may still live. */
const LONGEST_ASSERTION = 3600;

/** An assertion is remembered until it ends, so that it is good once (RFC 7523 section 3): it has to end soon. */
export async function refuseLongAssertions(
  _ctx: KoaContextWithOIDC,
  { exp, iat }: { exp?: unknown; iat?: unknown },
): Promise<void> {
  const now = epochSeconds();
  if (Number(exp) - now > LONGEST_ASSERTION) {
    throw new errors.InvalidClientAuth(`the client_assertion may live for ${LONGEST_ASSERTION} seconds at most`);
  }
  // The library leaves it to us beside `exp`.
  if (typeof iat === 'number' && iat - now > CLOCK_TOLERANCE) {
    throw new errors.InvalidClientAuth('the iat of the client_assertion is in the future: set the clock of the client');
  }
}
