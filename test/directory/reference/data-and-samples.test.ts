// What the reference is made of, whole: the data of the tables, the invented sample, the commands to copy, the operations, and when it is made anew.

import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '#directory/metadata/parameter-examples.ts';
import { describeDirectory, type ReferenceDirectory } from '#directory/reference/descriptions.ts';
import {
  authorization,
  bundle,
  clientEntry,
  curlBatch,
  exchange,
  laidOut,
  refresh,
  requestLine,
  sampleResources,
  systemsOf,
  usualPairs,
} from '#directory/reference/examples.ts';

const base = 'https://connect.example/directory/v2';
const namespace = 'https://connect.example';
const data = describeDirectory();
const typeOf = (name: string) => {
  const found = data.types.find(({ type }) => type === name);
  if (!found) throw new Error(name);
  return found;
};

describe('the data of the reference', () => {
  it('has each result parameter with an example that a type takes', () => {
    expect(Object.fromEntries(data.resultParameters.map(({ name, example }) => [name, example]))).toEqual({
      _include: 'Organization?_include=Organization:part-of',
      '_include:recurse':
        'Practitioner?_revinclude=PractitionerRole:practitioner&_include:recurse=PractitionerRole:organization',
      _revinclude: 'Organization?_revinclude=Organization:part-of',
      '_revinclude:recurse':
        'PractitionerRole?_include=PractitionerRole:organization&_revinclude:recurse=Organization:part-of',
      _sort: 'Organization?_sort=name',
      _count: 'Organization?_count=20',
      _total: 'Organization?_total=accurate',
      _totalMethod: 'Organization?_totalMethod=count',
      _page: '',
      _summary: 'Organization?_summary=true',
      _elements: 'Organization?_elements=id,name',
      _pretty: 'Organization?_pretty=true',
      _format: 'Organization?_format=json',
    });
  });

  it('has of each type its scopes, links, orders, chains and parameters', () => {
    const { parameters, ...role } = typeOf('PractitionerRole');
    expect(role).toEqual({
      type: 'PractitionerRole',
      scopes: ['PRACTITIONER_READ', 'ORGANIZATION_READ'],
      count: 0,
      filled: {},
      exampleId: EXAMPLES.ids['PractitionerRole'],
      includes: ['PractitionerRole:practitioner', 'PractitionerRole:organization'],
      revIncludes: [],
      sorts: [
        '_id',
        '-_id',
        'practitioner',
        '-practitioner',
        'organization',
        '-organization',
        '_lastUpdated',
        '-_lastUpdated',
      ],
      chains: [
        ['practitioner.name', 'mart'],
        ['organization.name', 'hopital st'],
      ],
    });
    expect(parameters[0]).toEqual({
      name: 'practitioner',
      type: 'reference',
      matching: 'reference',
      target: 'Practitioner',
      example: 'Practitioner/810000000011',
      modifiers: ['Practitioner', 'missing'],
      documentation:
        'Exact reference of the professional: Practitioner/ID, the ID alone, or the absolute address of the professional here.',
    });
    const [name] = typeOf('Organization').parameters;
    expect(name).toMatchObject({
      name: 'name',
      matching: 'words',
      minimum: 2,
      equivalents: true,
      modifiers: ['exact', 'missing'],
    });
    expect(typeOf('Organization').parameters[1]).not.toHaveProperty('minimum');
  });

  it('has the figures of the edition by type', () => {
    const { types, since, resources } = describeDirectory(
      { ...EXAMPLES, since: 'S', resources: { Organization: { id: 'o' } } },
      { counts: { Practitioner: 9 }, filled: { 'Practitioner.name': 8, 'PractitionerRole.code': 7 } },
    );
    expect(types.map(({ type, count, filled }) => [type, count, filled])).toEqual([
      ['Practitioner', 9, { name: 8 }],
      ['Organization', 0, {}],
      ['PractitionerRole', 0, { code: 7 }],
      ['SearchParameter', 0, {}],
      ['CodeSystem', 0, {}],
    ]);
    expect([since, resources, data.resources]).toEqual(['S', { Organization: { id: 'o' } }, {}]);
    expect(data.refusals.map(({ status, codes }) => `${status} ${codes}`)).toEqual([
      ...['400 value, structure, not-supported, too-costly', '401 login', '403 forbidden', '404 not-found'],
      ...['405 not-supported', '406 not-supported', '410 not-found', '413 too-long', '414 too-long'],
      ...['415 not-supported', '416 value', '429 throttled', '503 transient'],
    ]);
  });
});

describe('the sample of the reference', () => {
  it('is a Bundle with an invented person', () => {
    const official = (system: string, value: string) => ({ use: 'official', system, value });
    const NOS = 'https://mos.esante.gouv.fr/NOS';
    const meta = { versionId: '1', lastUpdated: '2026-11-21T05:00:00.000Z' };
    const coded = (table: string, code: string, display: string) => ({
      coding: [{ system: `${NOS}/TRE_${table}/FHIR/TRE-${table.replace('_', '-')}`, code, display }],
    });
    const resource = {
      resourceType: 'Practitioner',
      id: '810000000000',
      meta,
      identifier: [
        official('urn:oid:1.2.250.1.71.4.2.1', '810000000000'),
        official(`${namespace}/fhir/Identifier/practitioner-rpps`, '10000000000'),
        official('https://rpps.esante.gouv.fr', '10000000000'),
      ],
      active: true,
      name: [{ use: 'official', family: 'EXEMPLE', given: ['CAMILLE'], prefix: ['MME'] }],
      telecom: [{ system: 'email', value: 'camille.exemple@medecin.mssante.example', use: 'work', rank: 1 }],
      address: [{ use: 'work', line: ['1 RUE DE LA PAIX', '75002 PARIS'], city: 'Paris', postalCode: '75002' }],
      qualification: [{ code: coded('G15-ProfessionSante', '10', 'Médecin') }],
    };
    const link = `${base}/Practitioner?name=exemple&_count=1`;
    expect(bundle({ base, namespace })).toEqual({
      resourceType: 'Bundle',
      type: 'searchset',
      total: 2,
      link: [
        { relation: 'self', url: link },
        { relation: 'next', url: `${link}&_page=...` },
      ],
      entry: [{ fullUrl: `${base}/Practitioner/810000000000`, resource, search: { mode: 'match' } }],
    });
    expect(sampleResources({ namespace })).toEqual({
      Practitioner: resource,
      PractitionerRole: {
        resourceType: 'PractitionerRole',
        id: '810000000000-0a1b2c3d4e5f6g',
        meta,
        active: true,
        practitioner: { reference: 'Practitioner/810000000000' },
        organization: { reference: 'Organization/F750000000' },
        code: [coded('R23-ModeExercice', 'L', 'Libéral')],
        specialty: [coded('R38-SpecialiteOrdinale', 'SM26', 'Qualifié en médecine générale')],
      },
    });
    expect(systemsOf({ namespace } as ReferenceDirectory)).toEqual([
      ['urn:oid:1.2.250.1.71.4.2.1', 'national'],
      ['https://rpps.esante.gouv.fr', 'rpps'],
      [`${namespace}/fhir/Identifier/practitioner-rpps`, 'rppsHere'],
      ['urn:oid:1.2.250.1.71.4.2.2', 'structure'],
      ['https://finess.esante.gouv.fr', 'finess'],
      ['https://sirene.fr', 'sirene'],
    ]);
  });

  it('is laid out with each short value on one line', () => {
    expect(laidOut({ a: [1, 2], b: { c: 'x' } })).toBe('{ "a": [ 1, 2 ], "b": { "c": "x" } }');
    const most = `{ "a": "${'x'.repeat(79)}" }`;
    expect([most.length, laidOut(JSON.parse(most))]).toEqual([90, most]);
    expect(laidOut({ a: 'x'.repeat(80) })).toBe(`{\n  "a": "${'x'.repeat(80)}"\n}`);
    expect(laidOut([{ a: 'x'.repeat(70), b: ['y'.repeat(20)] }, 1])).toBe(
      `[\n  {\n    "a": "${'x'.repeat(70)}",\n    "b": [ "${'y'.repeat(20)}" ]\n  },\n  1\n]`,
    );
    expect(laidOut('x'.repeat(99))).toBe(`"${'x'.repeat(99)}"`);
  });
});

describe('the commands of the reference', () => {
  it('a batch has the usual searches whose examples are whole', () => {
    const [first, second] = [typeOf('Practitioner'), typeOf('PractitionerRole')];
    expect([first, second, typeOf('SearchParameter'), typeOf('CodeSystem')].map(usualPairs)).toEqual([
      [
        ['name', 'mart'],
        ['address', 'rue paris'],
      ],
      [['practitioner', 'Practitioner/810000000011']],
      [['base', 'Organization']],
      [['name', 'ProfessionSante']],
    ]);
    const unfilled = { ...second, parameters: second.parameters.map((one) => ({ ...one, example: "<it's>" })) };
    const request = { method: 'GET', url: 'Practitioner?name=mart&address=rue+paris' };
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: [{ request }] }, null, 2);
    expect(curlBatch(base, [first, unfilled])).toBe(
      `curl -s ${base} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H "Content-Type: application/fhir+json" \\\n  -d '${body}'`,
    );
    const quoted = { ...first, parameters: [{ ...first.parameters[0], name: 'name', example: "d'eau" }] };
    expect(curlBatch(base, [quoted as never])).toContain('Practitioner?name=d%27eau');
    expect(
      requestLine('Practitioner', [
        ['name:exact', 'a,b/c d'],
        ['x', '|'],
      ]),
    ).toBe('Practitioner?name:exact=a,b/c+d&x=%7C');
  });

  it('the sign-in asks for every scope, and the two ways to a token have what they need', () => {
    const directory = { ...data, authorizationUrl: 'https://a.example/authorize' } as unknown as ReferenceDirectory;
    expect(authorization(directory)).toBe(`STATE=$(openssl rand -hex 20)
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo "https://a.example/authorize?response_type=code&client_id=$CLIENT_ID&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&scope=openid%20PRACTITIONER_READ%20ORGANIZATION_READ&state=$STATE&code_challenge=$CHALLENGE&code_challenge_method=S256"`);
    expect([exchange('T'), refresh('T')]).toEqual([
      'curl -s T \\\n  -d grant_type=authorization_code \\\n  -d client_id="$CLIENT_ID" \\\n  -d code_verifier="$VERIFIER" \\\n  -d redirect_uri=https://app.example/callback \\\n  -d code="$CODE"',
      'curl -s T \\\n  -u "$CLIENT_ID:$CLIENT_SECRET" \\\n  -d grant_type=refresh_token \\\n  -d refresh_token="$REFRESH_TOKEN"',
    ]);
    expect(clientEntry.split('\n')).toEqual([
      'clients:',
      '  - id: my-application',
      '    name: My application',
      '    type: server',
      '    secrets: [{ hash: "..." }]',
      '    callbackUrls: [http://localhost:8080/callback]',
      '    scopes: [openid, profile, PRACTITIONER_READ, ORGANIZATION_READ]',
    ]);
  });
});
