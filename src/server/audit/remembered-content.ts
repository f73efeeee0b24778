// Owns the form in which a part of the configuration is remembered: JSON that is the same for what means the same, and that
// holds nothing which looks like a secret (SEC-16). Does not own what is in it (`remembered-settings.ts`, `remembered-clients.ts`).

import { digest } from '../../shared/crypto/digest.ts';
import { isSecretHash } from '../../shared/crypto/secret-hash.ts';
import { redactText } from '../../shared/log/redaction.ts';

/** The JSON, its names in order. Of a text with something secret in it, the rest is kept, and a mark that changes with it. */
export function contentOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'string') return withoutSecret(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

// An address of a client may have a token of its owner's in its query. A slow hash is there on purpose, and nothing in itself.
function withoutSecret(text: string): string {
  if (isSecretHash(text)) return text;
  const clean = redactText(text);
  return clean === text ? text : `${clean} #${digest(text).slice(0, 12)}`;
}
