// Writes what is generated from the schemas of the configuration: `config/*.schema.json`, the pages of `config/`, the suite's copy
// of the shipped files, the tables of `docs/directory-guards.md` and `docs/operating/monitoring.md`, and the events in `docs/operating/audit-trail.md`.
// Run by `npm run schemas`; `test/config/schema/schema.test.ts` fails when it was forgotten.

import '#support/script-help.ts';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_KEYS } from '#config/clients/client-schema.ts';
import { SERVICE_KEYS } from '#config/service/service-schema.ts';
import { auditEventList } from '#support/config/audit-events.ts';
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
replaceBelow('directory-guards.md', { 'The guards': guardTable() });
replaceBelow('operating/audit-trail.md', { 'All events': auditEventList() });
replaceBelow('operating/monitoring.md', { 'Rate limits': limitsTable(), 'All metrics': metricsTable() });

/** Puts each table or list in the place of the first one below its heading. */
function replaceBelow(page: string, byHeading: Readonly<Record<string, string>>): void {
  const file = new URL(`../../docs/${page}`, import.meta.url);
  let text = readFileSync(file, 'utf8');
  for (const [heading, rows] of Object.entries(byHeading)) {
    const old = new RegExp(`(## ${heading}\\n(?:(?![|-] ).*\\n)*)(?:[|-] .*\\n)+`);
    text = text.replace(old, (_whole, before) => `${before}${rows}\n`);
  }
  writeFileSync(file, text);
}
