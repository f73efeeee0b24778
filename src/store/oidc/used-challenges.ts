// Challenges of passkeys that were answered, among the provider's records: each counts once, and leaves with those (SEC-70).

import { CHALLENGE_LIFETIME } from '#shared/webauthn/challenges.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { AlreadyThere, type OidcRecords } from './oidc-records.ts';

const MODEL = 'PasskeyChallenge';

/** Of all who send the same answer, also at the same time and to two instances, one is first. */
export async function isFirstUse(records: Pick<OidcRecords, 'insertOnce'>, challenge: string): Promise<boolean> {
  const expiresIn = CHALLENGE_LIFETIME + 60;
  try {
    await records.insertOnce(MODEL, challenge, { kind: MODEL, exp: epochSeconds() + expiresIn }, expiresIn);
    return true;
  } catch (error) {
    if (error instanceof AlreadyThere) return false;
    throw error;
  }
}
