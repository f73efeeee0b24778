// The draws of fictional people: the same for the same seed; and an edition that is never written over another.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createDraw } from '#sandbox/draw.ts';
import { withCheckDigit } from '#sandbox/numbers.ts';
import { copiesOfStructures, moved, peopleOfDay, personOf, structureMailbox, withMailbox } from '#sandbox/people.ts';
import { SHIPPED_EDITION } from '#sandbox/shipped-edition.ts';
import { writeEdition } from '#sandbox/write-edition.ts';
import { newFolder } from '#support/new-folder.ts';

describe('draws', () => {
  const drawn = (seed: number) => {
    const draw = createDraw(seed);
    return Array.from({ length: 6 }, () => draw.between(1, 1000));
  };
  const ONE = [628, 3, 528, 982, 969, 282];
  it('are the same for a seed, and others for another', () => {
    expect([drawn(1), drawn(2), drawn(2 ** 32 + 1)]).toEqual([ONE, [735, 325, 286, 538, 876, 631], ONE]);
  });

  it('are within their bounds, both included, and from a list that has something', () => {
    const draw = createDraw(3);
    const seen = new Set(Array.from({ length: 200 }, () => draw.between(-1, 2)));
    expect([...seen].sort((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
    expect(new Set(Array.from({ length: 50 }, () => draw.one(['a', 'b'])))).toEqual(new Set(['a', 'b']));
    expect(() => draw.one([])).toThrow('the data has nothing to draw such a query from');
  });
});

describe('an edition of fictional people', () => {
  it('is not written where a file of it is already', async () => {
    const folder = newFolder();
    const name = SHIPPED_EDITION.names.skills;
    writeFileSync(join(folder, name), 'mine');
    const options = { practitioners: 100, seed: 1, day: 0, packs: false };
    await expect(writeEdition(folder, options)).rejects.toThrow(/EEXIST/);
  });

  it('has the people of the demonstration first, then copies with numbers and names of their own', () => {
    const options = { practitioners: 120, seed: 5, day: 0 };
    const people = [...peopleOfDay(options)];
    expect([people.length, new Set(people.map(({ rpps }) => rpps)).size]).toEqual([120, 120]);
    const shipped = new Set(SHIPPED_EDITION.people.map(({ rpps }) => rpps));
    const copied = people.filter(({ rpps }) => !shipped.has(rpps));
    expect(people.findIndex(({ rpps }) => !shipped.has(rpps))).toBe(120 - copied.length);
    for (const { rpps } of copied) expect(rpps).toMatch(/^1905\d{7}$/);
    const rangesOf = (seed: number) => personOf(seed, 3).rpps.slice(0, 4);
    expect([89, 90, 91].map(rangesOf)).toEqual(['1989', '1900', '1901']);
    expect(['2A0000001', '2B0000001', '190000000', '1900000001'].map(withCheckDigit)).toEqual([
      '2A00000013',
      '2B00000012',
      '1900000009',
      '19000000018',
    ]);
    expect([copiesOfStructures(options), copiesOfStructures({ ...options, practitioners: 2001 })]).toEqual([1, 2]);
    expect(personOf(5, 3)).toEqual(personOf(5, 3));
    expect(personOf(5, 3)).not.toEqual(personOf(6, 3));
  });

  it('a move is to the street of the day, and a mailbox that of the day', () => {
    const person = SHIPPED_EDITION.people.find(({ lines }) =>
      lines.activities.some((line) => line.split('|')[23]?.startsWith('R2') && line.split('|')[32] !== ''),
    );
    if (!person) throw new Error('nobody has a practice');
    const streets = moved(person, 3).lines.activities.map((line) => line.split('|')[32]);
    expect(streets).toContain('DU JOUR 3');
    const { mailboxes } = withMailbox(person, 4).lines;
    expect(mailboxes).toHaveLength(person.lines.mailboxes.length + 1);
    expect(mailboxes.at(-1)?.split('|').slice(0, 5)).toEqual([
      ...[
        'PER',
        expect.stringMatching(new RegExp(`^jour4\\.[a-z0-9-]+\\.${person.rpps}@medecin\\.mssante\\.example$`)),
      ],
      ...['8', person.rpps, `8${person.rpps}`],
    ]);
    const [line = ''] = SHIPPED_EDITION.structures.mailboxes;
    expect(structureMailbox(line, 0)).toBe(line);
    expect(structureMailbox(line, 2).split('|')[1]).toBe(line.split('|')[1]?.replace('@', '.2@'));
  });
});
