// `directory columns`: prints what becomes of every column of the registers (config/directory-columns.md is a copy).

import { COLUMN_TABLES, columnPage } from '../../import/registers/column-documentation.ts';
import { UsageError } from '../../shared/operator-errors.ts';
import { parseOptions } from '../support/command.ts';

export async function runColumns(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError('directory columns takes no further words.');
  const tables = COLUMN_TABLES.map(({ title, columns }) => ({
    title,
    columns: columns.map(({ label, to, omitted }) => ({ column: label, to: to ?? null, omitted: omitted ?? null })),
  }));
  process.stdout.write(values.json ? `${JSON.stringify(tables, null, 2)}\n` : columnPage());
  return 0;
}
