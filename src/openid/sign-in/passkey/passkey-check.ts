// Checks the signature of a passkey. Each challenge is used once, the passkey's counter must never decrease, and the passkey opens only its
// own account. Failures are counted by network, so they lock nobody out of an account. A known browser is not locked out by failures of its
// neighbours either (SEC-39, SEC-59, SEC-70).

import type { Parts } from '#openid/parts.ts';
import type { Throttle } from '#openid/sign-in/throttle.ts';
import type { Challenges } from '#shared/webauthn/challenges.ts';
import {
  challengeOf,
  type RelyingParty,
  readSignature,
  refusalOf,
  verifySignature,
} from '#shared/webauthn/responses.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { signInTime } from '#store/accounts/end-sessions.ts';
import type { Passkeys } from '#store/accounts/factors/passkeys.ts';
import { isFirstUse } from '#store/oidc/oidc-records.ts';
import type { Pause } from '#web/forms/pause-notice.ts';
import type { PasskeyRegistration } from './passkey-registration.ts';

interface PasskeyCheckOptions extends Pick<Parts, 'passkeys' | 'accounts' | 'records' | 'audit' | 'log'> {
  relyingParty: RelyingParty;
  challenges: Challenges;
  throttle: Throttle;
}

/**
 * Reason why the passkey does not sign anybody in. `stale` means that it was sent for an outdated or different page, and nothing was
 * checked.
 */
export type PasskeyProblem = { kind: 'stale' } | { kind: 'wrong' } | ({ kind: 'waiting' } & Pause);

type CheckedPasskey =
  | { problem: PasskeyProblem }
  | { problem?: undefined; accountId: string; email: string; signedInAt: number };

/** Checks the response of the browser. After a right password, `accountId` names the account, and only its passkeys are accepted. */
type CheckPasskey = (sent: {
  text: string;
  purpose: string;
  accountId?: string;
  client: string;
  address: string;
  /** Returns the id of the browser, if the account with this login knows the browser. */
  deviceOf(login: string): Promise<string | undefined>;
}) => Promise<CheckedPasskey>;

/** The passkey functions for the sign-in pages. */
export interface SignInPasskeys {
  relyingPartyId: string;
  challenges: Challenges;
  check: CheckPasskey;
  list: Passkeys['list'];
  add: Passkeys['add'];
  registration: PasskeyRegistration;
  account: Accounts['find'];
  /** Checks whether the account has no passkey yet and belongs to a single person. */
  mayOffer(accountId: string): Promise<boolean>;
}

/** Reason for the audit trail. `passkey-counter` means that a copy of the passkey may exist. */
type Reason = 'passkey' | 'passkey-used' | 'passkey-counter' | 'passkey-disabled';

/** Makes the function that checks signatures for one relying party. */
export function createPasskeyCheck(options: PasskeyCheckOptions): CheckPasskey {
  const { relyingParty, challenges, passkeys, accounts, records, throttle, audit, log } = options;
  return async ({ text, purpose, accountId: expected, client, address, deviceOf }) => {
    const response = readSignature(text);
    const passkey = response && (await passkeys.find(response.id));
    // The account is read before the passkey is used. So a later removal of the passkey ends this sign-in too.
    const account = passkey && (await accounts.find(passkey.accountId));
    const attempt = await throttle.beginPasskey(address, account && (await deviceOf(loginOf(account))));
    if (attempt.outcome === 'waiting') {
      await audit.record({ event: 'sign-in.throttled', actor: 'unknown', account: expected, client, address });
      return { problem: { kind: 'waiting', seconds: attempt.seconds, of: attempt.of } };
    }
    const refuse = async (reason: Reason, account = expected): Promise<CheckedPasskey> => {
      await audit.record({ event: 'sign-in.failed', actor: 'unknown', account, client, address, details: { reason } });
      return { problem: { kind: 'wrong' } };
    };
    if (!response) return refuse('passkey');
    const challenge = challengeOf(response);
    if (!challenges.isValid(challenge, purpose)) {
      await attempt.untried();
      return { problem: { kind: 'stale' } };
    }
    if (!(await isFirstUse(records, challenge))) return refuse('passkey-used', passkey?.accountId);
    if (!passkey || (expected !== undefined && passkey.accountId !== expected)) return refuse('passkey');
    const { accountId, userHandle } = passkey;
    // WebAuthn section 7.2 step 6: if the request names no person, the authenticator must name one.
    const { userHandle: sent } = response.response;
    if (sent ? sent !== userHandle : expected === undefined) return refuse('passkey', accountId);
    const counter = await verifySignature(response, { publicKey: passkey.publicKey, relyingParty }).catch(
      (error: Error) =>
        log.info({ client, address, reason: refusalOf(response, relyingParty, error) }, 'a passkey was refused'),
    );
    if (counter === undefined) return refuse('passkey', accountId);
    if (!(await passkeys.use(passkey.id, counter))) return refuse('passkey-counter', accountId);
    if (account?.status !== 'active') return refuse('passkey-disabled', accountId);
    await attempt.succeeded();
    return { accountId, email: loginOf(account), signedInAt: signInTime(account) };
  };
}
