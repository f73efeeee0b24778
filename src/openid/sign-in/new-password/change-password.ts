// Changes a person's password, with the throttling of a sign-in and the rules of `password-rules.ts`. All other sessions end (SEC-39,
// SEC-55, SEC-66). Account pages use it, and the sign-in uses it if an operator chose the password.

import type { Parts } from '#openid/parts.ts';
import type { Throttle } from '#openid/sign-in/throttle.ts';
import type { AuditActor, AuditEventName } from '#shared/audit/events.ts';
import { digest } from '#shared/crypto/digest.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';
import { TooManyHashes } from '#shared/crypto/secret-hash.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { type ChangePassword, problemOf } from '#web/forms/new-password.ts';

interface ChangePasswordOptions extends Pick<Parts, 'accounts' | 'hashing' | 'audit'> {
  throttle: Throttle;
}

/** Makes the function that changes the password of an account. */
export function createChangePassword({ accounts, hashing, throttle, audit }: ChangePasswordOptions): ChangePassword {
  return async ({ accountId, current, chosen, different, keep, client, address, about, language }) => {
    const record = (event: AuditEventName, actor: AuditActor, details?: { reason: string }) =>
      audit.record({ event, actor, account: accountId, client, address, language, details: { ...details, ...about } });
    const { email = '' } = (await accounts.find(accountId)) ?? {};
    const found = await accounts.findByEmail(email);
    const before = found?.passwordHash;
    if (found?.account.id !== accountId || before === undefined) return { problem: { kind: 'stale' } };
    const [rule] = await passwordProblems(chosen, found.account);
    const refused = problemOf(rule, different);
    if (refused) return { problem: refused };

    // The session identifies the person. So the browser is treated as a known one, and failures of strangers do not block the change
    // (SEC-59).
    const attempt = await throttle.begin(email, address, keep);
    if (attempt.outcome === 'waiting') {
      await record('sign-in.throttled', 'unknown');
      return { problem: { kind: 'waiting', seconds: attempt.seconds, of: attempt.of } };
    }
    if (attempt.outcome === 'busy') return { problem: { kind: 'busy' } };
    try {
      const matches = await hashing.verifyPassword(current ?? chosen, [before], queueKeyOf(address));
      if (current !== undefined && !matches) {
        await record('sign-in.failed', 'unknown', { reason: 'password' });
        return { problem: { kind: 'wrong' } };
      }
      if (current === undefined ? matches : current.normalize('NFC') === chosen.normalize('NFC')) {
        await attempt.untried();
        return { problem: { kind: 'same' } };
      }
    } catch (error) {
      if (!(error instanceof TooManyHashes)) throw error;
      await attempt.untried();
      return { problem: { kind: 'busy' } };
    }
    const hash = await hashing.hashPassword(chosen);
    const notBefore = await accounts.setPassword(accountId, hash, { before, keep });
    // Another request has set a password at the same time.
    if (notBefore === undefined) return { problem: { kind: 'stale' } };
    await attempt.succeeded();
    await record('account.password-changed', `account:${accountId}`);
    return { notBefore, passwordHashDigest: digest(hash) };
  };
}
