// The schema of `clients.yaml`: keys, kinds of values, defaults and meanings. `config/clients.schema.json` and the table of keys
// in `config/README.md` are generated from it.

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { z } from 'zod';
import { type Problem, shown } from '#config/configuration-error.ts';
import {
  ALWAYS,
  addProblem,
  oneKey,
  rule,
  shownName,
  text,
  uniqueList,
  url,
  wholeNumber,
} from '#config/schema/fields.ts';
import { jsonSchemaOf } from '#config/schema/json-schema.ts';
import type { Reach } from '#config/url-rules.ts';
import { hasPrivateMembers } from '#shared/crypto/json-web-keys.ts';
import { SCOPES } from '#shared/scopes.ts';
import { checkClient } from './client-rules.ts';
import { PROFILES } from './fapi2.ts';

/** A secret's hash, or the variable or file that holds the secret. Exactly one of the three keys must be set. */
export const secretReference = oneKey({
  hash: text()
    .exactOptional()
    .describe(
      'Hash that `npm run -s hygie -- clients secret` prints (sha256$..., or scrypt$... from earlier versions).',
    ),
  env: z
    .string()
    // The message does not show the value, because an operator may have written the secret itself there.
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: 'Is not the name of an environment variable (the value is not shown).',
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

/** Types of keys that most clients leave out. Such a key has no default: if the file lacks it, the parsed entry lacks it too. */
const oneOf = <const Values extends readonly string[]>(...values: Values) => z.enum(values).exactOptional();
const flag = () => z.boolean().exactOptional();

const client = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/, { error: ({ input }) => idProblem(String(input)) })
    .describe('client_id: letters, digits, dot, hyphen, underscore, tilde. Never change it.'),
  name: shownName(100).describe('Name on the consent page and in the claim {claim_ns}/applicationName.'),
  type: z
    .enum(['server', 'browser', 'native', 'api'])
    .describe(
      'server (keeps a secret or a key), browser or native (both public: PKCE, no secret), or api (only checks whether access tokens are valid).',
    ),
  secrets: z
    .array(secretReference.describe('Write `- hash: "sha256$..."`; `npm run -s hygie -- clients secret` prints it.'))
    .max(2)
    .default([])
    .describe('Server and api only: one secret, or two during a rotation.'),
  jwks: jwks
    .exactOptional()
    .describe(
      'Server and api only, instead of secrets: public keys of the client as a JWK Set, `keys: [...]` (private_key_jwt).',
    ),
  jwksUrl: url()
    .exactOptional()
    .describe(
      'Address of the JWK Set, instead of jwks; https, not in a private network. The service reads it again when it needs it and has not read it for a minute, regardless of cache headers. If that fails, the last keys are used until they are ten minutes old.',
    ),
  assertionAudience: oneOf('issuer', 'token-endpoint').describe(
    'With jwks or jwksUrl: the value of aud, one string, in assertions of the client (private_key_jwt). token-endpoint: the address of the token endpoint is accepted too, for libraries that can send nothing else (OpenID Connect Core section 9); not allowed with a profile. Default: issuer.',
  ),
  callbackUrls: urls().describe('Allowed Callback URLs (https). They are compared byte for byte.'),
  logoutUrls: urls().describe(
    'Addresses to which a person may be sent after a sign-out (https). They are compared byte for byte.',
  ),
  homeUrl: url()
    .exactOptional()
    .describe(
      'Home page of the application (https). Pages of the service link to it, for example after an error. Default: the origin of a callback URL.',
    ),
  backchannelLogoutUrl: url()
    .exactOptional()
    .describe('Address that receives a logout token when a person signs out; https, not in a private network.'),
  backchannelLogoutSession: flag().describe(
    'false: its logout tokens and ID tokens have no sid. Keycloak as a broker needs this, because it takes any sid for one of its own. Default: true.',
  ),
  logoutTokenType: oneOf('logout+jwt', 'JWT').describe(
    'Value of typ in its logout tokens. JWT: for pac4j and older Spring Security, which refuse every other value. Default: logout+jwt.',
  ),
  scopes: uniqueList(z.enum(SCOPES).describe('The name of a scope.'))
    .exactOptional()
    .describe(
      'Scopes that the client may ask for. Default: openid email profile. For an api: the scopes that it serves, without openid and offline_access.',
    ),
  tokensOf: uniqueList(z.string().describe('The id of a client.'))
    .min(1)
    .exactOptional()
    .describe(
      'Api only: ids of the clients whose access tokens it accepts. It sees tokens of all other clients as inactive. Default: all clients. A token also needs a scope that the api serves.',
    ),
  par: oneOf('optional', 'required').describe(
    'required: the client must push its authorization requests to /oauth/par first. Default: optional.',
  ),
  dpop: oneOf('optional', 'required').describe(
    'required: the client only gets tokens that are bound to a key of its own (DPoP). Default: optional.',
  ),
  pkce: oneOf('optional', 'required').describe(
    'required: its authorization requests must use PKCE (S256). Default, and for optional: pkce of service.yaml. Browser and native clients must always use it.',
  ),
  signedRequests: oneOf('optional', 'required').describe(
    'Server with jwks or jwksUrl only. required: its authorization requests must be signed request objects (JAR). Default: optional.',
  ),
  signedResponses: oneOf('optional', 'required').describe(
    'required: the client only gets signed authorization responses (JARM), so it must send response_mode=jwt. Default: optional.',
  ),
  profile: oneOf(...PROFILES).describe(
    'Server only. fapi2: the FAPI 2.0 Security Profile. It requires par, dpop and pkce, jwks or jwksUrl instead of secrets, and ES256 (or EdDSA, with idTokenAlgorithm). Refresh tokens are not replaced. Weaker settings are refused. fapi2-message-signing: also requires signedRequests and signedResponses (FAPI 2.0 Message Signing).',
  ),
  consent: z
    .enum(['ask', 'trusted'])
    .default('ask')
    .describe(
      'ask: people are asked for consent at the first sign-in, for further scopes, and after lifetimes.grant; for a native client at every sign-in. trusted: people are not asked. In both cases they are asked if the request has prompt=consent, which offline_access needs except with refreshTokens: always.',
    ),
  refreshTokens: oneOf('consent', 'always').describe(
    'When a request with the scope offline_access gives a refresh token. consent (the default): if it has prompt=consent (OpenID Connect Core section 11); otherwise the scope is ignored. always: at every sign-in, for applications that cannot send prompt=consent. This needs consent: trusted.',
  ),
  secondFactor: oneOf('required').describe(
    'required: a password is not enough to sign in to this application. People without a second factor set one up when they sign in. Default: secondFactor of service.yaml.',
  ),
  workspace: oneOf('ask').describe(
    'ask: people with several places of work choose the current one (currentWorkspaceId) at every sign-in to this application. Default: only if the request has prompt=select_account. People can always change it in their account space.',
  ),
  idTokenAlgorithm: oneOf('RS256', 'ES256', 'EdDSA').describe(
    'Signature algorithm of its ID tokens, logout tokens and signed responses (JARM, introspection). Default: RS256, which every library supports, and ES256 with a profile.',
  ),
  updatedAt: oneOf('iso8601', 'epoch').describe(
    'Form of updated_at in its claims. epoch: for libraries that accept only numbers there (pyoidc, Flask-pyoidc, idpy-oidc). Default: claims.updatedAt of service.yaml.',
  ),
  authenticationClaims: flag().describe(
    'true: every ID token has acr, amr and auth_time, from the next sign-in on. For brokers, which cannot ask for these claims. Default: only if a request asks for them.',
  ),
  serviceAccount: z
    .boolean()
    .default(false)
    .describe(
      'Server only. true: the client may also get tokens for itself, without a person (client credentials). They cannot have openid and offline_access, and need directoryAccess for the directory.',
    ),
  directoryAccess: flag().describe(
    'true, with serviceAccount: tokens of the client for itself may read the directory. No person answers for these requests: you do. If you remove the key, tokens in use lose this right at once. Default: such tokens get no scope of the directory.',
  ),
  rate: z
    .strictObject({
      perSecond: wholeNumber(0, 1_000_000).describe(
        'Requests per second in the long run, divided among the worker processes. 0: no limit. Default: directory.rate of service.yaml.',
      ),
      burst: wholeNumber(1, 1_000_000).describe('Requests at once.'),
    })
    .exactOptional()
    .describe(
      'Requests to the directory, instead of directory.rate of service.yaml. One person gets at most half of them.',
    ),
});

/**
 * Makes the schema of `clients.yaml`. `reach` has the mode and the private networks that the service may reach, on which the rules for
 * addresses depend.
 */
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
 * Reports ids in `tokensOf` that belong to no client with tokens. Such an id stays behind when a client is renamed or removed. After a
 * rename, the api would no longer see the client's tokens. The operator should notice that before the users do.
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

/** The JSON Schema of `clients.yaml`. It is the same in every mode, because modes do not differ in their keys. */
export const CLIENT_KEYS = jsonSchemaOf(clientsSchema({ mode: 'development', privateNetworks: [] }));

/** An entry of `clients.yaml` once it is parsed. */
export type ClientEntry = z.output<typeof client>;

function idProblem(id: string): string {
  const [odd] = /[^A-Za-z0-9._~-]/u.exec(id) ?? [];
  if (odd !== undefined) return `Holds ${shown(odd)}; letters, digits, dot, hyphen, underscore and tilde are allowed.`;
  return id.length > 100 ? 'Has more than 100 characters.' : 'Does not begin with a letter or digit.';
}

// Remedy for a key that cannot be used. No message shows a part of the key, because it may be a private key.
const WHOLE_KEY = 'Copy the whole public key: RSA of 2048 bits or more, P-256, P-384 or Ed25519.';

/** Returns the problem with an entry of `jwks.keys`. Returns undefined if the key can be used. */
function publicKeyProblem(key: JsonWebKey): Problem | undefined {
  if (hasPrivateMembers(key)) {
    const remedy = 'Put the public key here (without d), and make a new pair: this one is no longer secret.';
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
