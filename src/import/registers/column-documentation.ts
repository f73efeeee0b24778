// Makes the page that documents how the import uses every column of every register. The page is made from the tables of this folder.

import type { Column } from '#import/collect/columns.ts';
import { FINESS_JSON_ROOT, JSON_ESTABLISHMENT, JSON_LEGAL_ENTITY } from './finess-json-columns.ts';
import { REGISTERS } from './register-kinds.ts';

/** A table of columns with its title. `note` explains to readers how the import finds the columns in a file. */
interface ColumnTable {
  title: string;
  note: string;
  columns: readonly Column[];
}

const BY_HEADER = 'Columns in published order; they are found by their header, in any order.';
const BY_FIRST_CELL = (first: string) => `Cells of lines that begin with \`${first}\`; the files have no header.`;

const { finess, fhir: _fhir, ...withHeader } = REGISTERS;

/**
 * The tables of all registers. They list every published column, and every name in the FINESS JSON feed, even if the import does not use
 * it.
 */
export const COLUMN_TABLES: readonly ColumnTable[] = [
  ...Object.values(withHeader).map(({ title, columns }) => ({
    title,
    note: BY_HEADER,
    columns: Object.values(columns).flat(),
  })),
  ...Object.entries(finess.columns).map(([first, columns]) => ({
    title: `FINESS text files, ${first}`,
    note: BY_FIRST_CELL(first),
    columns,
  })),
  { title: 'FINESS JSON feed finess-structures', note: 'Names of the file itself.', columns: FINESS_JSON_ROOT },
  {
    title: 'FINESS JSON feed finess-structures, legal entities',
    note: 'Names within an element of `pmej`; `[]`: of each element.',
    columns: JSON_LEGAL_ENTITY,
  },
  {
    title: 'FINESS JSON feed finess-structures, establishments',
    note: 'Names within an element of `ege`; `[]`: of each element.',
    columns: JSON_ESTABLISHMENT,
  },
];

const HEAD = `# Columns of the registers

What the import (\`npm run -s hygie -- directory import PATH...\`) makes of every column of the files that it reads. This page is printed by
\`npm run -s hygie -- directory columns\` from the tables by which the files are read; do not edit it.

An element without a resource before it, such as address.line, belongs to the Organization, and where the column stands in
PS_LibreAcces_Personne_activite to the Practitioner as well. \`TRE_R…\` and \`TRE_G…\` are the code systems of the French health
terminology server. FHIR sources (Bundle, NDJSON) have no columns: their resources are kept as they are, but for \`meta\`, which
the directory gives itself, and the narrative \`text\`.`;

/** Returns the page as Markdown. */
export function columnPage(): string {
  return `${[HEAD, ...COLUMN_TABLES.map(section)].join('\n\n')}\n`;
}

function section({ title, note, columns }: ColumnTable): string {
  const rows = columns.map(({ label, to = '', omitted = '' }, index) => [String(index + 1), label, to, omitted]);
  return `## ${title}\n\n${note}\n\n${table([['', 'Column', 'Becomes', 'Left out, because'], ...rows])}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0), 3);
  const line = (row: readonly string[]) => `| ${row.map((text, column) => text.padEnd(width(column))).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(head.map((_, column) => '-'.repeat(width(column)))), ...body.map(line)].join('\n');
}
