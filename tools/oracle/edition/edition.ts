// An edition as its files state it: people, their roles, structures.

import { joined } from '../rules/words.ts';
import { distinct, ofActivity } from './addresses.ts';
import { type Concepts, createConcepts } from './concepts.ts';
import { type Edition, type Entry, nothing, type Type } from './entry.ts';
import { type Line, type Registers, readRegisters } from './registers.ts';
import { secure, structureOf, structuresOf } from './structures.ts';

/** Reads the edition in a folder. */
export function readEdition(folder: string): Edition {
  const registers = readRegisters(folder);
  const concepts = createConcepts();
  const entries: Edition['entries'] = {
    Practitioner: peopleOf(registers, concepts),
    Organization: structuresOf(registers, concepts),
    PractitionerRole: rolesOf(registers, concepts),
  };
  const numbered = (type: Type) => new Map(entries[type].map(({ id }, number) => [id, number]));
  return {
    entries,
    numbers: {
      Practitioner: numbered('Practitioner'),
      Organization: numbered('Organization'),
      PractitionerRole: numbered('PractitionerRole'),
    },
  };
}

const byPerson = (lines: readonly Line[]) => Map.groupBy(lines, ({ person = '' }) => person);

/** Systems of a person's numbers. That of the service depends on its configuration. */
const PERSON = {
  national: 'urn:oid:1.2.250.1.71.4.2.1',
  rpps: 'https://rpps.esante.gouv.fr',
  own: '{own}practitioner-rpps',
};

function peopleOf({ activities, diplomas, skills, mailboxes }: Registers, concepts: Concepts): Entry[] {
  const [diplomasOf, skillsOf, boxesOf] = [
    byPerson(diplomas),
    byPerson(skills),
    byPerson(mailboxes.filter(({ type }) => type === 'PER')),
  ];
  return [...byPerson(activities)].map(([id, lines]) => {
    const [{ family = '', given = '', rpps = '', idType }] = lines as [Line];
    const own = { diplomas: diplomasOf.get(id) ?? [], skills: skillsOf.get(id) ?? [] };
    const numbers = idType === '8' && rpps !== '';
    return {
      ...nothing,
      type: 'Practitioner',
      id,
      alphabet: `${joined(family)}\t${joined(given)}`,
      names: [family, given].filter(Boolean),
      family,
      given,
      identifiers: [
        [PERSON.national, id],
        ...(numbers
          ? ([
              [PERSON.rpps, rpps],
              [PERSON.own, rpps],
            ] as const)
          : []),
      ],
      addresses: distinct(lines.map(ofActivity), 'whole'),
      contacts: secure(boxesOf.get(id) ?? []),
      concepts: {
        qualification: [
          ...new Set([
            ...lines.flatMap(concepts.professionOf),
            ...[...lines, ...own.skills].flatMap(concepts.skillOf),
            ...own.diplomas.flatMap(concepts.diplomaOf),
            ...own.diplomas.flatMap(concepts.permitOf),
          ]),
        ],
      },
    };
  });
}

/** The content by which a role is known; its id is the service's own affair. */
export function roleKey(person: string, structure: string, codes: readonly string[]): string {
  return [person, structure, ...codes.toSorted()].join('|');
}

function rolesOf({ activities }: Registers, { waysOf, skillOf }: Concepts): Entry[] {
  const roles = new Map<string, { line: Line; structure: string | undefined; lines: Line[] }>();
  for (const line of activities) {
    const { person = '' } = line;
    const structure = structureOf(line);
    const codes = waysOf(line).flatMap((concept) => concept.map(({ code }) => code));
    if (structure === undefined && codes.length === 0) continue;
    const key = roleKey(person, structure ?? '', codes);
    const known = roles.get(key);
    if (known) known.lines.push(line);
    else roles.set(key, { line, structure, lines: [line] });
  }
  return [...roles].map(([id, { line, structure, lines }]) => ({
    ...nothing,
    type: 'PractitionerRole',
    id,
    alphabet: '',
    concepts: { role: waysOf(line), specialty: [...new Set(lines.flatMap(skillOf))] },
    references: { practitioner: line['person'] ?? '', ...(structure !== undefined && { organization: structure }) },
  }));
}
