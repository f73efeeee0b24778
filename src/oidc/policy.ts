// Owns what an authorization request must satisfy beyond OAuth's own rules, and when a person is asked for consent.
// Source: specification sections 4.1, 5, 9. Does not own the pages that ask (`src/signin/`).

import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from '../shared/log.ts';
import type { Consents } from '../store/consents.ts';
import { CONSENT } from './clients.ts';

/** Length below which a `state` is accepted but noted (specification section 8). */
const RECOMMENDED_STATE_LENGTH = 30;

const SUPPORTED_VERSION = /^2(\.\d{1,4}){0,2}$/;

type Validator = (ctx: KoaContextWithOIDC, value: string | undefined) => void;

/**
 * Validators of the authorization request's parameters; oidc-provider runs them also for absent ones.
 * A fault is an `invalid_request` at the client's callback (RFC 6749 section 4.1.2.1).
 */
export function requestRules(log: Logger): Record<'state' | 'version' | 'scope', Validator> {
  const noted = new Set<string>();
  return {
    state: (ctx, value) => {
      if (!value) {
        throw new errors.InvalidRequest(
          'missing required parameter state: send a random text of 30 characters or more',
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
    scope: (_ctx, value) => {
      if (!value) throw new errors.InvalidRequest('missing required parameter scope: name the permissions you need');
    },
  };
}

/**
 * The prompts a person may meet: the library's, and a new sign-in where the session's account was disabled or is gone.
 * Native clients ask for consent at every sign-in, because another application can pose as them (RFC 8252 section 8.6).
 */
export function prompts(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const accountGone = new interactionPolicy.Check('account_gone', 'the account of the session is gone', ({ oidc }) =>
    Boolean(oidc.session?.accountId && !oidc.account),
  );
  policy.get('login')?.checks.add(accountGone);
  return policy;
}

/**
 * The grant that a request continues: the one of this session, or a new one from what the person has agreed to
 * before (within `maxAge` seconds), or the operator has decided for a trusted client.
 */
export function grantLoader(consents: Consents, maxAge: number) {
  return async (ctx: KoaContextWithOIDC) => {
    const { client, session, provider, result, account } = ctx.oidc;
    if (!client || !session) return undefined;
    const consented = (result?.['consent'] as { grantId?: string } | undefined)?.grantId;
    const id = consented ?? session.grantIdFor(client.clientId);
    const grant = id ? await provider.Grant.find(id) : undefined;
    if (!account || ctx.oidc.prompts.has('consent')) return grant;

    const requested = [...ctx.oidc.requestParamOIDCScopes];
    const held = new Set(grant?.getOIDCScopeEncountered().split(' '));
    const missing = requested.filter((scope) => !held.has(scope));
    if (missing.length === 0 && grant) return grant;

    const given =
      client[CONSENT] === 'trusted' ? missing : await consents.find(account.accountId, client.clientId, maxAge);
    const agreed = missing.filter((scope) => given.includes(scope));
    if (agreed.length === 0) return grant;
    const renewed = grant ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    renewed.addOIDCScope(agreed.join(' '));
    await renewed.save();
    return renewed;
  };
}
