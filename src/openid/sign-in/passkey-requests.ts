// Makes the request of a page for a passkey at a sign-in. It is bound to its purpose, so that an answer for one page is worthless on
// another.

import type { PasskeyRequest } from '#web/forms/passkey-form.ts';
import type { SignInProgress } from './finish-login.ts';
import type { SignInContext } from './page-context.ts';

/** Requests any passkey of the site, in place of login and password. Returns undefined if the site cannot have passkeys. */
export function passwordlessRequest({ passkeys, interaction }: SignInContext): PasskeyRequest | undefined {
  if (!passkeys) return undefined;
  const { relyingPartyId, challenges } = passkeys;
  return { relyingPartyId, challenge: challenges.make(purposeAlone(interaction)) };
}

/** Requests a passkey of the account after its password. Returns undefined if the account has none. */
export async function secondStepRequest(
  context: SignInContext,
  progress: SignInProgress,
): Promise<PasskeyRequest | undefined> {
  const allow = (await context.passkeys?.list(progress.accountId)) ?? [];
  if (!context.passkeys || allow.length === 0) return undefined;
  const { relyingPartyId, challenges } = context.passkeys;
  return { relyingPartyId, challenge: challenges.make(purposeAfterPassword(progress)), allow };
}

/** The purpose of a passkey in place of login and password. */
export function purposeAlone({ uid }: SignInContext['interaction']): string {
  return `sign-in ${uid}`;
}

/** The purpose of a passkey after this account's password. */
export function purposeAfterPassword({ uid, accountId }: SignInProgress): string {
  return `second step ${uid} ${accountId}`;
}
