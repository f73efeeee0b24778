// Members that only a private or symmetric JSON Web Key has (RFC 7518 section 6, RFC 9964 for `priv`).

const MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'] as const;

/** Checks whether a JWK holds any part of a private or symmetric key. */
export function hasPrivateMembers(jwk: object): boolean {
  return MEMBERS.some((member) => Object.hasOwn(jwk, member));
}
