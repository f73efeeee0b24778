// The key `profile` of a client: the settings that a profile switches on or forbids (FAPI 2.0 Security Profile, section 5.3.2; FAPI 2.0
// Message Signing, sections 5.3 and 5.4).

import type { AddProblem } from '#config/schema/fields.ts';

/** Settings that a profile enforces, whatever values the entry has for them. */
const DEMANDED = { par: 'required', dpop: 'required', pkce: 'required' } as const;
const SIGNED = { ...DEMANDED, signedRequests: 'required', signedResponses: 'required' } as const;

export const PROFILES = ['fapi2', 'fapi2-message-signing'] as const;
type Profile = (typeof PROFILES)[number];

function demandedBy(profile: unknown): Partial<typeof SIGNED> {
  return profile === 'fapi2-message-signing' ? SIGNED : DEMANDED;
}

/**
 * Signature algorithm of ID tokens and logout tokens if the entry names none. Other clients get RS256 by default, but section 5.4.1 does
 * not allow it.
 */
const ID_TOKEN_ALGORITHM = 'ES256';

/** Returns the client with the settings that its profile enforces. A client without a profile is returned unchanged. */
export function withProfile<Client extends { readonly profile?: Profile }>(client: Client): Client {
  const { profile } = client;
  return profile ? { idTokenAlgorithm: ID_TOKEN_ALGORITHM, ...client, ...demandedBy(profile) } : client;
}

/**
 * The keys of an entry that `checkFapi2` reads. Values that do not fit the schema are not reported here, because `client-schema.ts` reports
 * them.
 */
type Key =
  | 'type'
  | 'profile'
  | 'secrets'
  | 'jwks'
  | 'jwksUrl'
  | 'callbackUrls'
  | 'idTokenAlgorithm'
  | 'assertionAudience'
  | keyof typeof SIGNED;
type Entry = { readonly [Name in Key]?: unknown };

/** Adds an issue for every value of the entry that its profile does not allow. */
export function checkFapi2(entry: Entry, add: AddProblem): void {
  const profile = `profile: ${entry.profile}`;
  if (entry.type !== 'server') {
    const problem = `FAPI 2.0 is only for servers that sign people in with a key of their own (5.3.2.1), not for type ${entry.type}.`;
    const remedy = 'Remove profile, or make the client a server; par and dpop can be required of browsers and natives.';
    add(['profile'], { problem, remedy });
    return;
  }
  if (list(entry.secrets).length > 0) {
    const remedy = 'Remove secrets, and give its public keys as jwks or their address as jwksUrl (private_key_jwt).';
    add(['secrets'], { problem: `${profile} admits no secrets.`, remedy });
  } else if (entry.jwks === undefined && entry.jwksUrl === undefined) {
    const remedy = 'Give its public keys as jwks, or their address as jwksUrl (private_key_jwt).';
    add([], { problem: `A client with ${profile} needs jwks or jwksUrl.`, remedy });
  }
  for (const key of Object.keys(demandedBy(entry.profile)) as (keyof typeof SIGNED)[]) {
    if (entry[key] !== 'optional') continue;
    add([key], { problem: `${profile} demands ${key}.`, remedy: `Remove ${key}: the profile says required.` });
  }
  if (entry.idTokenAlgorithm === 'RS256') {
    const remedy = `Remove idTokenAlgorithm (the default is ${ID_TOKEN_ALGORITHM}), or write ES256 or EdDSA.`;
    add(['idTokenAlgorithm'], { problem: `${profile} admits no RS256.`, remedy });
  }
  for (const [index, key] of list((entry.jwks as { keys?: unknown } | undefined)?.keys).entries()) {
    const { alg, crv } = (key ?? {}) as { alg?: unknown; crv?: unknown };
    if (alg !== 'RS256' && alg !== 'RS384' && crv !== 'P-384') continue;
    const remedy = 'Write alg: PS256 and let the client sign with it, or use a P-256 or Ed25519 key.';
    const [member, admits] = crv === 'P-384' ? ['crv', crv] : ['alg', alg];
    add(['jwks', 'keys', index, String(member)], { problem: `${profile} admits no ${admits}.`, remedy });
  }
  if (entry.assertionAudience === 'token-endpoint') {
    const remedy = 'Remove assertionAudience: the client writes the issuer as aud.';
    add(['assertionAudience'], { problem: `${profile} admits only the issuer (5.3.2.1).`, remedy });
  }
  for (const [index, address] of list(entry.callbackUrls).entries()) {
    if (!/^http:/i.test(String(address))) continue;
    const remedy = 'Use https, in development too.';
    add(['callbackUrls', index], { problem: `${profile} admits no http address (5.3.2.2).`, remedy });
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
