// Signature algorithms for objects that clients sign (assertions, request objects, DPoP proofs). `src/openid` verifies them, and the
// challenges of the directory name them. RS384 and ES384 come from SMART App Launch (Backend Services).

export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256', 'RS384', 'ES384'] as const;
