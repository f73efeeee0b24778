// Facts about the keys of clients: the signature algorithms that are accepted, and the members that only a private key has.

/**
 * Signature algorithms for objects that clients sign (assertions, request objects, DPoP proofs). `src/openid` verifies them, and the
 * challenges of the directory name them. RS384 and ES384 come from SMART App Launch (Backend Services).
 */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256', 'RS384', 'ES384'] as const;

/** Members that only a private or symmetric JSON Web Key has (RFC 7518 section 6, RFC 9964 for `priv`). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'] as const;

/** Checks whether a JWK holds any part of a private or symmetric key. */
export function hasPrivateMembers(jwk: object): boolean {
  return PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member));
}
