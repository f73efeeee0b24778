// A search as it is understood, whole: the clauses of each matching rule and modifier, the order, the inclusions, the links and the notes.

import { describe, expect, it } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { rows } from '#support/rows.ts';
import { own, parse, saidOf } from './understanding.ts';

describe('a search as it is understood', () => {
  withOwnSnapshots(import.meta.filename);

  /** Of a search without parameters. */
  const NOTHING = Object.entries(parse(PRACTITIONER, ''));
  /** What is otherwise than without parameters. Notes have tests of their own. */
  const understood = (table: ParameterTable, query: string): string[] => {
    const { notes: _, ...search } = parse(table, query);
    const usual = new Map(NOTHING.map(([key, value]) => [key, rows(value)]));
    return Object.entries(search).flatMap(([key, value]) =>
      usual.get(key) === rows(value) ? [] : `${key}: ${rows(value)}`.split('\n'),
    );
  };

  it('without parameters', () => {
    expect(parse(PRACTITIONER, '')).toEqual({
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
    });
  });

  it.each([
    [
      'words',
      `Practitioner?name=duv Practitioner?name=dr+duv,Wu Practitioner?address=--,ab Practitioner?family:exact=Le+Gall
      Organization?name=C.H.U.+ab Organization?name=dr+duv`,
    ],
    [
      'values',
      `Practitioner?identifier=1 Practitioner?identifier=s%7C1,%7C2,s%7C
      Practitioner?identifier=${own.namespace.replace('https', 'http')}/fhir/Identifier/practitioner-rpps%7C1
      Practitioner?identifier=s%5C%7C1,2 Practitioner?identifier=a%5C,b Practitioner?identifier:not=1
      Practitioner?qualification=s%7C10 Practitioner?qualification=%7C10 Practitioner?qualification=Xyzzy
      Practitioner?qualification=... Practitioner?qualification:text=Xyz,Zyx Practitioner?active=false Practitioner?active:not=true
      Practitioner?_id=a,b-.9 Practitioner?_id=${'a'.repeat(64)} SearchParameter?url=a%5C%7Cb`,
    ],
    [
      'what is missing',
      `Practitioner?name:missing=true Practitioner?name:missing=false Practitioner?telecom:missing=false
      Practitioner?phone:missing=true Practitioner?mailbox-mss:missing=false`,
    ],
    [
      'contacts',
      `Practitioner?telecom=A@x.example Practitioner?telecom=phone%7C01+23 Practitioner?telecom=fax%7C Practitioner?email=A@x.example
      Practitioner?email=email%7CA@x.example Practitioner?email=phone%7C1 Practitioner?email=email%7C
      Practitioner?phone=%2B33+1-2.3(4)/5 Practitioner?phone=x1 Practitioner?mailbox-mss=email%7CA@x.example`,
    ],
    ['instants', 'Practitioner?_lastUpdated=2026-11-21,gt2027'],
    ['places', 'Organization?near=46.5|-6,+47|6|2|m Organization?near=-90|180|0.5'],
    [
      'references and chains',
      `Organization?part-of=a Organization?partof=Organization/a Organization?partof:Organization=${own.base}/Organization/a
      Organization?partof=https://x.example/Organization/a PractitionerRole?practitioner.name=ab
      PractitionerRole?organization:Organization.name:exact=Ab Practitioner?_has:PractitionerRole:practitioner:role=L`,
    ],
    [
      'pages, totals and forms',
      `Practitioner?_count=7 Practitioner?_count=200 Practitioner?_count=201 Practitioner?_count=0
      Practitioner?_summary=count&_total=none Practitioner?_summary=false Practitioner?_summary=true Practitioner?_summary=text
      Practitioner?_summary=data Practitioner?_elements=id,+name,id Practitioner?_total=none Practitioner?_total=accurate
      Practitioner?_total=estimate Practitioner?_total=estimated Practitioner?_totalMethod=count
      Practitioner?_pretty=true&_format=xml Practitioner?_pretty=false`,
    ],
    [
      'orders',
      'Practitioner?_sort=-given Practitioner?_sort=family,given PractitionerRole?_sort=_lastUpdated&_count=1',
    ],
    [
      'inclusions',
      `PractitionerRole?_include=* PractitionerRole?_include:recurse=* Organization?_revinclude=*&_count=3
      Organization?_include=Organization:partof&_include:iterate=Organization:part-of`,
    ],
  ])('%s', (_what, searches) => {
    expect(saidOf(searches, understood)).toMatchSnapshot();
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
