// The methods of signing in, for both the sign-in pages and the OpenID provider.

/** `otp` is a code of an authenticator app, or a recovery code in its place. A `passkey` always comes with user verification. */
export type SignInMethod = 'password' | 'otp' | 'passkey';

/** Seconds after a login in which the person may change how they sign in. Later they have to sign in again. */
export const FRESH_FOR = 600;

/**
 * Checks whether these methods are a complete sign-in. A code alone is not complete, because a code only adds to a session that began with
 * a password.
 */
export function beginsSession(methods: readonly SignInMethod[]): boolean {
  return methods.some((method) => method !== 'otp');
}
