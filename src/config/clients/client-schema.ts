// The schema of `clients.yaml`: keys, kinds of values, defaults and meanings. `config/clients.schema.json` and the table of keys
// in `config/README.md` are generated from it.

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { z } from 'zod';
import { type Problem, shown } from '#config/configuration-error.ts';
import { ALWAYS, addProblem, oneKey, rule, text, uniqueList, url, wholeNumber } from '#config/schema/fields.ts';
import { jsonSchemaOf } from '#config/schema/json-schema.ts';
import type { Reach } from '#config/url-rules.ts';
import { hasPrivateMembers } from '#shared/crypto/json-web-keys.ts';
import { SCOPES } from '#shared/scopes.ts';
import { checkClient } from './client-rules.ts';
import { PROFILES } from './fapi2.ts';

/** A secret's hash, or a reference to the secret. Exactly one of the keys must be set. */
export const secretReference = oneKey({
  hash: text()
    .exactOptional()
    .describe(
      'The hash printed by `npm run -s hygie -- clients secret` (sha256$..., or scrypt$... of versions before).',
    ),
  env: z
    .string()
    // The message does not repeat the value, which may be the secret itself.
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: 'Is no name of an environment variable (what stands here is not shown).',
    })
    .exactOptional()
    .describe('Name of the environment variable that holds the secret.'),
  file: text()
    .exactOptional()
    .describe('File that holds the secret; a relative path begins at the configuration folder.'),
});

export type SecretReference = z.output<typeof secretReference>;

const jwks = z.strictObject({
  keys: z
    .array(
      z
        .looseObject({})
        .superRefine(rule(publicKeyProblem))
        .describe('A public key as a JWK: { kty: EC, crv: P-256, x: ..., y: ... }.'),
    )
    .min(1)
    .max(20)
    .describe('Public keys, one or more: RSA of 2048 bits at least, P-256, P-384 or Ed25519.'),
});

const urls = () => uniqueList(url().describe('One address in full.'), 100).default([]);

/** Keys that most clients leave out. */
const oneOf = <const Values extends readonly string[]>(...values: Values) => z.enum(values).exactOptional();
const flag = () => z.boolean().exactOptional();

const client = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/, { error: ({ input }) => idProblem(String(input)) })
    .describe('client_id: letters, digits, dot, hyphen, underscore, tilde. Never change it.'),
  name: text().max(100).describe('{claim_ns}/applicationName, and the name on the consent page.'),
  type: z
    .enum(['server', 'browser', 'native', 'api'])
    .describe(
      'server (keeps a secret or a key), browser or native (both public: PKCE, no secret), api (only asks whether access tokens hold).',
    ),
  secrets: z
    .array(secretReference.describe('Write `- hash: "sha256$..."`; `npm run -s hygie -- clients secret` prints it.'))
    .max(2)
    .default([])
    .describe('Server and api only: one, or two while a secret is being rotated.'),
  jwks: jwks
    .exactOptional()
    .describe(
      'Server and api only, instead of secrets: its public keys as a JWK Set, `keys: [...]` (private_key_jwt).',
    ),
  jwksUrl: url()
    .exactOptional()
    .describe(
      'Address of such a JWK Set; when the client is used, it is read again after a minute, whatever its cache header says. While that fails, the last keys are good until they are ten minutes old; https, not in a private network.',
    ),
  assertionAudience: oneOf('issuer', 'token-endpoint').describe(
    'With jwks or jwksUrl: the aud of its assertions (private_key_jwt), as one string. token-endpoint: that address is taken too, for libraries that can send no other (OpenID Connect Core section 9); never with a profile. Without it: issuer.',
  ),
  callbackUrls: urls().describe('Allowed Callback URLs, compared byte for byte; https.'),
  logoutUrls: urls().describe(
    'Addresses to which a person may be sent after signing out, compared byte for byte; https.',
  ),
  homeUrl: url()
    .exactOptional()
    .describe(
      'Its first page, to which the pages lead back: after a sign-in that is over, on errors; https. Without it: the origin of a callback.',
    ),
  backchannelLogoutUrl: url()
    .exactOptional()
    .describe('Address that receives a logout token when a person signs out; https, not in a private network.'),
  backchannelLogoutSession: flag().describe(
    'false: no sid in its logout tokens, nor in its ID tokens: for Keycloak as broker, which takes any sid for one of its own. Without it: true.',
  ),
  logoutTokenType: oneOf('logout+jwt', 'JWT').describe(
    'The typ of its logout tokens: JWT for pac4j and older Spring Security, which refuse every other one. Without it: logout+jwt.',
  ),
  scopes: uniqueList(z.enum(SCOPES).describe('The name of a scope.'))
    .exactOptional()
    .describe(
      'Scopes the client may ask for; without it: openid email profile. Of an api: those that it serves, other than openid and offline_access.',
    ),
  tokensOf: uniqueList(z.string().describe('The id of a client.'))
    .min(1)
    .exactOptional()
    .describe(
      'Api only: ids of the clients whose access tokens it takes; any other is inactive to it. Without it: tokens of every client that hold a scope that it serves.',
    ),
  par: oneOf('optional', 'required').describe(
    'required: its authorization requests must be pushed to /oauth/par first. Without it: optional.',
  ),
  dpop: oneOf('optional', 'required').describe(
    'required: it gets no tokens that are not bound to a key of its own (DPoP). Without it: optional.',
  ),
  pkce: oneOf('optional', 'required').describe(
    'required: its authorization requests must use PKCE (S256). Without it, and for optional: as service.yaml says. Browser and native clients always use it.',
  ),
  signedRequests: oneOf('optional', 'required').describe(
    'Server with jwks or jwksUrl only. required: its authorization requests must be request objects that it signs (JAR). Without it: optional.',
  ),
  signedResponses: oneOf('optional', 'required').describe(
    'required: it gets no authorization response that is not signed (JARM): it must send response_mode=jwt. Without it: optional.',
  ),
  profile: oneOf(...PROFILES).describe(
    'Server only. fapi2: the FAPI 2.0 Security Profile: par, dpop and pkce required, jwks or jwksUrl instead of secrets, ES256 unless idTokenAlgorithm says EdDSA, refresh tokens that stay the same; nothing weaker is admitted. fapi2-message-signing: all that, and signedRequests and signedResponses required (FAPI 2.0 Message Signing).',
  ),
  consent: z
    .enum(['ask', 'trusted'])
    .default('ask')
    .describe(
      'ask: the person is asked at the first sign-in, for further scopes, and after lifetimes.grant; of a native client each time. trusted: not asked. prompt=consent asks in any case, and so every offline_access without refreshTokens: always.',
    ),
  refreshTokens: oneOf('consent', 'always').describe(
    'When a request with the scope offline_access gives a refresh token. consent, or without it: when it has prompt=consent (OpenID Connect Core section 11); else the scope is left out. always: at each sign-in, for applications that cannot send prompt=consent; only with consent: trusted.',
  ),
  secondFactor: oneOf('required').describe(
    'required: nobody comes to it with a password alone; who has no second factor sets it up when signing in. Without it: as service.yaml says.',
  ),
  workspace: oneOf('ask').describe(
    'ask: at each sign-in with it, people with several places of work choose the one in use (currentWorkspaceId). Without it: where a request says prompt=select_account; people may change it in their account space, too.',
  ),
  idTokenAlgorithm: oneOf('RS256', 'ES256', 'EdDSA').describe(
    'What its ID tokens, logout tokens and signed answers (JARM, introspection) are signed with. Without it: RS256, which every library knows; of a profile ES256.',
  ),
  updatedAt: oneOf('iso8601', 'epoch').describe(
    'Form of updated_at in its claims: epoch for libraries that take no text there (pyoidc, Flask-pyoidc, idpy-oidc). Without it: as service.yaml says.',
  ),
  authenticationClaims: flag().describe(
    'true: acr, amr and auth_time in every ID token, from the next sign-in on: for brokers, which cannot ask for them by claims. Without it: where a request asks for them.',
  ),
  serviceAccount: z
    .boolean()
    .default(false)
    .describe(
      'Server only: may also act on its own (client credentials), without a person: without openid and offline_access, and at the directory only with directoryAccess.',
    ),
  directoryAccess: flag().describe(
    'true, with serviceAccount: its own tokens read the directory too, with no person behind them who answers for it: you do. Taken away, tokens in use lose it at once. Without it: such a token gets no scope of the directory.',
  ),
  rate: z
    .strictObject({
      perSecond: wholeNumber(0, 1_000_000).describe(
        'Requests per second in the long run, shared out among the worker processes; 0 for no limit. Without rate: as service.yaml says.',
      ),
      burst: wholeNumber(1, 1_000_000).describe('Requests at once.'),
    })
    .exactOptional()
    .describe(
      'Requests to the directory, instead of directory.rate of service.yaml. One person has half of them at the most.',
    ),
});

/** Makes the schema, with the rules of the mode and of the networks that the service may reach. */
export function clientsSchema(reach: Reach) {
  const entry = client.superRefine((value, context) => checkClient(value, reach, addProblem(context)), ALWAYS);
  return z
    .strictObject({
      clients: z
        .array(entry.describe('Write `- id: ...`, and below it `name: ...` and `type: ...`.'))
        .max(10_000)
        .superRefine(checkIds, ALWAYS)
        .superRefine(checkTokensOf, ALWAYS)
        .default([])
        .describe('One entry per client application.'),
    })
    .meta({
      title: 'Hygie: clients.yaml',
      description: 'Client applications (relying parties). Edits take effect without a restart.',
    });
}

function checkIds(clients: unknown, context: z.RefinementCtx): void {
  const ids = Array.isArray(clients) ? clients.map((entry) => entry?.id) : [];
  for (const [index, id] of ids.entries()) {
    const first = ids.indexOf(id);
    if (typeof id !== 'string' || first === index) continue;
    const problem = `clients[${first}] has the same id.`;
    addProblem(context)([index, 'id'], { problem, remedy: 'Give each client an id of its own.' });
  }
}

/**
 * Finds entries of `tokensOf` that name no client with tokens. After a client was renamed or removed, an api might accept tokens of nobody.
 * The operator must notice that before the users do.
 */
function checkTokensOf(clients: unknown, context: z.RefinementCtx): void {
  const entries: Partial<z.input<typeof client> | null>[] = Array.isArray(clients) ? clients : [];
  for (const [index, entry] of entries.entries()) {
    for (const [position, id] of (Array.isArray(entry?.tokensOf) ? entry.tokensOf : []).entries()) {
      const named = entries.find((one) => one?.id === id);
      if (typeof id !== 'string' || (named && named.type !== 'api')) continue;
      const problem = named ? 'It is an api, which gets no tokens.' : `No client has the id ${shown(id)}.`;
      const remedy = 'Name the clients whose users come to this api, or remove it.';
      addProblem(context)([index, 'tokensOf', position], { problem, remedy });
    }
  }
}

/** The JSON Schema of `clients.yaml`. Its keys are the same in every mode. */
export const CLIENT_KEYS = jsonSchemaOf(clientsSchema({ mode: 'development', privateNetworks: [] }));

/** An entry of `clients.yaml` once it is parsed. */
export type ClientEntry = z.output<typeof client>;

function idProblem(id: string): string {
  const [odd] = /[^A-Za-z0-9._~-]/u.exec(id) ?? [];
  if (odd !== undefined) return `Holds ${shown(odd)}; letters, digits, dot, hyphen, underscore and tilde are allowed.`;
  return id.length > 100 ? 'Has more than 100 characters.' : 'Does not begin with a letter or digit.';
}

// Messages never repeat a part of a private key.
const WHOLE_KEY = 'Copy the whole public key: RSA of 2048 bits or more, P-256, P-384 or Ed25519.';

/** Describes the fault of an entry of `jwks.keys`; undefined if the key can be used. */
function publicKeyProblem(key: JsonWebKey): Problem | undefined {
  if (hasPrivateMembers(key)) {
    const remedy = 'Put the public key here (without d), and make a new pair: this one has been written down.';
    return { problem: 'Is a private key (its value is not shown).', remedy };
  }
  const kind = key.kty === 'RSA' ? key.kty : key.crv;
  if (!['RSA', 'P-256', 'P-384', 'Ed25519'].includes(kind ?? '')) {
    return { problem: `kty ${shown(key.kty)} with crv ${shown(key.crv)} is not used here.`, remedy: WHOLE_KEY };
  }
  try {
    const bits = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength ?? 2048;
    return bits < 2048 ? { problem: `Has ${bits} bits.`, remedy: WHOLE_KEY } : undefined;
  } catch {
    return { problem: `Its members make no ${kind} key.`, remedy: WHOLE_KEY };
  }
}
