// Makes the CapabilityStatement from the parameter tables. It describes the features of the directory.

import { FORMATS } from '#directory/format/content-negotiation.ts';
import { LIMITS } from '#directory/limits.ts';
import type { Interaction } from '#directory/middleware/interaction.ts';
import { representationOfDescription } from '#directory/requested-representation.ts';
import type { Snapshots } from '#directory/resolve-snapshot.ts';
import type { Parameter, ParameterTable } from '#directory/resources/parameters.ts';
import { SERVED } from '#directory/resources/resource-types.ts';
import { definitionOf } from '#directory/resources/search-parameter-resources.ts';
import { chainsOf } from '#directory/search/chains.ts';
import { includeValues } from '#directory/search/include-paths.ts';
import { writtenModifiers } from '#directory/search/modifiers.ts';
import { sortValues } from '#directory/search/result-parameters.ts';
import type { Snapshot } from '#search-index/index.ts';
import type { AuthorizationServer } from './smart-configuration.ts';

/** The publisher of the directory, and the addresses at which people find more about it. */
export interface Publication {
  publisher: string;
  /** Address at which people get help: http, https or mailto. */
  supportUrl?: string;
  /** Address to which people report errors in records: http, https or mailto. */
  reportUrl?: string;
  /** Address of the reference page for developers. */
  docs: string;
  /** Address of the page about the sandbox; undefined if this is no sandbox. */
  sandbox?: string;
}

interface MetadataOptions {
  base: string;
  authorizationServer: AuthorizationServer;
  /** Version of the service. */
  version: string;
  publication?: Publication;
  /** True if the directory offers its export. */
  exported: boolean;
  snapshots: Snapshots;
}

/** The addresses of the authorization server. Each has its name in the extension `oauth-uris`, followed by its name in RFC 8414. */
const OAUTH_ADDRESSES = [
  ['authorize', 'authorization_endpoint'],
  ['token', 'token_endpoint'],
  ['introspect', 'introspection_endpoint'],
  ['revoke', 'revocation_endpoint'],
] as const;
const OAUTH_URIS = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';

const SEARCHES = [
  'A comma joins alternatives, a repeated parameter narrows the search further; a literal , | $ or \\ is written with \\ before it.',
  'A value without any letter or digit matches nothing.',
  `Chains of one level lead to linked resources, forwards (practitioner.name) and backwards (_has:PractitionerRole:practitioner:specialty), with every parameter of their type and its modifiers at the end; they need the scopes of both types. A search takes ${LIMITS.chains} of them.`,
  'An unknown parameter, a modifier that it does not take or an empty value is refused with 400; with Prefer: handling=lenient an unknown or empty parameter is ignored and named in an entry with search.mode=outcome.',
  'An entry with search.mode=outcome holds notes: what was left out or read in another way, and where a search by words or labels finds nothing and others would, what was understood and up to three searches that find something, each with its total.',
  `Pages hold ${LIMITS.defaultCount} resources, or _count of them up to ${LIMITS.largestCount}, in alphabetical order; the links of a search belong to one edition of the directory.`,
  'Totals are exact; one that would be costly to count, as of long lists of alternatives, is given with _total=accurate only. _count=0 and _summary=count give the total alone, _total=none leaves it out.',
].join(' ');

const BATCH = `POST [base] with a Bundle of type batch, in JSON: at most ${LIMITS.batchEntries} reads and searches by GET. Each has its own scopes and status, and counts as one request.`;

/**
 * The operation `$export` of FHIR Bulk Data Access. HL7 defines the operation for a later version of FHIR than STU3, but clients call it in
 * the same way.
 */
const EXPORT = {
  name: 'export',
  definition: { reference: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export' },
};

/** Makes the interaction of `/metadata`. The statement is written once for each snapshot. */
export function capabilityStatement(options: MetadataOptions): Interaction {
  const started = new Date().toISOString();
  let made: { snapshot: string | undefined; json: string } | undefined;
  return async (request) => {
    const snapshot = options.snapshots.current();
    if (!made || made.snapshot !== snapshot?.id) {
      const created = snapshot && options.snapshots.createdAt?.(snapshot.id);
      const now = { date: created ?? started, freshness: await freshness(snapshot, created) };
      made = { snapshot: snapshot?.id, json: JSON.stringify(statement(options, now)) };
    }
    return { json: made.json, representation: representationOfDescription('CapabilityStatement', request) };
  };
}

async function freshness(snapshot: Snapshot | undefined, created: string | undefined): Promise<string> {
  if (!snapshot) return 'No edition of the directory is in service at the moment.';
  const counts = await snapshot.counts();
  const imported = created === undefined ? '' : `, imported ${created}`;
  return `Edition ${snapshot.id}${imported}: ${counts.Practitioner} practitioners, ${counts.Organization} organizations, ${counts.PractitionerRole} roles.`;
}

function statement(options: MetadataOptions, now: { date: string; freshness: string }) {
  const { base, version, publication, exported } = options;
  return {
    resourceType: 'CapabilityStatement',
    url: `${base}/metadata`,
    version,
    name: 'Professional Directory v2',
    status: 'active',
    ...(publication?.sandbox !== undefined && { experimental: true }),
    date: now.date,
    ...(publication && published(publication)),
    description: 'A read-only directory of health professionals and care structures, FHIR STU3.',
    kind: 'instance',
    software: { name: 'Hygie', version },
    implementation: { description: `${kindOf(publication)} ${now.freshness}`, url: base },
    fhirVersion: '3.0.2',
    acceptUnknown: 'no',
    format: FORMATS,
    rest: [
      {
        mode: 'server',
        documentation: publication ? `${SEARCHES} Reference: ${publication.docs}` : SEARCHES,
        security: security(options),
        resource: SERVED.map((table) => resource(table, base)),
        interaction: [{ code: 'batch', documentation: BATCH }],
        ...(exported && { operation: [EXPORT] }),
      },
    ],
  };
}

function kindOf(publication: Publication | undefined): string {
  const kind = 'Directory of health professionals.';
  const page = publication?.sandbox;
  return page === undefined ? kind : `SANDBOX for tests, with fictional people (${page}). ${kind}`;
}

function published({ publisher, supportUrl, reportUrl }: Publication): object {
  const contact = [
    ...(supportUrl === undefined ? [] : [{ telecom: [contactPoint(supportUrl)] }]),
    ...(reportUrl === undefined ? [] : [{ name: 'Errors in records', telecom: [contactPoint(reportUrl)] }]),
  ];
  return { publisher, ...(contact.length > 0 && { contact }) };
}

function contactPoint(address: string): object {
  if (!address.startsWith('mailto:')) return { system: 'url', value: address };
  return { system: 'email', value: address.slice('mailto:'.length).split('?')[0] };
}

function security({ authorizationServer }: MetadataOptions) {
  const { issuer } = authorizationServer;
  const needs = SERVED.map((table) => `${table.type}: ${needOf(table)}`).join(' ');
  return {
    extension: [
      {
        url: OAUTH_URIS,
        extension: OAUTH_ADDRESSES.flatMap(([url, name]) => {
          const valueUri = authorizationServer[name];
          return valueUri === undefined ? [] : [{ url, valueUri }];
        }),
      },
    ],
    cors: true,
    service: ['OAuth', 'SMART-on-FHIR'].map((code) => ({
      coding: [{ system: 'http://hl7.org/fhir/restful-security-service', code }],
    })),
    description: `Authorization: Bearer with the access token of a person who signed in at ${issuer}, or of a server that its operator lets read with a token of its own (client credentials). ${needs}`,
  };
}

function needOf({ scopes }: ParameterTable): string {
  if (scopes.length === 0) return 'Open to everybody, without a token.';
  return `Needs the scope ${scopes.join(' and ')}.`;
}

function sorting(table: ParameterTable): string {
  const values = sortValues(table);
  return values.length > 0
    ? `_sort takes ${values.join(' or ')}. What lacks the value comes last, and first with -.`
    : '';
}

function chaining({ type }: ParameterTable): string {
  const starts = chainsOf(type).map(({ prefix }) => prefix);
  return starts.length > 0 ? `Chains begin with ${starts.join(', ')}.` : '';
}

function resource(table: ParameterTable, base: string) {
  const { type, documentation, parameters } = table;
  return {
    type,
    profile: { reference: `http://hl7.org/fhir/StructureDefinition/${type}` },
    documentation: [documentation, needOf(table), chaining(table), sorting(table)].filter(Boolean).join(' '),
    interaction: [
      { code: 'read' },
      { code: 'vread', documentation: 'The current version only.' },
      {
        code: 'search-type',
        documentation: `GET /${type}?... or /${type}/_search?..., or POST /${type}/_search with a form.`,
      },
    ],
    versioning: 'versioned',
    readHistory: false,
    updateCreate: false,
    conditionalCreate: false,
    conditionalRead: 'full-support',
    conditionalUpdate: false,
    conditionalDelete: 'not-supported',
    ...nonEmpty('searchInclude', inclusions(table, false)),
    ...nonEmpty('searchRevInclude', inclusions(table, true)),
    searchParam: parameters.map((parameter) => searchParam(table, parameter, base)),
  };
}

/** Leaves an empty list out, because STU3 has no empty arrays. */
function nonEmpty(name: string, values: readonly string[]): object {
  return values.length > 0 ? { [name]: values } : {};
}

function inclusions({ type }: ParameterTable, reverse: boolean): readonly string[] {
  const values = includeValues(type, { reverse });
  return values.length > 0 ? [...values, '*'] : [];
}

function searchParam(table: ParameterTable, parameter: Parameter, base: string) {
  const { name, type } = parameter;
  const modifiers = writtenModifiers(parameter).map((modifier) => `:${modifier}`);
  const documentation =
    modifiers.length > 0 ? `${parameter.documentation} Modifiers: ${modifiers.join(', ')}.` : parameter.documentation;
  return { name, definition: definitionOf(base, table, parameter), type, documentation };
}
