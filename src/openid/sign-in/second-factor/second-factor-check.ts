// Checks a typed code of a second factor, for the sign-in and the account pages. Attempts are throttled and audited, and a code is used
// once (SEC-39, SEC-41, SEC-48).

import type { Throttle } from '#openid/sign-in/throttle.ts';
import type { AuditActor, AuditEvent, AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { CheckCode } from '#web/forms/second-factor.ts';

interface CodeCheckOptions {
  secondFactors: Pick<SecondFactors, 'take'>;
  throttle: Pick<Throttle, 'beginCode'>;
  audit: AuditTrail;
}

/** Checks codes against the second factors of accounts. */
export function createCodeCheck({ secondFactors, throttle, audit }: CodeCheckOptions): CheckCode {
  return async ({ accountId, typed, client, address, device, about, language }) => {
    const record = (event: AuditEventName, actor: AuditActor, details?: AuditEvent['details']) =>
      audit.record({ event, actor, account: accountId, client, address, language, details: { ...details, ...about } });
    const attempt = await throttle.beginCode(accountId, address, device);
    if (attempt.outcome === 'waiting') {
      await record('sign-in.throttled', 'unknown');
      return { kind: 'waiting', seconds: attempt.seconds, of: attempt.of };
    }
    const outcome = await secondFactors.take(accountId, typed).catch(async (error: unknown) => {
      // This was no guess: the secret to compare with cannot be read.
      await attempt.untried();
      throw error;
    });
    if (outcome === 'wrong' || outcome === 'used') {
      await record('sign-in.failed', 'unknown', { reason: outcome === 'used' ? 'code-used' : 'code' });
      return { kind: outcome };
    }
    await attempt.succeeded();
    if (outcome === 'recovery-code') await record('recovery-code.used', `account:${accountId}`);
    return undefined;
  };
}
