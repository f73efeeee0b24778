// Checks the signature of a passkey. Each challenge can be used once, the passkey's counter must grow if the authenticator has one, and a
// passkey signs in to its own account only. Failures are counted by network, so they lock nobody out of an account. For a known browser,
// they are counted apart, so that failures of its neighbours do not lock it out either (SEC-39, SEC-59, SEC-70).

import type { Parts } from '#openid/parts.ts';
import { countNewPasskey, type Throttle } from '#openid/sign-in/throttle.ts';
import { type Challenges, createChallenges } from '#shared/webauthn/challenges.ts';
import { type RelyingParty, relyingPartyOf } from '#shared/webauthn/relying-party.ts';
import {
  challengeOf,
  readSignature,
  refusalOf,
  type SignatureResponse,
  verifySignature,
} from '#shared/webauthn/responses.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { signInTime } from '#store/accounts/end-sessions.ts';
import type { Passkey } from '#store/accounts/factors/passkeys.ts';
import { isFirstUse } from '#store/oidc/oidc-records.ts';
import type { Pause } from '#web/forms/pause-notice.ts';
import { createPasskeyRegistration } from './passkey-registration.ts';

interface PasskeyCheckOptions extends Pick<Parts, 'passkeys' | 'accounts' | 'records' | 'audit' | 'log'> {
  relyingParty: RelyingParty;
  challenges: Challenges;
  throttle: Throttle;
}

/**
 * Reason why the passkey signs nobody in. `stale` means that the passkey was sent for another page or an outdated one, so that it was not
 * checked.
 */
export type PasskeyProblem = { kind: 'stale' } | { kind: 'wrong' } | ({ kind: 'waiting' } & Pause);

type CheckedPasskey =
  | { problem: PasskeyProblem }
  | { problem?: undefined; accountId: string; email: string; signedInAt: number };

/**
 * Checks the passkey that the browser has sent. `accountId` is given after a right password, and only passkeys of that account are then
 * accepted.
 */
type CheckPasskey = (sent: {
  text: string;
  purpose: string;
  accountId?: string;
  client: string;
  address: string;
  /** Returns the id of the browser; undefined if the account with this login does not know the browser. */
  deviceOf(login: string): Promise<string | undefined>;
}) => Promise<CheckedPasskey>;

export type SignInPasskeys = NonNullable<ReturnType<typeof createSignInPasskeys>>;

/**
 * Makes the passkey functions for the sign-in pages. Returns undefined if the host of the issuer is a network address, because browsers
 * make no passkeys for such a site.
 */
export function createSignInPasskeys(options: Parts & { cookieKeys: readonly string[]; throttle: Throttle }) {
  const { settings, site, passkeys, accounts, isShared, cookieKeys, signInLimiters } = options;
  const relyingParty = relyingPartyOf(settings.issuer, site.name);
  if (!relyingParty) return undefined;
  const challenges = createChallenges(cookieKeys);
  const countTry = (accountId: string) => countNewPasskey(signInLimiters, accountId);
  return {
    relyingPartyId: relyingParty.id,
    challenges,
    check: createPasskeyCheck({ ...options, relyingParty, challenges }),
    list: passkeys.list,
    add: passkeys.add,
    registration: createPasskeyRegistration({ ...options, relyingParty, challenges, countTry }),
    account: accounts.find,
    /** Checks whether the account has no passkey yet and belongs to a single person. */
    mayOffer: async (accountId: string) => !isShared(accountId) && (await passkeys.list(accountId)).length === 0,
  };
}

/** Reason of a refusal for the audit trail. `passkey-counter` means that the counter has not grown, so a copy of the passkey may exist. */
type Reason = 'passkey' | 'passkey-used' | 'passkey-counter' | 'passkey-disabled';

/** Makes the function that checks the passkeys of one relying party. */
function createPasskeyCheck(options: PasskeyCheckOptions): CheckPasskey {
  const { relyingParty, challenges, passkeys, accounts, records, throttle, audit, log } = options;
  return async ({ text, purpose, accountId: expected, client, address, deviceOf }) => {
    const response = readSignature(text);
    const passkey = response && (await passkeys.find(response.id));
    // The time of this sign-in comes from this reading of the account (`signInTime`), which comes before the passkey is used. So if the
    // passkey is removed after the reading, the removal ends this sign-in too.
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
    const reason = await reasonAgainst(response, passkey, expected, { client, address });
    if (reason) return refuse(reason, passkey.accountId);
    if (account?.status !== 'active') return refuse('passkey-disabled', passkey.accountId);
    await attempt.succeeded();
    return { accountId: passkey.accountId, email: loginOf(account), signedInAt: signInTime(account) };
  };

  /** Verifies the response of an authenticator, and records the use of the passkey. Returns the reason if the response is refused. */
  async function reasonAgainst(
    response: SignatureResponse,
    { id, publicKey, userHandle }: Passkey,
    expected: string | undefined,
    from: { client: string; address: string },
  ): Promise<Reason | undefined> {
    // WebAuthn section 7.2 step 6: if the request named no account, the authenticator must send a user handle.
    const { userHandle: sent } = response.response;
    if (sent ? sent !== userHandle : expected === undefined) return 'passkey';
    const counter = await verifySignature(response, { publicKey, relyingParty }).catch((error: Error) =>
      log.info({ ...from, reason: refusalOf(response, relyingParty, error) }, 'a passkey was refused'),
    );
    if (counter === undefined) return 'passkey';
    return (await passkeys.use(id, counter)) ? undefined : 'passkey-counter';
  }
}
