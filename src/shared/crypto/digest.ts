// The digest under which secrets of high entropy (tokens, codes, session ids, generated client secrets) are stored and looked up. Secrets
// that people choose need a slow hash: `secret-hash.ts`.

import { hash } from 'node:crypto';

/** SHA-256 in base64url, 43 characters. */
export function digest(value: string): string {
  return hash('sha256', value, 'base64url');
}
