// Writes what is generated from the schemas of the configuration: `config/*.schema.json`, `config/README.md`, and the
// tables of `docs/directory-guards.md` and `docs/operating/monitoring.md`.
// Run by `npm run schemas`; `test/config/schema/schema.test.ts` fails when it was forgotten.

import { readFileSync, writeFileSync } from 'node:fs';
import { jsonSchemaOf } from '../../../src/config/schema/json-schema.ts';
import { guardTable } from '../../../src/config/schema/key-table.ts';
import { limitsTable, metricsTable } from '../metrics/metrics-table.ts';
import { configurationPage } from './configuration-page.ts';

const inConfig = (name: string) => new URL(`../../../config/${name}`, import.meta.url);

for (const name of ['service', 'clients'] as const) {
  writeFileSync(inConfig(`${name}.schema.json`), `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`);
}
writeFileSync(inConfig('README.md'), await configurationPage());
writeTables(new URL('../../../docs/directory-guards.md', import.meta.url), { 'The guards': guardTable() });

writeTables(new URL('../../../docs/operating/monitoring.md', import.meta.url), {
  'Rate limits': limitsTable(),
  'All metrics': metricsTable(),
});

/** Puts each table in the place of the one below its heading. */
function writeTables(file: URL, byHeading: Readonly<Record<string, string>>): void {
  let text = readFileSync(file, 'utf8');
  for (const [heading, table] of Object.entries(byHeading)) {
    text = text.replace(new RegExp(`(## ${heading}\\n[^|]*)(\\|.*\\n)+`), (_whole, before) => `${before}${table}\n`);
  }
  writeFileSync(file, text);
}
