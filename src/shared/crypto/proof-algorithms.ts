// Signature algorithms of what clients sign (assertions, request objects, DPoP proofs): verified by `src/openid`, named in the challenges
// of the directory. RS384 and ES384 are those of SMART App Launch (Backend Services).

export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256', 'RS384', 'ES384'] as const;
