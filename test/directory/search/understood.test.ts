// A search as it is understood, whole: the clauses of each matching rule and modifier, the order, the inclusions, the links and the notes.

import { describe, expect, it } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { SEARCH_PARAMETER } from '#directory/resources/search-parameter.ts';
import type { Clause, QueryWord } from '#search-index/index.ts';
import { own, parse } from './understanding.ts';

const word = (prefix: string, more: Partial<QueryWord> = {}): QueryWord => ({
  prefix,
  whole: [],
  joined: [prefix],
  ...more,
});
const exact = (field: string, ...anyOf: string[]): Clause => ({ field, match: 'exact', anyOf });
const RPPS = `${own.namespace}/fhir/Identifier/practitioner-rpps`;

describe('the clause of a criterion', () => {
  it.each<[ParameterTable, string, Clause]>([
    [PRACTITIONER, 'name=duv', { field: 'name', match: 'words', anyOf: [[word('duv')]] }],
    [
      PRACTITIONER,
      'name=dr+duv,Wu',
      { field: 'name', match: 'words', anyOf: [[word('duv', { whole: ['drduv'] })], [word('wu')]] },
    ],
    [PRACTITIONER, 'address=--,ab', { field: 'address', match: 'words', anyOf: [[word('ab')]] }],
    [
      PRACTITIONER,
      'family:exact=Le+Gall',
      { field: 'family', match: 'words', anyOf: [[{ whole: ['le'] }, { whole: ['gall'] }]] },
    ],
    [PRACTITIONER, 'identifier=1', exact('identifier', '1')],
    [PRACTITIONER, 'identifier=s%7C1,%7C2,s%7C', exact('identifier', 's|1', '|2', 's|')],
    [PRACTITIONER, `identifier=${RPPS.replace('https', 'http')}%7C1`, exact('identifier', `${RPPS}|1`)],
    [PRACTITIONER, 'identifier=s%5C%7C1,2', exact('identifier', '2')],
    [PRACTITIONER, 'identifier=a%5C,b', exact('identifier', 'a,b')],
    [PRACTITIONER, 'identifier:not=1', { field: 'identifier', match: 'exact', anyOf: ['1'], not: true }],
    [PRACTITIONER, 'qualification=s%7C10', exact('qualification', 's|10')],
    [PRACTITIONER, 'qualification=%7C10', exact('qualification', '|10')],
    [PRACTITIONER, 'qualification=Xyzzy', exact('qualification', 'Xyzzy', '~xyzzy')],
    [PRACTITIONER, 'qualification=...', exact('qualification', '...')],
    [
      PRACTITIONER,
      'qualification:text=Xyz,Zyx',
      { field: 'qualification', match: 'beginning', anyOf: ['~xyz', '~zyx'] },
    ],
    [PRACTITIONER, 'active=false', exact('active', 'false')],
    [PRACTITIONER, 'active:not=true', { field: 'active', match: 'exact', anyOf: ['true'], not: true }],
    [PRACTITIONER, '_id=a,b-.9', exact('id', 'a', 'b-.9')],
    [PRACTITIONER, `_id=${'a'.repeat(64)}`, exact('id', 'a'.repeat(64))],
    [PRACTITIONER, 'name:missing=true', { field: 'name', match: 'present', present: false }],
    [PRACTITIONER, 'name:missing=false', { field: 'name', match: 'present', present: true }],
    [PRACTITIONER, 'telecom:missing=false', { field: 'telecom', match: 'present', present: true }],
    [PRACTITIONER, 'phone:missing=true', { field: 'telecom', match: 'exact', anyOf: ['phone|'], not: true }],
    [PRACTITIONER, 'mailbox-mss:missing=false', { field: 'telecom', match: 'exact', anyOf: ['mss|'], not: false }],
    [PRACTITIONER, 'telecom=A@x.example', exact('telecom', 'a@x.example')],
    [PRACTITIONER, 'telecom=phone%7C01+23', exact('telecom', 'phone|01 23', 'phone|0123')],
    [PRACTITIONER, 'telecom=fax%7C', exact('telecom', 'fax|')],
    [PRACTITIONER, 'email=A@x.example', exact('telecom', 'email|a@x.example')],
    [PRACTITIONER, 'email=email%7CA@x.example', exact('telecom', 'email|a@x.example')],
    [PRACTITIONER, 'email=phone%7C1', exact('telecom')],
    [PRACTITIONER, 'email=email%7C', exact('telecom', 'email|')],
    [PRACTITIONER, 'phone=%2B33+1-2.3(4)/5', exact('telecom', 'phone|+33 1-2.3(4)/5', 'phone|012345')],
    [PRACTITIONER, 'phone=x1', exact('telecom', 'phone|x1')],
    [PRACTITIONER, 'mailbox-mss=email%7CA@x.example', exact('telecom')],
    [
      PRACTITIONER,
      '_lastUpdated=2026-11-21,gt2027',
      {
        field: '_lastUpdated',
        match: 'range',
        anyOf: [{ from: Date.UTC(2026, 10, 21), to: Date.UTC(2026, 10, 22) }, { from: Date.UTC(2028, 0) }],
      },
    ],
    [
      ORGANIZATION,
      'name=C.H.U.+ab',
      { field: 'name', match: 'words', anyOf: [[word('chu'), word('ab', { whole: ['chuab'] })]] },
    ],
    [
      ORGANIZATION,
      'name=dr+duv',
      {
        field: 'name',
        match: 'words',
        anyOf: [[word('dr', { whole: ['docteur'] }), word('duv', { whole: ['drduv'] })]],
      },
    ],
    [
      ORGANIZATION,
      'near=46.5|-6,+47|6|2|m',
      {
        field: 'near',
        match: 'near',
        anyOf: [
          { latitude: 46.5, longitude: -6, metres: 10_000, unit: 'km' },
          { latitude: 47, longitude: 6, metres: 2, unit: 'm' },
        ],
      },
    ],
    [
      ORGANIZATION,
      'near=-90|180|0.5',
      { field: 'near', match: 'near', anyOf: [{ latitude: -90, longitude: 180, metres: 500, unit: 'km' }] },
    ],
    [ORGANIZATION, 'part-of=a', exact('part-of', 'Organization/a')],
    [ORGANIZATION, 'partof=Organization/a', exact('part-of', 'Organization/a')],
    [ORGANIZATION, `partof:Organization=${own.base}/Organization/a`, exact('part-of', 'Organization/a')],
    [ORGANIZATION, 'partof=https://x.example/Organization/a', exact('part-of')],
    [
      PRACTITIONER_ROLE,
      'practitioner.name=ab',
      {
        match: 'chained',
        field: 'practitioner',
        of: 'Practitioner',
        clauses: [{ field: 'name', match: 'words', anyOf: [[word('ab')]] }],
      },
    ],
    [
      PRACTITIONER_ROLE,
      'organization:Organization.name:exact=Ab',
      {
        match: 'chained',
        field: 'organization',
        of: 'Organization',
        clauses: [{ field: 'name', match: 'words', anyOf: [[{ whole: ['ab'] }]] }],
        exactly: [{ field: 'name', texts: ['Ab'] }],
      },
    ],
    [
      PRACTITIONER,
      '_has:PractitionerRole:practitioner:role=L',
      {
        match: 'has',
        field: 'practitioner',
        of: 'PractitionerRole',
        clauses: [{ field: 'role', match: 'exact', anyOf: ['L', '~l'] }],
      },
    ],
    [SEARCH_PARAMETER, 'url=a%5C%7Cb', exact('url', 'a|b')],
  ])('%#: %s', (table, query, clause) => {
    const { clauses, hashed, criteria, notes: _notes, ...others } = parse(table, query);
    expect(clauses).toEqual([clause]);
    expect([hashed, criteria]).toEqual([new URLSearchParams(query).toString(), hashed]);
    const exactly = /:exact=/.test(query) && !query.includes('.') ? [{ field: 'family', texts: ['Le Gall'] }] : [];
    expect(others).toEqual({ count: 50, totalOnly: false, total: 'unless-costly', links: '', exactly, inclusions: [] });
  });

  it('names of abbreviations and neighbours stand for one another', () => {
    const [address] = parse(ORGANIZATION, 'address=bd').clauses;
    expect(address).toMatchObject({ anyOf: [[{ prefix: 'bd', whole: expect.arrayContaining(['boulevard']) }]] });
    const [name] = parse(PRACTITIONER, 'name=le+gall').clauses;
    expect(JSON.stringify(name)).toContain('"whole":["legall"]');
    const [label] = parse(PRACTITIONER, 'qualification=docteur').clauses;
    expect(label).toMatchObject({ anyOf: expect.arrayContaining(['docteur', '~docteur', '~medecin', '~medecin sm']) });
    const [beginning] = parse(PRACTITIONER, 'qualification:text=docte').clauses;
    expect(beginning).toMatchObject({ anyOf: ['~docte'], whole: expect.arrayContaining(['~medecin', '~medecin sst']) });
  });
});

describe('what a search asks for beside its criteria', () => {
  const PATHS = {
    practitioner: {
      source: 'PractitionerRole',
      name: 'practitioner',
      target: 'Practitioner',
      field: 'practitioner',
      element: 'practitioner',
    },
    organization: {
      source: 'PractitionerRole',
      name: 'organization',
      target: 'Organization',
      field: 'organization',
      element: 'organization',
    },
    partOf: { source: 'Organization', name: 'part-of', target: 'Organization', field: 'part-of', element: 'partOf' },
    partof: { source: 'Organization', name: 'partof', target: 'Organization', field: 'part-of', element: 'partOf' },
  };
  const forth = (path: object, recurse = false) => ({ path, reverse: false, recurse });
  const back = (path: object, recurse = false) => ({ path, reverse: true, recurse });
  const NOTHING = {
    clauses: [],
    exactly: [],
    inclusions: [],
    notes: [],
    hashed: '',
    criteria: '',
    links: '',
    count: 50,
    totalOnly: false,
    total: 'unless-costly',
  };
  const links = (text: string) => ({ links: text, criteria: text });
  it.each<[ParameterTable, string, object]>([
    [PRACTITIONER, '', {}],
    [PRACTITIONER, '_count=7', { count: 7, ...links('_count=7') }],
    [PRACTITIONER, '_count=200', { count: 200, ...links('_count=200') }],
    [PRACTITIONER, '_count=201', { count: 200, ...links('_count=200') }],
    [PRACTITIONER, '_count=0', { count: 0, totalOnly: true, total: true, ...links('_count=0') }],
    [
      PRACTITIONER,
      '_summary=count&_total=none',
      { totalOnly: true, total: true, ...links('_summary=count&_total=none') },
    ],
    [PRACTITIONER, '_summary=false', links('_summary=false')],
    ...['true', 'text', 'data'].map((summary): [ParameterTable, string, object] => [
      PRACTITIONER,
      `_summary=${summary}`,
      { subset: { summary }, ...links(`_summary=${summary}`) },
    ]),
    [
      PRACTITIONER,
      '_elements=id,+name,id',
      { subset: { elements: ['id', 'name'] }, ...links('_elements=id%2C+name%2Cid') },
    ],
    [PRACTITIONER, '_total=none', { total: false, ...links('_total=none') }],
    ...['accurate', 'estimate', 'estimated'].map((total): [ParameterTable, string, object] => [
      PRACTITIONER,
      `_total=${total}`,
      { total: true, ...links(`_total=${total}`) },
    ]),
    [PRACTITIONER, '_totalMethod=count', { total: true, ...links('_totalMethod=count') }],
    [PRACTITIONER, '_pretty=true&_format=xml', { pretty: true, format: 'xml', ...links('_pretty=true&_format=xml') }],
    [PRACTITIONER, '_pretty=false', { pretty: false, ...links('_pretty=false') }],
    [
      PRACTITIONER,
      '_sort=-given',
      { order: { by: 'field', field: 'given', descending: true }, hashed: '_sort=-given', criteria: '_sort=-given' },
    ],
    [
      PRACTITIONER,
      '_sort=family,given',
      {
        order: { by: 'alphabet', descending: false },
        hashed: '_sort=family%2Cgiven',
        criteria: '_sort=family%2Cgiven',
      },
    ],
    [
      PRACTITIONER_ROLE,
      '_sort=_lastUpdated&_count=1',
      {
        order: { by: 'updated', descending: false },
        count: 1,
        hashed: '_sort=_lastUpdated',
        links: '_count=1',
        criteria: '_sort=_lastUpdated&_count=1',
      },
    ],
    [
      PRACTITIONER_ROLE,
      '_include=*',
      { inclusions: [forth(PATHS.practitioner), forth(PATHS.organization)], criteria: '_include=*' },
    ],
    [
      PRACTITIONER_ROLE,
      '_include:recurse=*',
      {
        inclusions: [forth(PATHS.partof, true), forth(PATHS.practitioner, true), forth(PATHS.organization, true)],
        criteria: '_include%3Arecurse=*',
      },
    ],
    [
      ORGANIZATION,
      '_revinclude=*&_count=3',
      {
        inclusions: [back(PATHS.partOf), back(PATHS.organization)],
        count: 3,
        links: '_count=3',
        criteria: '_revinclude=*&_count=3',
      },
    ],
    [
      ORGANIZATION,
      '_include=Organization:partof&_include:iterate=Organization:part-of',
      {
        inclusions: [forth(PATHS.partOf, true)],
        criteria: '_include=Organization%3Apartof&_include%3Aiterate=Organization%3Apart-of',
      },
    ],
  ])('%#: %s', (table, query, asked) => {
    expect(parse(table, query)).toEqual({ ...NOTHING, ...asked });
  });
});
