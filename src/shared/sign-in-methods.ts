// The methods of signing in, for the sign-in pages and the OpenID provider alike.

/** `otp` is a code of an authenticator app, or a recovery code in its place. `passkey` is always with user verification. */
export type SignInMethod = 'password' | 'otp' | 'passkey';

/** Maximum age in seconds of a login by which a person may change how they sign in. */
export const FRESH_FOR = 600;

/** Checks whether these methods are a complete sign-in. A code alone adds to the session that an earlier password began. */
export function beginsSession(methods: readonly SignInMethod[]): boolean {
  return methods.some((method) => method !== 'otp');
}
