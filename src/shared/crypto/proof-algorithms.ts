// Owns the names of the signatures that a proof of possession may have (RFC 9449): the OpenID side verifies them, the
// directory names them in its challenges. Does not own how they are verified (`src/oidc/tokens/dpop-proof.ts`).

export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'] as const;

export type ProofAlgorithm = (typeof PROOF_ALGORITHMS)[number];
