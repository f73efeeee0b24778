// The command `directory`: import, status, report, rollback, verify, correct, corrections and columns.

import { action, type Command } from '#cli/support/command.ts';
import { JSON_OPTION, json } from '#cli/support/output.ts';
import { COLUMN_TABLES, columnPage } from '#import/registers/column-documentation.ts';
import { correctAction } from './correct.ts';
import { correctionsAction } from './corrections.ts';
import { importAction } from './import.ts';
import { reportAction } from './report.ts';
import { rollbackAction } from './rollback.ts';
import { statusAction } from './status.ts';
import { verifyAction } from './verify.ts';

export const directoryCommand: Command = {
  name: 'directory',
  summary:
    'Imports, shows and switches the directory: import, status, report, rollback, verify, correct, corrections, columns',
  actions: {
    import: importAction,
    status: statusAction,
    report: reportAction,
    rollback: rollbackAction,
    verify: verifyAction,
    correct: correctAction,
    corrections: correctionsAction,
    columns: action({
      summary:
        'Prints a Markdown page that says what becomes of each column of the registers (config/directory-columns.md)',
      options: { json: JSON_OPTION },
      run: printColumns,
    }),
  },
  examples: [
    ['directory import /srv/registers/2026-11-20 --dry-run', 'checks whether an edition would be accepted'],
    ['directory import /srv/registers/2026-11-20', 'imports it'],
    ['directory rollback', 'switches back to the previous edition'],
  ],
};

async function printColumns(values: { json?: boolean | undefined }): Promise<void> {
  const tables = COLUMN_TABLES.map(({ title, columns }) => ({
    title,
    columns: columns.map(({ label, to, omitted }) => ({ column: label, to: to ?? null, omitted: omitted ?? null })),
  }));
  process.stdout.write(values.json ? json(tables) : columnPage());
}
