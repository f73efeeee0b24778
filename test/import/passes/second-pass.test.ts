// The second pass: what the lines of one bucket become, person by person, and what is said of them.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createStructureSpill, groupStructures } from '#import/passes/buckets.ts';
import { createPeople } from '#import/passes/map-people.ts';
import { createSpillFiles } from '#import/passes/spill-file.ts';
import {
  A,
  ACTIVITY_COLUMNS,
  D,
  DIPLOMA_COLUMNS,
  M,
  MAILBOX_COLUMNS,
  S,
  SKILL_COLUMNS,
} from '#import/registers/person-columns.ts';
import { bindingOf, type Cells, lineOf, mappingContext, warningsOf } from '#support/import/lines.ts';
import { newFolder } from '#support/new-folder.ts';

const REGISTERS = {
  activities: { kind: 1, columns: ACTIVITY_COLUMNS, at: A as Readonly<Record<string, number>> },
  diplomas: { kind: 2, columns: DIPLOMA_COLUMNS, at: D },
  skills: { kind: 3, columns: SKILL_COLUMNS, at: S },
  mailboxes: { kind: 4, columns: MAILBOX_COLUMNS, at: M },
} as const;
const KINDS = ['activities', 'diplomas', 'skills', 'mailboxes'] as const;
type Register = (typeof KINDS)[number];

describe('import: the second pass', () => {
  /** Maps lines of registers, in this order in one bucket; `text` stands for a whole line, a number of kind 5 for a FHIR resource. */
  function mapped(...lines: readonly (readonly [Register | 'fhir', Cells | string])[]) {
    const collector = createCollector();
    const folder = newFolder();
    const spill = createSpillFiles(folder, 'people', 1);
    const structures = createSpillFiles(folder, 'structures', 1);
    const sources = KINDS.map((kind, file) => {
      const recognised = { kind, headerLines: 1, binding: bindingOf(REGISTERS[kind].columns) };
      return { file, recognised, report: { name: `${kind}.txt`, kind, lines: 0, leftOut: 0 } };
    });
    for (const [index, [register, cells]] of lines.entries()) {
      if (register === 'fhir') {
        spill.addText(0, 5, 4, index + 2, String(cells));
        continue;
      }
      const { kind, at } = REGISTERS[register];
      const line = typeof cells === 'string' ? cells : lineOf(at, cells).join('|');
      spill.addText(0, kind, KINDS.indexOf(register), index + 2, line);
    }
    spill.seal();
    const mail: unknown[] = [];
    const people = createPeople({
      mapping: mappingContext(collector),
      sources,
      structures: createStructureSpill(structures),
      collector,
      mail: { add: (...given) => void mail.push(given) },
    });
    const found = [...people.resources(spill.take(0))];
    structures.seal();
    const structureRows = [...groupStructures(structures.take(0))];
    const spilled = structureRows.map(([id, records]) => [
      id,
      ...records.map(({ kind, file, line }) => [kind, file, line]),
    ]);
    const rows = structureRows.flatMap(([, records]) => records.map(({ row }) => row));
    const reports = sources.map(({ report }) => report);
    return { collector, found, mail, spilled, rows, reports, warnings: warningsOf(collector) };
  }
  const ids = (found: readonly object[]) =>
    found.map((one) => ('doubtful' in one ? one : `${(one as { type: string }).type}/${(one as { id: string }).id}`));
  const jeanne = {
    nationalId: '8191',
    family: 'MARTIN',
    given: 'Jeanne',
    profession: '10',
    technicalId: 'R1',
    name: 'CABINET',
    siret: '99',
    formerId: '7',
    legalFiness: '690000021',
  };

  it('people come by number, each with its roles, and pass their structures on', () => {
    const { found, mail, spilled, rows, warnings, collector, reports } = mapped(
      ['activities', { ...jeanne, nationalId: '8192', technicalId: '', mode: 'L' }],
      ['activities', { ...jeanne, phone: '0199000001' }],
      ['activities', { ...jeanne, phone: '0199000001', mode: 'S' }],
      ['activities', { ...jeanne, phone: '0199000001', mode: 'S' }],
      ['diplomas', { nationalId: '8191', diploma: 'DE28' }],
      ['skills', { nationalId: '8191', skill: 'SM26' }],
      ['mailboxes', { nationalId: '8191', address: 'jeanne.martin@x.example' }],
      ['mailboxes', { nationalId: '8191', address: 'none' }],
      ['activities', '8|1|8193'],
    );
    expect(ids(found)).toEqual([
      'Practitioner/8191',
      ...[expect.stringMatching(/^PractitionerRole\/8191-/), expect.stringMatching(/^PractitionerRole\/8191-/)],
      'Practitioner/8192',
      expect.stringMatching(/^PractitionerRole\/8192-/),
    ]);
    const [practitioner] = found as { resource: Record<string, unknown[]> }[];
    expect(practitioner?.resource).toMatchObject({
      qualification: { length: 3 },
      telecom: [{ value: 'jeanne.martin@x.example' }],
    });
    expect(mail).toEqual([
      ['R1', { siret: '99', name: 'CABINET', nationalId: '7' }],
      ['C99', { siret: '99', name: 'CABINET', nationalId: '7' }],
    ]);
    expect(spilled).toEqual([
      ['C99', [1, 0, 2]],
      ['F690000021', [4, 0, 0]],
      ['R1', [1, 0, expect.any(Number)]],
    ]);
    // Of the person nothing goes on.
    const named = { siret: '99', name: 'CABINET', formerId: '7', legalFiness: '690000021' };
    expect(rows).toEqual([
      lineOf(A, named).slice(0, A.sectorLabel + 1),
      ['690000021'],
      lineOf(A, { ...named, technicalId: 'R1', phone: '0199000001' }).slice(0, A.sectorLabel + 1),
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/^duplicate-line activities\.txt, line [345]$/),
      'unknown-person 8193, activities.txt, line 10',
    ]);
    expect(reports.map(({ leftOut }) => leftOut)).toEqual([1, 0, 0, 1]);
    expect(collector.linesLeftOut().examples.map(({ file, line, reason }) => `${file} ${line}: ${reason}`)).toEqual([
      'mailboxes.txt 9: no mail address',
      `activities.txt 10: 3 cells instead of ${ACTIVITY_COLUMNS.length}`,
    ]);
    const { consistency, populations, pairs } = collector;
    expect(consistency.all.fused).toMatchObject({ checked: 2, odd: 0 });
    expect(consistency.all.withoutStructure).toMatchObject({ checked: 2, odd: 0 });
    expect(populations.measured()).toMatchObject({ people: 2, lines: 3, addresses: 1 });
    const counted = Object.fromEntries(pairs.all().map(({ key, checked, odd }) => [key, [odd, checked]]));
    expect(counted).toMatchObject({ ownPhones: [0, 1], ownSirets: [0, 1], mailboxNames: [0, 1] });
  });

  it('two lines of one structure are held against each other, and those without one are counted', () => {
    const other = { ...jeanne, nationalId: '8192', siret: '98', street: 'PASTEUR', phone: '0199000002' };
    const { collector, spilled } = mapped(
      ['activities', { ...jeanne, street: 'LECLERC', phone: '0199000001' }],
      ['activities', other],
      ['activities', { nationalId: '8193', family: 'A', given: 'B', mode: 'L' }],
      ['activities', { ...other, nationalId: '8194' }],
    );
    const counted = Object.fromEntries(collector.pairs.all().map(({ key, checked, odd }) => [key, [odd, checked]]));
    // The second value of a structure is odd, and the same again takes its place.
    expect(counted).toMatchObject({ ownPhones: [2, 2], ownStreets: [2, 2], ownSirets: [2, 2] });
    expect(collector.consistency.all.withoutStructure).toMatchObject({ checked: 4, odd: 1, examples: ['8193'] });
    expect(spilled.find(([id]) => id === 'R1')).toEqual(['R1', [1, 0, 2], [1, 0, 3]]);
  });

  it('people whom the activities lack are counted with what the others say', () => {
    const { found, collector, warnings } = mapped(
      ['skills', { nationalId: '8191', profession: '50' }],
      ['skills', { nationalId: '8191', profession: '60' }],
      ['mailboxes', { nationalId: '8191', profession: '50', address: 'a@x.example' }],
    );
    expect([found, warnings]).toEqual([[], ['unknown-person 8191, skills.txt, line 2']]);
    const { unknownInSkills, unknownInMailboxes, unknownInDiplomas } = collector.consistency.all;
    const groups = { 'profession 50': { checked: 1, odd: 1 } };
    expect([unknownInSkills, unknownInMailboxes]).toMatchObject([
      { odd: 1, groups },
      { odd: 1, groups },
    ]);
    expect(unknownInDiplomas.checked).toBe(0);
  });

  it('two people under one number are doubtful, with the one whom others confirm', () => {
    const paul = { ...jeanne, family: 'DUPONT', given: 'Paul' };
    const lines = [
      ['activities', jeanne],
      ['activities', paul],
    ] as const;
    const { found, collector } = mapped(...lines);
    const both = expect.stringMatching(/^"(MARTIN Jeanne|DUPONT Paul)" \(activities\.txt, line [23]\) and "/);
    const doubtful = { type: 'Practitioner', id: '8191' };
    expect(found).toEqual([
      {
        doubtful,
        fallback: [],
        fallbackText: 'left out',
        warning: { kind: 'fused-people', text: both },
        isGiven: expect.any(Function),
      },
    ]);
    expect(collector.consistency.all.fused).toMatchObject({ odd: 1, examples: ['8191'] });
    const [confirmed] = mapped(...lines, [
      'diplomas',
      { nationalId: '8191', family: 'DUPONT', given: 'PAUL', diploma: 'DE28' },
    ]).found;
    expect(confirmed).toMatchObject({
      fallbackText: 'taken for "DUPONT Paul", as other registers have it',
      fallback: [{ type: 'Practitioner', id: '8191' }, { type: 'PractitionerRole' }],
    });
  });

  it('resources that came as FHIR stand in place of those of registers', () => {
    const given = { resourceType: 'Practitioner', id: '8191', name: [{ family: 'GIVEN' }] };
    const text = JSON.stringify({ ...given, meta: { lastUpdated: '2026-01-01' } });
    const { found, warnings } = mapped(['activities', jeanne], ['fhir', text], ['fhir', text]);
    expect(ids(found)).toEqual([expect.stringMatching(/^PractitionerRole\/8191-/), 'Practitioner/8191']);
    expect(found[1]).toMatchObject({ resource: given });
    expect(warnings).toEqual(['repeated-resource Practitioner/8191', 'resource-over-register Practitioner/8191']);
  });

  it('a person of more than ten thousand lines is refused', () => {
    const skill = ['skills', { nationalId: '8191', skill: 'SM26' }] as const;
    const lines = Array.from({ length: 10_000 }, () => skill);
    expect(mapped(...lines).found).toEqual([]);
    expect(() => mapped(...lines, skill)).toThrow(
      'skills.txt, line 10002: too many lines are about 8191. Is an identifier repeated in place of many?',
    );
  });

  it('a person without a name is a warning', () => {
    expect(mapped(['activities', { nationalId: '8191', mode: 'L' }]).warnings).toEqual(['no-name 8191']);
  });
});
