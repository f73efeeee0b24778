// Checks a typed code of a second factor, for the sign-in and the account pages. Attempts are throttled and audited, and each code is valid
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

/** Makes the function that checks a code against the second factors of an account. */
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
      // The secret of the second factor could not be read, so this attempt must not count as a guess.
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
