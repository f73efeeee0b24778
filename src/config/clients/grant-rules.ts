// Rules of an entry of `clients.yaml` on access without the person: refresh tokens that nobody was asked for, and the directory for
// tokens of a client itself.

import type { AddProblem } from '#config/schema/fields.ts';
import { DIRECTORY_SCOPES } from '#shared/scopes.ts';

/** An entry, whose values may not fit the schema: that is reported elsewhere. */
type Key = 'type' | 'consent' | 'scopes' | 'refreshTokens' | 'serviceAccount' | 'directoryAccess';
type Entry = { readonly [Name in Key]?: unknown };

/** Nobody is asked before a refresh token is issued: only where the operator has decided for the people (OpenID Connect Core section 11). */
export function checkOfflineAccess({ type, refreshTokens, consent, scopes }: Entry, add: AddProblem): void {
  if (refreshTokens !== 'always') return;
  if (consent !== 'trusted') {
    const problem = 'Access that outlives a sign-in needs the consent of the person, unless the client is trusted.';
    const remove = 'remove refreshTokens: the application then sends prompt=consent.';
    const remedy = type === 'native' ? `R${remove.slice(1)}` : `Write consent: trusted as well, or ${remove}`;
    add(['refreshTokens'], { problem, remedy });
  }
  if (!Array.isArray(scopes) || !scopes.includes('offline_access')) {
    const problem = 'Refresh tokens are issued for the scope offline_access, which the client may not ask for.';
    add(['refreshTokens'], { problem, remedy: 'Add offline_access to scopes, or remove refreshTokens.' });
  }
}

/** Without a person behind it, a token reads the directory only where the operator has said so. */
export function checkDirectoryAccess({ type, directoryAccess, serviceAccount, scopes }: Entry, add: AddProblem): void {
  if (type !== 'server' || directoryAccess !== true) return;
  if (serviceAccount !== true) {
    const problem = 'It is for tokens that a client has for itself, which this one cannot have.';
    add(['directoryAccess'], { problem, remedy: 'Write serviceAccount: true as well, or remove directoryAccess.' });
  }
  if (!Array.isArray(scopes) || !DIRECTORY_SCOPES.some((scope) => scopes.includes(scope))) {
    const problem = 'The client may ask for no scope of the directory.';
    const remedy = `Add ${DIRECTORY_SCOPES.join(' or ')} to scopes, or remove directoryAccess.`;
    add(['directoryAccess'], { problem, remedy });
  }
}
