// Examples to copy: curl commands and lines for fhir-kit-client.

import { isWhole } from '#directory/metadata/parameter-examples.ts';
import { encodeQuery, type Pair } from '#directory/middleware/raw-query.ts';
import type { ReferenceDirectory, ReferenceType } from './reference-data.ts';

type Pairs = readonly Pair[];

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A search by GET. curl encodes the parameters. */
export function curlSearch(base: string, type: string, pairs: Pairs, { token = true } = {}): string {
  const lines = [
    `curl -sG ${base}/${type}`,
    ...(token ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...pairs.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
  ];
  return lines.join(' \\\n  ');
}

export function curlGet(address: string, headers: readonly string[] = []): string {
  return [
    `curl -s ${address.includes('$') ? quoted(address) : address}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...headers,
  ].join(' \\\n  ');
}

/** A batch of usual searches, with complete examples alone. */
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

export function clientSearch(type: string, pairs: Pairs): string {
  const params = pairs.map(([name, value]) => `    ${/^[a-z]+$/i.test(name) ? name : `'${name}'`}: '${value}',`);
  return `const bundle = await directory.search({
  resourceType: '${type}',
  searchParams: {
${params.join('\n')}
  },
});`;
}

export const clientStart = (base: string, pairs: Pairs) => `import { Client } from 'fhir-kit-client';

const directory = new Client({ baseUrl: '${base}', bearerToken: token });
${clientSearch('Practitioner', pairs)}
const next = await directory.nextPage({ bundle });`;

export function authorization({ authorizationUrl, types }: ReferenceDirectory): string {
  const scopes = ['openid', ...new Set(types.flatMap(({ scopes }) => scopes))];
  return `${authorizationUrl}
  ?response_type=code
  &client_id=$CLIENT_ID
  &redirect_uri=https%3A%2F%2Fapp.example%2Fcallback
  &scope=${scopes.join('%20')}
  &state=$STATE`;
}

export function exchange(tokenUrl: string): string {
  return `curl -s ${tokenUrl} \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=authorization_code \\
  -d redirect_uri=https://app.example/callback \\
  -d code="$CODE"`;
}

export function refresh(tokenUrl: string): string {
  return `curl -s ${tokenUrl} \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=refresh_token \\
  -d refresh_token="$REFRESH_TOKEN"`;
}

/** A search as it stands behind the base address. */
export const requestLine = (type: string, pairs: Pairs) => `${type}?${encodeQuery(pairs)}`;

/** The two parameters with which most people begin, or else the first ones of the type. */
export function usualPairs({ parameters }: ReferenceType): Pairs {
  const usual = parameters.filter(({ name }) => ['name', 'address', 'practitioner', 'base'].includes(name));
  return usual.slice(0, 2).map(({ name, example }) => [name, example] as const);
}
