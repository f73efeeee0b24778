// How a new passkey comes to an account: what the browser is asked to make, and the check of what it made (SEC-70, WebAuthn sections 5.4
// and 7.1). A challenge is of one browser's session and one account: nobody slips their own passkey into the account of another. Tries are
// counted, and each uses its challenge up (SEC-73).

import { randomBytes } from 'node:crypto';
import { authenticatorName } from '#shared/webauthn/authenticators.ts';
import type { Challenges } from '#shared/webauthn/challenges.ts';
import type { RelyingParty } from '#shared/webauthn/relying-party.ts';
import {
  ALGORITHMS,
  challengeOf,
  readRegistration,
  refusalOf,
  verifyRegistration,
} from '#shared/webauthn/responses.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';
import type { NewPasskey, Passkey } from '#store/accounts/factors/passkeys.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { isFirstUse } from '#store/oidc/oidc-records.ts';
import { descriptorOf } from '#web/forms/passkey-form.ts';

/** Milliseconds that the browser waits for the person: to take out a phone first needs more than a minute. */
const TIMEOUT = 300_000;

/** The account that gets the passkey, and the session of the account pages. */
interface Owner {
  account: Pick<Account, 'id' | 'email' | 'name'>;
  sessionId: string;
  /** The account's, by which authenticators know it. */
  userHandle: string;
}

interface RegistrationOptions {
  relyingParty: RelyingParty;
  challenges: Challenges;
  records: Pick<OidcRecords, 'insertOnce'>;
  /** Counts a try of an account; 0, or the seconds to wait after too many. */
  countTry(accountId: string): Promise<number>;
  log: { warn(fields: object, message: string): void };
}

export type PasskeyRegistration = ReturnType<typeof createPasskeyRegistration>;

/** Makes a random handle that means nothing elsewhere: the account's own id would tell the reader of an authenticator which person it is. */
export function newUserHandle(): string {
  return randomBytes(32).toString('base64url');
}

/** Registrations at one relying party. */
export function createPasskeyRegistration({ relyingParty, challenges, records, countTry, log }: RegistrationOptions) {
  const purposeOf = ({ account, sessionId }: Owner) => `new passkey ${sessionId} ${account.id}`;
  return {
    /** The options of `navigator.credentials.create`, in JSON. `others`: an authenticator that has one of them makes no second one. */
    optionsFor: (owner: Owner, others: readonly Passkey[]) => ({
      rp: { id: relyingParty.id, name: relyingParty.name },
      user: { id: owner.userHandle, name: loginOf(owner.account), displayName: owner.account.name },
      challenge: challenges.make(purposeOf(owner)),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: TIMEOUT,
      excludeCredentials: others.map(descriptorOf),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    }),
    /** The new passkey, under the name of its authenticator or else of the device; undefined when it does not hold, or seconds to wait. */
    check: async (text: string, owner: Owner, device: string): Promise<NewPasskey | number | undefined> => {
      const response = readRegistration(text);
      if (!response) return undefined;
      const challenge = challengeOf(response);
      if (!challenges.isValid(challenge, purposeOf(owner))) return undefined;
      const seconds = await countTry(owner.account.id);
      if (seconds > 0) return seconds;
      if (!(await isFirstUse(records, challenge))) return undefined;
      const made = await verifyRegistration(response, relyingParty).catch((error: Error) => {
        const reason = refusalOf(response, relyingParty, error);
        log.warn({ account: owner.account.id, reason }, 'a new passkey was refused');
      });
      if (!made) return undefined;
      const { transports = [] } = response.response;
      return { ...made, userHandle: owner.userHandle, transports, name: authenticatorName(made.aaguid) ?? device };
    },
  };
}
