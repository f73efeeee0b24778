// Writes what is generated from the schemas of the configuration: `config/*.schema.json`, the pages of `config/`, the suite's copy
// of the shipped files, and the tables of `docs/directory-guards.md` and `docs/operating/monitoring.md`.
// Run by `npm run schemas`; `test/config/schema/schema.test.ts` fails when it was forgotten.

import '#support/script-help.ts';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_KEYS } from '#config/clients/client-schema.ts';
import { SERVICE_KEYS } from '#config/service/service-schema.ts';
import { configurationPages } from '#support/config/configuration-page.ts';
import { guardTable } from '#support/config/guards.ts';
import { schemaFile } from '#support/config/schema-file.ts';
import { CONFIG, EDITED, SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { limitsTable, metricsTable } from '#support/metrics/metrics-table.ts';

mkdirSync(SHIPPED_CONFIG, { recursive: true });
for (const name of EDITED) copyFileSync(join(CONFIG, name), join(SHIPPED_CONFIG, name));

for (const [name, keys] of Object.entries({ service: SERVICE_KEYS, clients: CLIENT_KEYS })) {
  writeFileSync(join(CONFIG, `${name}.schema.json`), `${JSON.stringify(schemaFile(keys), null, 2)}\n`);
}
for (const [name, page] of Object.entries(await configurationPages())) writeFileSync(join(CONFIG, name), page);
writeTables(new URL('../../docs/directory-guards.md', import.meta.url), { 'The guards': guardTable() });

writeTables(new URL('../../docs/operating/monitoring.md', import.meta.url), {
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
