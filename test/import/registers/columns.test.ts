// Directory import: every column is mapped or left out with its reason, and what the page says of it is true: a mapped one,
// changed, changes a resource; those that are left out, all changed at once, change nothing.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Column } from '#import/collect/columns.ts';
import { refuses } from '#import/guards/verdict.ts';
import { COLUMN_TABLES, columnPage } from '#import/registers/column-documentation.ts';
import { FINESS_TEXT_CELLS } from '#import/registers/finess-text.ts';
import { ACTIVITY_COLUMNS, DIPLOMA_COLUMNS, MAILBOX_COLUMNS, SKILL_COLUMNS } from '#import/registers/person-columns.ts';
import { RESOURCE_TYPES } from '#search-index/snapshot.ts';
import { type Bench, HEADERS, openBench, type PipeRegister, SETTINGS } from '#support/import/register-files.ts';

describe('import: claims about columns', () => {
  /** Lines of cells, by the name of their table. */
  type Lines = Record<PipeRegister | 'structureej' | 'structureet' | 'geolocalisation', string[][]>;

  const columnsOf = (title: string): readonly Column[] => {
    const found = COLUMN_TABLES.find((table) => table.title === title);
    if (!found) throw new Error(`no table ${title}`);
    return found.columns;
  };
  const TABLES: Record<keyof Lines, readonly Column[]> = {
    activities: columnsOf('PS_LibreAcces_Personne_activite'),
    diplomas: columnsOf('PS_LibreAcces_Dipl_AutExerc'),
    skills: columnsOf('PS_LibreAcces_SavoirFaire'),
    mailboxes: columnsOf('Extraction_Correspondance_MSSante'),
    structureej: FINESS_TEXT_CELLS.structureej,
    structureet: FINESS_TEXT_CELLS.structureet,
    geolocalisation: FINESS_TEXT_CELLS.geolocalisation,
  };

  /** A line with something in every cell, of the form that its column has, but for those that are given. */
  function line(table: keyof Lines, cells: Readonly<Record<string, string>>): string[] {
    return TABLES[table].map(({ key, shape = /./ }, index) => {
      const forms = [`${key} ${table.slice(0, 3)}${index}`, `C${index}`, 'AB', '12345', 'x@lilas.example'];
      return cells[key] ?? forms.find((form) => shape.test(form)) ?? '';
    });
  }

  /** An edition of one person, one structure and so on, distinguished by a number within all that identifies. */
  function edition(number: number): Lines {
    const person = { idType: '8', id: `19${number}00018`, nationalId: `819${number}00018` };
    const phones = { phone: '0199000001', phone2: '0199000002', fax: '0199000003', mail: 'a@lilas.example' };
    const [finess, legalFiness, siret] = [`69${number}013`, `69${number}021`, `99${number}00100011`];
    const site = {
      finess,
      legalFiness,
      siret,
      siren: `99${number}001`,
      technicalId: `F${finess}`,
      formerId: `1${finess}`,
    };
    // Without a title the civility counts.
    const other = {
      id: `19${number}00026`,
      nationalId: `819${number}00026`,
      title: '',
      technicalId: `R2000${number}2`,
    };
    const box = { type: 'PER', address: 'per@lilas.example', paperless: 'O', nationalId: person.nationalId };
    const mailbox = { ...box, structureIdType: 'FINESS', structureId: finess };
    // These columns are about a structure that no other file knows.
    const unknown = { ...mailbox, type: 'ORG', structureIdType: 'SIRET', structureId: `99${number}00200019` };
    const commune = { departmentCode: '69', commune: '383', routing: '69003 LYON' };
    return {
      activities: [
        line('activities', { ...person, ...phones, ...site }),
        line('activities', { ...person, ...phones, ...site, ...other }),
      ],
      diplomas: [line('diplomas', person)],
      skills: [line('skills', person)],
      mailboxes: [line('mailboxes', mailbox), line('mailboxes', unknown)],
      structureej: [line('structureej', { line: 'structureej', finess: legalFiness, phone: '0199000004', ...commune })],
      structureet: [
        line('structureet', {
          line: 'structureet',
          finess: `69${number}047`,
          legalFiness,
          siret: `99${number}00300017`,
          phone: '0199000005',
          fax: '0199000006',
          ...commune,
        }),
      ],
      geolocalisation: [
        line('geolocalisation', {
          line: 'geolocalisation',
          finess: `69${number}047`,
          x: '657242.9',
          y: '1795384.4',
          source: '1,ATLASANTE,96,BAN,UTM_N20',
        }),
      ],
    };
  }

  /** Another value of the same form: the last letter or digit is turned into the next one. */
  function other(text: string): string {
    const next = (sign: string) => ({ 9: '0', z: 'a', Z: 'A' })[sign] ?? String.fromCharCode(sign.charCodeAt(0) + 1);
    return text.replace(/[0-9A-Za-z](?=[^0-9A-Za-z]*$)/, next);
  }

  function changed(lines: Lines, table: keyof Lines, row: number, columns: readonly number[]): Lines {
    const cells = lines[table][row]?.map((text, column) => (columns.includes(column) ? other(text) : text)) ?? [];
    return { ...lines, [table]: lines[table].with(row, cells) };
  }

  const PIPE: readonly PipeRegister[] = ['activities', 'diplomas', 'skills', 'mailboxes'];

  /** Imports many editions at once; returns what each became, as text without its number. */
  async function resourcesOf(bench: Bench, editions: ReadonlyMap<number, Lines>): Promise<Map<number, string>> {
    const rows = (table: keyof Lines) => [...editions.values()].flatMap((lines) => lines[table]);
    const files = PIPE.map((table) =>
      bench.file(table, [HEADERS[table], ...rows(table).map((cells) => cells.join('|'))].join('\n').concat('\n')),
    );
    const finess = (['structureej', 'structureet', 'geolocalisation'] as const).flatMap(rows);
    files.push(
      bench.file('finess', ['finess;etalab;101;2026-10-08', ...finess.map((cells) => cells.join(';')), ''].join('\n')),
    );
    const guards = { ...SETTINGS.directory.guards, unusableLines: 1 };
    const directory = { ...SETTINGS.directory, guards };
    const report = await bench.run(files, {
      settings: { ...SETTINGS, dataFolder: bench.dataFolder, directory },
      accept: [{ name: 'characters' }, { name: 'labels-differ' }, { name: 'pairs' }, { name: 'one-for-many' }],
    });
    expect([report.outcome, report.guards.filter(refuses)]).toEqual(['imported', []]);
    const found = new Map<number, string[]>();
    for (const type of RESOURCE_TYPES) {
      const page = await (await bench.snapshot()).search({ type, clauses: [], limit: 100_000, total: false });
      for (const { json, id } of page.matches) {
        const { meta: _meta, ...resource } = JSON.parse(json) as Record<string, unknown>;
        // The id of a role is a hash of much else.
        const text = JSON.stringify(type === 'PractitionerRole' ? { ...resource, id: '' } : resource);
        const number = Number(/(?<=99|69|19|R2000)4\d{3}/.exec(text)?.[0]);
        expect([id, editions.has(number)]).toEqual([id, true]);
        found.set(number, [...(found.get(number) ?? []), text.replaceAll(String(number), '####')]);
      }
    }
    return new Map([...found].map(([number, texts]) => [number, texts.sort().join('\n')]));
  }

  describe('import: what the page of columns says is so', () => {
    const tables = Object.keys(TABLES) as (keyof Lines)[];
    const columns = tables.flatMap((table) =>
      TABLES[table].map(({ label, to }, column) => ({ table, label, column, to })),
    );
    const mapped = columns.filter(({ to }) => to !== undefined);
    const [FIRST, changes] = [4000, new Map<string, number[]>()];
    let found: Map<number, string>;

    beforeAll(async () => {
      const editions = new Map([[FIRST, edition(FIRST)]]);
      const add = (name: string, change: (lines: Lines) => Lines) => {
        const number = FIRST + editions.size;
        editions.set(number, change(edition(number)));
        changes.set(name, [...(changes.get(name) ?? []), number]);
      };
      for (const { table, label, column } of mapped) {
        for (const row of edition(FIRST)[table].keys()) {
          add(`${table} ${label}`, (lines) => changed(lines, table, row, [column]));
        }
      }
      for (const table of tables) {
        const omitted = TABLES[table].flatMap(({ to }, column) => (to === undefined ? [column] : []));
        add(table, (lines) => [...lines[table].keys()].reduce((all, row) => changed(all, table, row, omitted), lines));
      }
      const bench = await openBench();
      found = await resourcesOf(bench, editions).finally(() => bench.close());
    });

    it.each(mapped)('$table, "$label" is mapped: a change of it changes a resource', ({ table, label }) => {
      const numbers = changes.get(`${table} ${label}`) ?? [];
      expect(numbers.some((number) => found.get(number) !== found.get(FIRST))).toBe(true);
    });

    it.each(tables)('%s: the columns that are left out change nothing, all changed at once', (table) => {
      const [number = 0] = changes.get(table) ?? [];
      expect(found.get(number)?.length).toBeGreaterThan(1000);
      expect(found.get(number)).toBe(found.get(FIRST));
    });
  });

  describe('import: no column is forgotten', () => {
    it.each(COLUMN_TABLES.map(({ title, columns }) => [title, columns] as const))(
      '%s: each is mapped or left out with a reason, never both',
      (_title, columns) => {
        for (const { label, to = '', omitted = '' } of columns) {
          expect([label, [to, omitted].filter((text) => text.length > 5).length]).toEqual([label, 1]);
        }
        expect(new Set(columns.map(({ label }) => label)).size).toBe(columns.length);
        expect(new Set(columns.map(({ key }) => key)).size).toBe(columns.length);
      },
    );

    it('config/directory-columns.md is the page that `directory columns` prints', () => {
      const page = readFileSync(join(import.meta.dirname, '../../../config/directory-columns.md'), 'utf8');
      expect(page === columnPage()).toBe(true);
    });
  });
});

// Directory data, sections 2 and 3: every column of every register is mapped or left out with a reason; headers are
// recognised whatever their order, case, accents and wording.
describe('import: columns of registers', () => {
  const TABLES: Record<PipeRegister, readonly Column[]> = {
    activities: ACTIVITY_COLUMNS,
    diplomas: DIPLOMA_COLUMNS,
    skills: SKILL_COLUMNS,
    mailboxes: MAILBOX_COLUMNS,
  };

  describe('directory data 3: no column is forgotten', () => {
    it.each(Object.keys(HEADERS) as PipeRegister[])('%s: the table holds exactly the published header', (register) => {
      expect(TABLES[register].map((column) => column.label)).toEqual(HEADERS[register].split('|'));
    });

    it.each([
      ['legal entities', FINESS_TEXT_CELLS.structureej, 23],
      ['establishments', FINESS_TEXT_CELLS.structureet, 32],
      ['coordinates', FINESS_TEXT_CELLS.geolocalisation, 6],
    ] as const)('FINESS %s: every cell is in the table', (_name, cells, width) => {
      expect(cells).toHaveLength(width);
    });
  });
});
