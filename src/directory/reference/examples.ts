// Examples on the reference page that are not single requests: the sign-in, a batch, and a response about a fictional person.
// `browser/snippets.js` writes single requests.

import { isWhole } from '#directory/metadata/parameter-examples.ts';
import { encodeQuery, type Pair } from '#directory/middleware/raw-query.ts';
import type { ReferenceDirectory, ReferenceType } from './descriptions.ts';

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
 * Writes shell commands that print the address of the authorization request. They also make the state, and the verifier and challenge of
 * PKCE. The reader opens the address in a browser.
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

/**
 * Up to two of the parameters with which most searches begin (name, address, practitioner, base), in the order of the table. Each has its
 * example value.
 */
export function usualPairs({ parameters }: ReferenceType): Pairs {
  const usual = parameters.filter(({ name }) => ['name', 'address', 'practitioner', 'base'].includes(name));
  return usual.slice(0, 2).map(({ name, example }) => [name, example] as const);
}

/**
 * The RPPS number of the fictional person. Its check digit is wrong, so it belongs to nobody. The national identifier is this number with
 * an 8 before it.
 */
const RPPS = '10000000000';
const NATIONAL = 'urn:oid:1.2.250.1.71.4.2.1';
const NOS = 'https://mos.esante.gouv.fr/NOS';

/** The identifier systems that most entries have. `name` is the key of the text about the system in the messages. */
export function systemsOf({ namespace }: ReferenceDirectory): readonly (readonly [system: string, name: string])[] {
  return [
    [NATIONAL, 'national'],
    ['https://rpps.esante.gouv.fr', 'rpps'],
    [`${namespace}/fhir/Identifier/practitioner-rpps`, 'rppsHere'],
    ['urn:oid:1.2.250.1.71.4.2.2', 'structure'],
    ['https://finess.esante.gouv.fr', 'finess'],
    ['https://sirene.fr', 'sirene'],
  ];
}

/** Formats JSON, with each short value on one line. */
export function laidOut(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 90) return flat;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((one) => laidOut(one, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${laidOut(one, deeper)}`);
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

const coded = (table: string, code: string, display: string) => ({
  coding: [{ system: `${NOS}/TRE_${table}/FHIR/TRE-${table.replace('_', '-')}`, code, display }],
});

/** Makes resources of a fictional person. They are shown for editions with real people. */
export function sampleResources({ namespace }: Pick<ReferenceDirectory, 'namespace'>): Record<string, object> {
  const id = `8${RPPS}`;
  const meta = { versionId: '1', lastUpdated: '2026-11-21T05:00:00.000Z' };
  const official = (system: string, value: string) => ({ use: 'official', system, value });
  return {
    Practitioner: {
      resourceType: 'Practitioner',
      id,
      meta,
      identifier: [
        official(NATIONAL, id),
        official(`${namespace}/fhir/Identifier/practitioner-rpps`, RPPS),
        official('https://rpps.esante.gouv.fr', RPPS),
      ],
      active: true,
      name: [{ use: 'official', family: 'EXEMPLE', given: ['CAMILLE'], prefix: ['MME'] }],
      telecom: [{ system: 'email', value: 'camille.exemple@medecin.mssante.example', use: 'work', rank: 1 }],
      address: [{ use: 'work', line: ['1 RUE DE LA PAIX', '75002 PARIS'], city: 'Paris', postalCode: '75002' }],
      qualification: [{ code: coded('G15-ProfessionSante', '10', 'Médecin') }],
    },
    PractitionerRole: {
      resourceType: 'PractitionerRole',
      id: `${id}-0a1b2c3d4e5f6g`,
      meta,
      active: true,
      practitioner: { reference: `Practitioner/${id}` },
      organization: { reference: 'Organization/F750000000' },
      code: [coded('R23-ModeExercice', 'L', 'Libéral')],
      specialty: [coded('R38-SpecialiteOrdinale', 'SM26', 'Qualifié en médecine générale')],
    },
  };
}

export function bundle(directory: Pick<ReferenceDirectory, 'base' | 'namespace'>): object {
  const { base } = directory;
  const { Practitioner: resource } = sampleResources(directory);
  const link = `${base}/Practitioner?name=exemple&_count=1`;
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total: 2,
    link: [
      { relation: 'self', url: link },
      { relation: 'next', url: `${link}&_page=...` },
    ],
    entry: [{ fullUrl: `${base}/Practitioner/8${RPPS}`, resource, search: { mode: 'match' } }],
  };
}
