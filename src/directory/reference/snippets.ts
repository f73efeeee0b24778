// Examples for copying that are more than one request to the directory: the sign-in, and a batch. `browser/snippets.js` makes single
// requests.

import { isWhole } from '#directory/metadata/parameter-examples.ts';
import { encodeQuery, type Pair } from '#directory/middleware/raw-query.ts';
import type { ReferenceDirectory, ReferenceType } from './reference-data.ts';

type Pairs = readonly Pair[];

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes a batch of common searches. Only examples without placeholders become entries. */
export function curlBatch(base: string, types: readonly ReferenceType[]): string {
  const entry = types
    .map((type) => ({ type: type.type, pairs: usualPairs(type) }))
    .filter(({ pairs }) => pairs.every(([, value]) => isWhole(value)))
    .map(({ type, pairs }) => ({ request: { method: 'GET', url: `${type}?${encodeQuery(pairs)}` } }));
  return [
    `curl -s ${base}`,
    '-H "Authorization: Bearer $TOKEN"',
    '-H "Content-Type: application/fhir+json"',
    `-d ${quoted(JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }, null, 2))}`,
  ].join(' \\\n  ');
}

/**
 * Writes shell commands that print the address of the authorization request, with what PKCE needs. The reader opens that address in a
 * browser.
 */
export function authorization({ authorizationUrl, types }: ReferenceDirectory): string {
  const scopes = ['openid', ...new Set(types.flatMap(({ scopes }) => scopes))];
  const query = [
    'response_type=code',
    'client_id=$CLIENT_ID',
    'redirect_uri=https%3A%2F%2Fapp.example%2Fcallback',
    `scope=${scopes.join('%20')}`,
    'state=$STATE',
    'code_challenge=$CHALLENGE',
    'code_challenge_method=S256',
  ];
  return `STATE=$(openssl rand -hex 20)
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo "${authorizationUrl}?${query.join('&')}"`;
}

export function exchange(tokenUrl: string): string {
  return `curl -s ${tokenUrl} \\
  -d grant_type=authorization_code \\
  -d client_id="$CLIENT_ID" \\
  -d code_verifier="$VERIFIER" \\
  -d redirect_uri=https://app.example/callback \\
  -d code="$CODE"`;
}

/** The entry of clients.yaml for the reader's own application. */
export const clientEntry = `clients:
  - id: my-application
    name: My application
    type: server
    secrets: [{ hash: "..." }]
    callbackUrls: [http://localhost:8080/callback]
    scopes: [openid, profile, PRACTITIONER_READ, ORGANIZATION_READ]`;

export function refresh(tokenUrl: string): string {
  return `curl -s ${tokenUrl} \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=refresh_token \\
  -d refresh_token="$REFRESH_TOKEN"`;
}

/** Writes a search as path and query, relative to the base address. */
export const requestLine = (path: string, pairs: Pairs) =>
  `${path}?${encodeQuery(pairs).replaceAll(/%(?:2C|3A|2F)/g, decodeURIComponent)}`;

/** The two parameters with which most people begin, or else the first parameters of the type. */
export function usualPairs({ parameters }: ReferenceType): Pairs {
  const usual = parameters.filter(({ name }) => ['name', 'address', 'practitioner', 'base'].includes(name));
  return usual.slice(0, 2).map(({ name, example }) => [name, example] as const);
}
