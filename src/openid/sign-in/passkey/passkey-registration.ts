// Adds a passkey to an account: makes the options for the browser, and checks the passkey that the browser has made (SEC-70, WebAuthn
// sections 5.4 and 7.1). A challenge belongs to one browser session and one account, so that nobody can add their own passkey to another
// person's account. Attempts are counted, and each attempt uses up its challenge (SEC-73).

import { randomBytes } from 'node:crypto';
import type { Parts } from '#openid/parts.ts';
import { deviceOf } from '#shared/device.ts';
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
import { isFirstUse } from '#store/oidc/oidc-records.ts';
import { descriptorOf } from '#web/forms/passkey-form.ts';
import type { Language } from '#web/language.ts';
import { deviceName, messagesIn } from '#web/messages.ts';

/** Milliseconds for which the browser waits for the person. They may need more than a minute to find a phone. */
const TIMEOUT = 300_000;

/** The account that gets the passkey, and the session of the person. */
interface Owner {
  account: Pick<Account, 'id' | 'email' | 'name'>;
  sessionId: string;
  /** The user handle, under which authenticators store the account. */
  userHandle: string;
}

interface RegistrationOptions extends Pick<Parts, 'records' | 'log'> {
  relyingParty: RelyingParty;
  challenges: Challenges;
  /**
   * Counts an attempt to add a passkey to an account (`countNewPasskey` in `sign-in/throttle.ts`). Returns 0 if the attempt is allowed.
   * After too many attempts, returns the seconds to wait.
   */
  countTry(accountId: string): Promise<number>;
}

export type PasskeyRegistration = ReturnType<typeof createPasskeyRegistration>;

/** Makes a random user handle. The account's own id would reveal the person to everybody who reads the authenticator. */
export function newUserHandle(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes the functions that register passkeys at one relying party. */
export function createPasskeyRegistration({ relyingParty, challenges, records, countTry, log }: RegistrationOptions) {
  // With the user handle, because the account may get another one while its page is open: its first passkey was added or removed elsewhere.
  // A passkey that the authenticator keeps under the old handle would open nothing.
  const purposeOf = ({ account, sessionId, userHandle }: Owner) =>
    `new passkey ${sessionId} ${account.id} ${userHandle}`;
  return {
    /**
     * Returns the options of `navigator.credentials.create`, in JSON. An authenticator makes no new passkey if it has one of the passkeys
     * `others`.
     */
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
    /**
     * Checks the posted passkey and returns it. Its name is that of its authenticator, or else `device`. Returns undefined if the passkey
     * is invalid, or the number of seconds to wait after too many attempts.
     */
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
      return { ...made, userHandle: owner.userHandle, transports, name: AUTHENTICATORS[made.aaguid] ?? device };
    },
  };
}

/** Returns the name of a new passkey if its authenticator is unknown: the name of the device, as in the list of sessions. */
export function newPasskeyName(userAgent: string | undefined, language: Language): string {
  const device = deviceOf(userAgent);
  return device === undefined ? messagesIn(language).passkeys.defaultName : deviceName(device, language);
}

/**
 * Names of common authenticators, by their model (AAGUID). An authenticator may leave out or invent its model. A new passkey has the name
 * of its authenticator until its owner chooses another name. Source: https://github.com/passkeydeveloper/passkey-authenticator-aaguids, and
 * the FIDO Metadata Service for security keys.
 */
const AUTHENTICATORS: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'iCloud Keychain',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  'ee882879-721c-4913-9775-3dfcce97072a': 'YubiKey',
  'cb69481e-8ff7-4039-93ec-0a2729a154a8': 'YubiKey',
  '2fc0579f-8113-47ea-b116-bb5a8db9202a': 'YubiKey',
};
