// fhir-stu3 CapabilityStatement and SMART's configuration, whole, as each kind of service publishes them; and the base address of the directory.

import { describe, expect, it } from '@jest/globals';
import { capabilityStatement, type Publication } from '#directory/metadata/capability-statement.ts';
import type { AuthorizationServer } from '#directory/metadata/smart-configuration.ts';
import type { DirectoryRequest } from '#directory/middleware/interaction.ts';
import { SERVED } from '#directory/resources/resource-types.ts';
import type { Snapshot } from '#search-index/index.ts';
import { SERVER } from './authorization-server.ts';

const base = 'https://connect.example/directory/v2';
const { introspection_endpoint: _introspection, revocation_endpoint: _revocation, ...LEAST } = SERVER;
const snapshot = (id: string) =>
  ({ id, counts: async () => ({ Practitioner: 5, Organization: 3, PractitionerRole: 8 }) }) as unknown as Snapshot;
const asked = (url = '/metadata') => ({ url, headers: {} }) as unknown as DirectoryRequest;

interface Made {
  publication?: Publication;
  exported?: boolean;
  server?: AuthorizationServer;
  current?: Snapshot | undefined;
  created?: string;
}
async function statementOf({ publication, exported = true, server = SERVER, created, ...made }: Made) {
  const interaction = capabilityStatement({
    ...{ base, version: '1.2.3', exported, authorizationServer: server, ...(publication && { publication }) },
    snapshots: {
      current: () => ('current' in made ? made.current : snapshot('s-1')),
      byId: async () => undefined,
      ...(created !== undefined && { createdAt: () => created }),
    },
  });
  const { json, representation } = await interaction(asked());
  expect(representation).toEqual({ format: 'json', pretty: false });
  return JSON.parse(json);
}

const SEARCHES =
  'A comma joins alternatives, a repeated parameter narrows the search further; a literal , | $ or \\ is written with \\ before it. A value without any letter or digit matches nothing. Chains of one level lead to linked resources, forwards (practitioner.name) and backwards (_has:PractitionerRole:practitioner:specialty), with every parameter of their type and its modifiers at the end; they need the scopes of both types. A search takes 8 of them. An unknown parameter, a modifier that it does not take or an empty value is refused with 400; with Prefer: handling=lenient an unknown or empty parameter is ignored and named in an entry with search.mode=outcome. An entry with search.mode=outcome holds notes: what was left out or read in another way, and where a search by words or labels finds nothing and others would, what was understood and up to three searches that find something, each with its total. Pages hold 50 resources, or _count of them up to 200, in alphabetical order; the links of a search belong to one edition of the directory. Totals are exact; one that would be costly to count, as of long lists of alternatives, is given with _total=accurate only. _count=0 and _summary=count give the total alone, _total=none leaves it out.';
const SECURITY =
  'Authorization: Bearer with the access token of a person who signed in at https://connect.example, or of a server that its operator lets read with a token of its own (client credentials). Practitioner: Needs the scope PRACTITIONER_READ. Organization: Needs the scope ORGANIZATION_READ. PractitionerRole: Needs the scope PRACTITIONER_READ and ORGANIZATION_READ. SearchParameter: Open to everybody, without a token. CodeSystem: Open to everybody, without a token.';
const OAUTH = {
  authorize: SERVER.authorization_endpoint,
  token: SERVER.token_endpoint,
  introspect: SERVER.introspection_endpoint,
  revoke: SERVER.revocation_endpoint,
};
const oauthUris = (...names: (keyof typeof OAUTH)[]) => ({
  url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
  extension: names.map((url) => ({ url, valueUri: OAUTH[url] })),
});
const EXPORT = {
  name: 'export',
  definition: { reference: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export' },
};

/** The statement of a plain service, without its types. */
const WHOLE = {
  resourceType: 'CapabilityStatement',
  url: `${base}/metadata`,
  version: '1.2.3',
  name: 'Professional Directory v2',
  status: 'active',
  date: '2026-11-02T05:00:00.000Z',
  description: 'A read-only directory of health professionals and care structures, FHIR STU3.',
  kind: 'instance',
  software: { name: 'Hygie', version: '1.2.3' },
  implementation: {
    description:
      'Directory of health professionals. Edition s-1, imported 2026-11-02T05:00:00.000Z: 5 practitioners, 3 organizations, 8 roles.',
    url: base,
  },
  fhirVersion: '3.0.2',
  acceptUnknown: 'no',
  format: ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'],
};
const REST = {
  mode: 'server',
  documentation: SEARCHES,
  security: {
    extension: [oauthUris('authorize', 'token', 'introspect', 'revoke')],
    cors: true,
    service: ['OAuth', 'SMART-on-FHIR'].map((code) => ({
      coding: [{ system: 'http://hl7.org/fhir/restful-security-service', code }],
    })),
    description: SECURITY,
  },
  interaction: [
    {
      code: 'batch',
      documentation:
        'POST [base] with a Bundle of type batch, in JSON: at most 50 reads and searches by GET. Each has its own scopes and status, and counts as one request.',
    },
  ],
};

describe('fhir-stu3 the CapabilityStatement', () => {
  const created = '2026-11-02T05:00:00.000Z';
  it('of a directory without publisher and export', async () => {
    const { rest, ...others } = await statementOf({ created, exported: false });
    const [{ resource, ...one }] = rest;
    expect([others, one]).toEqual([WHOLE, REST]);
    expect(resource.map(({ type }: { type: string }) => type)).toEqual(SERVED.map(({ type }) => type));
  });

  it('of a sandbox with a publisher, an export, and an authorization server that cannot do all', async () => {
    const publication = {
      ...{ publisher: 'Clinic', supportUrl: 'mailto:help@clinic.example?subject=x', docs: `${base}/docs` },
      ...{ reportUrl: 'https://clinic.example/report', sandbox: 'https://connect.example/sandbox' },
    };
    const { rest, ...others } = await statementOf({ publication, created, server: LEAST });
    const [{ resource: _, ...one }] = rest;
    expect(others).toEqual({
      ...WHOLE,
      experimental: true,
      publisher: 'Clinic',
      contact: [
        { telecom: [{ system: 'email', value: 'help@clinic.example' }] },
        { name: 'Errors in records', telecom: [{ system: 'url', value: 'https://clinic.example/report' }] },
      ],
      implementation: {
        url: base,
        description: `SANDBOX for tests, with fictional people (https://connect.example/sandbox). ${WHOLE.implementation.description}`,
      },
    });
    expect(one).toEqual({
      ...REST,
      documentation: `${SEARCHES} Reference: ${base}/docs`,
      security: { ...REST.security, extension: [oauthUris('authorize', 'token')] },
      operation: [EXPORT],
    });
    const plain = await statementOf({ publication: { publisher: 'Clinic', docs: 'd' }, created });
    expect([plain.publisher, plain.contact, plain.experimental]).toEqual(['Clinic', undefined, undefined]);
  });

  it('tells what is loaded, and when; without an edition, since when the service runs', async () => {
    const before = new Date().toISOString();
    const [unknown, none] = [await statementOf({}), await statementOf({ current: undefined })];
    expect([unknown, none].map(({ implementation }) => implementation.description)).toEqual([
      'Directory of health professionals. Edition s-1: 5 practitioners, 3 organizations, 8 roles.',
      'Directory of health professionals. No edition of the directory is in service at the moment.',
    ]);
    for (const { date } of [unknown, none]) expect(date >= before).toBe(true);
  });

  it('is made once for each edition', async () => {
    let current = snapshot('s-1');
    let counted = 0;
    const counts = current.counts;
    current.counts = () => {
      counted += 1;
      return counts();
    };
    const interaction = capabilityStatement({
      ...{ base, version: '1', exported: true, authorizationServer: SERVER },
      snapshots: { current: () => current, byId: async () => undefined },
    });
    const [first, second] = [
      await interaction(asked()),
      await interaction(asked('/metadata?_pretty=true&_format=xml')),
    ];
    expect([second.json === first.json, counted, second.representation]).toEqual([
      true,
      1,
      { format: 'xml', pretty: true },
    ]);
    current = snapshot('s-2');
    expect((await interaction(asked())).json).toContain('Edition s-2: ');
  });

  it('of a type: what is possible, what it needs, and how it is sorted and linked', async () => {
    const { rest } = await statementOf({});
    const types = (rest[0].resource as { type: string; searchParam: object[]; documentation: string }[]).map(
      ({ searchParam: _, ...one }) => one,
    );
    const common = (type: string) => ({
      ...{ type, profile: { reference: `http://hl7.org/fhir/StructureDefinition/${type}` } },
      interaction: [
        { code: 'read' },
        { code: 'vread', documentation: 'The current version only.' },
        {
          code: 'search-type',
          documentation: `GET /${type}?... or /${type}/_search?..., or POST /${type}/_search with a form.`,
        },
      ],
      ...{ versioning: 'versioned', readHistory: false, updateCreate: false, conditionalCreate: false },
      ...{ conditionalRead: 'full-support', conditionalUpdate: false, conditionalDelete: 'not-supported' },
    });
    const documented = (index: number, more: string) => `${SERVED[index]?.documentation} ${more}`;
    const LAST = 'What lacks the value comes last, and first with -.';
    expect(types).toEqual([
      {
        ...common('Practitioner'),
        searchRevInclude: ['PractitionerRole:practitioner', '*'],
        documentation: documented(
          0,
          `Needs the scope PRACTITIONER_READ. Chains begin with _has:PractitionerRole:practitioner:. _sort takes name or -name or family or -family or family,given or -family,-given or given or -given or address-city or -address-city or _lastUpdated or -_lastUpdated. ${LAST}`,
        ),
      },
      {
        ...common('Organization'),
        searchInclude: ['Organization:part-of', 'Organization:partof', '*'],
        searchRevInclude: ['Organization:part-of', 'Organization:partof', 'PractitionerRole:organization', '*'],
        documentation: documented(
          1,
          `Needs the scope ORGANIZATION_READ. Chains begin with part-of., _has:Organization:part-of:, partof., _has:Organization:partof:, _has:PractitionerRole:organization:. _sort takes name or -name or address-city or -address-city or near or -near or _lastUpdated or -_lastUpdated. ${LAST}`,
        ),
      },
      {
        ...common('PractitionerRole'),
        searchInclude: ['PractitionerRole:practitioner', 'PractitionerRole:organization', '*'],
        documentation: documented(
          2,
          `Needs the scope PRACTITIONER_READ and ORGANIZATION_READ. Chains begin with practitioner., organization.. _sort takes _id or -_id or practitioner or -practitioner or organization or -organization or _lastUpdated or -_lastUpdated. ${LAST}`,
        ),
      },
      { ...common('SearchParameter'), documentation: documented(3, 'Open to everybody, without a token.') },
      { ...common('CodeSystem'), documentation: documented(4, 'Open to everybody, without a token.') },
    ]);
    const [{ searchParam }] = rest[0].resource;
    expect(searchParam[0]).toEqual({
      ...{ name: 'name', type: 'string', definition: 'http://hl7.org/fhir/SearchParameter/Practitioner-name' },
      documentation: `${SERVED[0]?.parameters[0]?.documentation} Modifiers: :exact, :missing.`,
    });
    expect(rest[0].resource[3].searchParam[0].documentation).toBe('The exact canonical address.');
  });
});
