// The command `directory`: import, status, rollback, verify and columns.

import { type Command, parseOptions } from '#cli/support/command.ts';
import { OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { COLUMN_TABLES, columnPage } from '#import/registers/column-documentation.ts';
import { examples, usage } from '#shared/hygie-command.ts';
import { UsageError } from '#shared/operator-errors.ts';
import { ACCEPTABLE } from './accept-option.ts';
import { runImport } from './import.ts';
import { runRollback } from './rollback.ts';
import { runStatus } from './status.ts';
import { runVerify } from './verify.ts';

/** In lines below the text of `--accept`. */
function listed(words: readonly string[]): string {
  const lines = [''];
  for (const word of words) {
    const line = lines.pop() ?? '';
    if (`${line} ${word},`.length > 90) lines.push(line, word);
    else lines.push(line === '' ? word : `${line}, ${word}`);
  }
  return lines.map((line) => `${' '.repeat(21)}${line}`).join(',\n');
}

const HELP = `
Loads, shows and switches the directory of professionals and structures.

${usage(
  'directory import PATH... [--dry-run] [--accept REASON[:REGISTER],...] [--json]',
  'directory import --watch FOLDER [--settle 60s]',
  'directory status [--json]',
  'directory rollback [--json]',
  'directory columns [--json]',
  'directory verify [SNAPSHOT] [--json]',
)}

import    Reads one edition: files or folders, plain, gzip or zip, in any combination and order; each file is
          recognised by its content. Known are PS_LibreAcces_Personne_activite, PS_LibreAcces_Dipl_AutExerc,
          PS_LibreAcces_SavoirFaire, Extraction_Correspondance_MSSante, FINESS as text (etalab-cs1100501, 502, 507)
          and as JSON (finess-structures), and FHIR STU3 Practitioner, Organization and PractitionerRole as Bundle
          (JSON, of any type but history) or NDJSON. A FHIR resource replaces what registers say of the same id; of
          several with one id the latest by meta.lastUpdated is kept. Of a folder or archive the newest edition of
          each register is read, by the dates in contents and names; files that are named must be of one edition.
          The directory is switched at once when everything is loaded and every guard is satisfied (service.yaml,
          directory.guards); until then, and after a refusal, it is untouched.
          --dry-run  do everything but the switch
          --accept   what a guard named may be: its name, for one register or for all; for this edition only, and it
                     is written to the audit trail. ${OTHER_PEOPLE}: judge it like a first load, as after a
                     demonstration. Reasons (docs/directory-guards.md):
${listed(ACCEPTABLE)}
          --watch    run until stopped, and load every new edition that appears in the folder: chosen as in any
                     folder, once it has not changed for --settle (60s; a number with s or m). Refused files are tried
                     again when the folder or service.yaml changes. What happens is in the log. The service
                     does the same by itself with directory.watch in service.yaml
status    Age, counts, registers and size of the snapshots: the current one is served, the previous one is what
          rollback switches to, others are kept. And the judgement of the current one, why a newer edition was
          refused, and links of sign-in accounts that do not hold.
rollback  Switches between the current and the previous snapshot: the previous one becomes current, the current one
          previous. A second rollback switches back. Production neither imports the fictional people of the
          demonstration nor goes back to them.
verify    Reads a snapshot again, the current one where none is named: the file against its checksum, SQLite's check of
          its structure, counts, and whether references lead to something. Nothing is changed, except that a damaged
          snapshot is noted as such: the next import then loads anew what it would otherwise skip or build upon. Some
          minutes for a country, at the lowest priority.
columns   What becomes of every column of the registers, as a page in Markdown (config/directory-columns.md).

${examples(
  ['directory import /srv/registers/2026-11-20 --dry-run', 'whether an edition would be taken'],
  ['directory import /srv/registers/2026-11-20', 'load it'],
  ['directory rollback', 'back to the edition before'],
)}

--json    the report as JSON on standard output

Exit codes: 0 done, 1 refused (reasons on standard error), 2 wrong usage.
`;

export const directoryCommand: Command = {
  name: 'directory',
  summary: 'Loads, shows and switches the directory: import, status, rollback, verify, columns',
  help: HELP,
  async run(args) {
    const [action, ...rest] = args;
    const run = action === undefined || !Object.hasOwn(ACTIONS, action) ? undefined : ACTIONS[action];
    if (!run)
      throw new UsageError(`directory does ${Object.keys(ACTIONS).join(', ')}${action ? `, not "${action}"` : ''}.`);
    return run(rest);
  },
};

const ACTIONS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  import: runImport,
  status: runStatus,
  rollback: runRollback,
  columns: runColumns,
  verify: runVerify,
};

// `directory columns`: prints what becomes of every column of the registers (config/directory-columns.md is a copy).

async function runColumns(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError('directory columns takes no further words.');
  const tables = COLUMN_TABLES.map(({ title, columns }) => ({
    title,
    columns: columns.map(({ label, to, omitted }) => ({ column: label, to: to ?? null, omitted: omitted ?? null })),
  }));
  process.stdout.write(values.json ? `${JSON.stringify(tables, null, 2)}\n` : columnPage());
  return 0;
}
