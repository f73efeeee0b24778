// What people show to sign in, for the sign-in pages and the OpenID provider alike.

/** `otp`: a code of an authenticator app, or a recovery code in its place. `passkey`: always with user verification. */
export type SignInMethod = 'password' | 'otp' | 'passkey';

/** Whether these are a sign-in by themselves: a code alone adds to the session that an earlier password began. */
export function beginsSession(methods: readonly SignInMethod[]): boolean {
  return methods.some((method) => method !== 'otp');
}
