// Signature algorithms of DPoP proofs (RFC 9449): verified by `src/oidc`, named in the challenges of the directory.

export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'] as const;
