// Makes the request by which a sign-in page asks the browser for a passkey. Each request is bound to its purpose, so that the answer for
// one page is worthless on another.

import type { PasskeyRequest } from '#web/forms/passkey-form.ts';
import type { SignInProgress } from './finish-login.ts';
import type { SignInContext } from './page-context.ts';

/** Requests any passkey of the site, in place of login and password. Returns undefined if browsers cannot make passkeys for the site. */
export function passwordlessRequest({ passkeys, interaction }: SignInContext): PasskeyRequest | undefined {
  if (!passkeys) return undefined;
  const { relyingPartyId, challenges } = passkeys;
  return { relyingPartyId, challenge: challenges.make(purposeAlone(interaction)) };
}

/** Requests a passkey of the account, as the second step after the password. Returns undefined if the account has no passkey. */
export async function secondStepRequest(
  context: SignInContext,
  progress: SignInProgress,
): Promise<PasskeyRequest | undefined> {
  const allow = (await context.passkeys?.list(progress.accountId)) ?? [];
  if (!context.passkeys || allow.length === 0) return undefined;
  const { relyingPartyId, challenges } = context.passkeys;
  return { relyingPartyId, challenge: challenges.make(purposeAfterPassword(progress)), allow };
}

/** Returns the purpose of a passkey that replaces login and password. */
export function purposeAlone({ uid }: SignInContext['interaction']): string {
  return `sign-in ${uid}`;
}

/** Returns the purpose of a passkey that follows the password of this account. */
export function purposeAfterPassword({ uid, accountId }: SignInProgress): string {
  return `second step ${uid} ${accountId}`;
}
