// fhir-stu3 CapabilityStatement and SMART's configuration, whole, as each kind of service publishes them; and the base address of the directory.

import { describe, expect, it } from '@jest/globals';
import { capabilityStatement, type Publication } from '#directory/metadata/capability-statement.ts';
import type { AuthorizationServer } from '#directory/metadata/smart-configuration.ts';
import type { DirectoryRequest } from '#directory/middleware/interaction.ts';
import { SERVED } from '#directory/resources/resource-types.ts';
import type { Snapshot } from '#search-index/index.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { pageInStates } from '#support/page-states.ts';
import { rows } from '#support/rows.ts';
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
    base,
    version: '1.2.3',
    exported,
    authorizationServer: server,
    ...(publication && { publication }),
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

describe('fhir-stu3 the CapabilityStatement', () => {
  withOwnSnapshots(import.meta.filename);
  const created = '2026-11-02T05:00:00.000Z';
  /** Without its parameters, each of which has a test of its own. */
  const textOf = ({ rest: [{ resource, ...one }], ...others }: Awaited<ReturnType<typeof statementOf>>) => {
    const types = resource.map(
      ({ searchParam: _, documentation, ...type }: { searchParam: object; documentation: string }, at: number) => {
        expect(documentation.startsWith(`${SERVED[at]?.documentation} `)).toBe(true);
        return { ...type, documentation: documentation.slice(SERVED[at]?.documentation?.length).trim() };
      },
    );
    return rows({ ...others, rest: { ...one, types } });
  };

  it('of each kind of service, with its types, what they need, and how they are sorted and linked', async () => {
    const publication = {
      publisher: 'Clinic',
      supportUrl: 'mailto:help@clinic.example?subject=x',
      docs: `${base}/docs`,
      reportUrl: 'https://clinic.example/report',
      sandbox: 'https://connect.example/sandbox',
    };
    const plain = await statementOf({ publication: { publisher: 'Clinic', docs: 'd' }, created });
    expect([plain.publisher, plain.contact, plain.experimental]).toEqual(['Clinic', undefined, undefined]);
    const pages = [
      ['a directory without publisher and export', await statementOf({ created, exported: false })],
      [
        'a sandbox with a publisher, an export, and an authorization server that cannot do all',
        await statementOf({ publication, created, server: LEAST }),
      ],
    ] as const;
    expect(pageInStates(pages.map(([name, statement]) => [name, textOf(statement)]))).toMatchSnapshot();
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
      base,
      version: '1',
      exported: true,
      authorizationServer: SERVER,
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

  it('has the parameters of each type, with their modifiers', async () => {
    const [{ resource }] = (await statementOf({})).rest;
    expect(resource[0].searchParam[0]).toEqual({
      name: 'name',
      type: 'string',
      definition: 'http://hl7.org/fhir/SearchParameter/Practitioner-name',
      documentation: `${SERVED[0]?.parameters[0]?.documentation} Modifiers: :exact, :missing.`,
    });
    expect(resource[3].searchParam[0].documentation).toBe('The exact canonical address.');
  });
});
