// Writes what is generated from the schemas of the configuration: `config/*.schema.json`, and the tables of `config/README.md`.
// Run by `npm run schemas`; `test/config/schema/schema.test.ts` fails when it was forgotten.

import { readFileSync, writeFileSync } from 'node:fs';
import { jsonSchemaOf } from '../../../src/config/schema/json-schema.ts';
import { environmentTable, keyTable } from '../../../src/config/schema/key-table.ts';

const inConfig = (name: string) => new URL(`../../../config/${name}`, import.meta.url);

for (const name of ['service', 'clients'] as const) {
  writeFileSync(inConfig(`${name}.schema.json`), `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`);
}
const tables = {
  Environment: environmentTable(),
  'Keys of service.yaml': keyTable('service'),
  'Keys of clients.yaml': keyTable('clients'),
};
let readme = readFileSync(inConfig('README.md'), 'utf8');
for (const [heading, table] of Object.entries(tables)) {
  readme = readme.replace(new RegExp(`(## ${heading}\\n[^|]*)(\\|.*\\n)+`), (_whole, before) => `${before}${table}\n`);
}
writeFileSync(inConfig('README.md'), readme);
