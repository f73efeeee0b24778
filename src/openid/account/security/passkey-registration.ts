// Adds a passkey to an account: makes the options for the browser, and checks the passkey that it made (SEC-70, WebAuthn sections 5.4 and
// 7.1). A challenge belongs to one browser session and one account, so that nobody can slip their own passkey into another's account.
// Attempts are counted, and each uses up its challenge (SEC-73).

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

/** Milliseconds that the browser waits for the person: finding one's phone takes more than a minute. */
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
  /** Counts an attempt on an account. Returns 0, or the seconds to wait after too many. */
  countTry(accountId: string): Promise<number>;
  log: { warn(fields: object, message: string): void };
}

export type PasskeyRegistration = ReturnType<typeof createPasskeyRegistration>;

/** Makes a random handle that means nothing elsewhere. The account's own id would reveal the person to whoever reads the authenticator. */
export function newUserHandle(): string {
  return randomBytes(32).toString('base64url');
}

/** Registrations at one relying party. */
export function createPasskeyRegistration({ relyingParty, challenges, records, countTry, log }: RegistrationOptions) {
  const purposeOf = ({ account, sessionId }: Owner) => `new passkey ${sessionId} ${account.id}`;
  return {
    /** The options of `navigator.credentials.create`, in JSON. An authenticator that has one of `others` makes no second one. */
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
    /** The new passkey, named after its authenticator or else the device. Returns undefined if it is invalid, or the seconds to wait. */
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
