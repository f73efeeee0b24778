// `npm run damage`: every damage of the catalogue on editions of several seeds, alone and in pairs. Exits with 1 when one is
// silent; `--help` explains.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OF_FACTS, OF_FILES } from '#support/damage/catalogue.ts';
import { runChain, runDecline, runRewriting } from '#support/damage/chain.ts';
import type { EditionFiles } from '#support/damage/edition-files.ts';
import {
  type Days,
  generatedDays,
  type Occasion,
  openLaboratory,
  type Trial,
  type Undamaged,
} from '#support/damage/trials.ts';
import { createDraw } from '#support/draw.ts';
import { gatherTemporaryFiles } from '#support/temporary-folder.ts';
import { cost, national } from './national.ts';
import { tableOf, totalsOf, undamagedRows } from './table.ts';

const HELP = `npm run damage -- [options]

Damages generated editions at random places and imports them, as renewals of the day before and into an empty directory. Each must
be read exactly as the undamaged edition, or be refused by name with the directory unchanged, or be warned of where it is about a few
people. What is silent at a first import stands in docs/directory-guards.md.

  --people N    people of an edition (6000)
  --seeds LIST  seeds of the editions and of the places (1,2,3)
  --files DIR   editions in place of generated ones: each folder of DIR has the folders before, today and others (other people)
  --of KIND     damages of "files", of "facts" (in files that are whole), or "all" of them (all)
  --pairs N     random pairs of damages of files for each seed (60)
  --only TEXT   damages whose name contains this, alone
  --chain N     instead: an edition of N people, renewed on 30 days with what happens in a year, and one that shrinks,
                and one that is rewritten bit by bit
  --national DIR  instead: the editions before and today of DIR, with oddities that good editions of a country hold, are accepted
  --cost DIR    with --national: what an import of its edition before costs beside that of the checkout in DIR
  --all         print every trial, not only what is silent or unexpected, before the table
`;

/** Share of people of a chain that leave, move, get a mailbox or arrive within a day. */
const CHURN = 0.01;

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '6000' },
    seeds: { type: 'string', default: '1,2,3' },
    files: { type: 'string' },
    of: { type: 'string', default: 'all' },
    pairs: { type: 'string', default: '60' },
    chain: { type: 'string' },
    national: { type: 'string' },
    cost: { type: 'string' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const DAMAGES = [...(values.of === 'facts' ? [] : OF_FILES), ...(values.of === 'files' ? [] : OF_FACTS)];

if (values.help) process.stdout.write(HELP);
else {
  // Editions of a country are too large for a folder in memory.
  if (values.national === undefined) gatherTemporaryFiles();
  process.exitCode = (await chosen()) ? 0 : 1;
}

function chosen(): Promise<boolean> {
  const { chain: people, national: country, cost: checkout } = values;
  if (country !== undefined) return checkout ? cost(checkout, join(country, 'before')) : national(country);
  return people === undefined ? damage() : chain(Number(people));
}

async function damage(): Promise<boolean> {
  const trials: Trial[] = [];
  const undamaged: Undamaged[] = [];
  for (const [seed, days] of editions()) {
    const tried = await tryAll(seed, days());
    trials.push(...tried.trials);
    undamaged.push(...tried.undamaged);
  }
  for (const line of [...tableOf(trials), ...undamagedRows(undamaged), totalsOf(trials, undamaged)]) console.log(line);
  return trials.every(({ isExpected }) => isExpected) && undamaged.every(({ refusals }) => refusals.length === 0);
}

/** The editions that are tried, by their seed. */
function editions(): (readonly [seed: number, () => Days])[] {
  const { files, people, seeds } = values;
  if (files === undefined)
    return seeds.split(',').map((seed) => [Number(seed), () => generatedDays(Number(seed), Number(people))]);
  const read = (folder: string, day: string): EditionFiles => {
    const names = readdirSync(join(folder, day)).filter((name) => /\.(txt|csv)$/.test(name));
    return new Map(names.map((name) => [name, readFileSync(join(folder, day, name))]));
  };
  const daysOf = (folder: string): Days => ({
    before: read(folder, 'before'),
    today: read(folder, 'today'),
    others: read(folder, 'others'),
  });
  return readdirSync(files).map((name, at) => [Number(name) || at + 1, () => daysOf(join(files, name))]);
}

async function chain(people: number): Promise<boolean> {
  const [seed = 1] = values.seeds.split(',').map(Number);
  const days = await runChain({ seed, people, churn: CHURN, days: 30 }, ({ day, what, outcome, seconds }) => {
    const { refusals, report } = outcome;
    const changed = report?.changes?.Practitioner;
    const accepted = [report?.outcome, ...(report?.judgement.reasons ?? [])].join(', ');
    const result = refusals.map(({ name, said }) => `${name}: ${said}`).join('; ') || accepted;
    console.log(`day ${day} | ${what} | ${seconds.toFixed(1)} s | ${JSON.stringify(changed)} | ${result}`);
  });
  const { refusedOn, outcome } = await runDecline({ seed, people, days: 8 });
  console.log(
    `8.5 % fewer people every day: refused on day ${refusedOn}, ${outcome?.refusals.map(({ name }) => name).join(', ')}`,
  );
  const rewriting = await runRewriting({ seed, people, days: 8 });
  const guards = rewriting.outcome?.refusals.map(({ name }) => name).join(', ');
  console.log(
    `another house number for 15 % of the people every day: refused on day ${rewriting.refusedOn}, ${guards}`,
  );
  const isGood = days.length === 31 && days.every(({ outcome }) => outcome.refusals.length === 0);
  return isGood && refusedOn === 2 && rewriting.refusedOn !== undefined;
}

async function tryAll(seed: number, days: Days): Promise<{ trials: Trial[]; undamaged: readonly Undamaged[] }> {
  const laboratory = openLaboratory(days);
  const trials: Trial[] = [];
  const one = async (...given: Parameters<typeof laboratory.run>) => {
    const trial = await laboratory.run(...given);
    trials.push(trial);
    if (values.all || !trial.isExpected) console.log(row(trial));
  };
  const damages = DAMAGES.filter(({ name }) => name.includes(values.only));
  for (const occasion of ['renewal', 'first import'] as const satisfies Occasion[])
    for (const damage of damages) await one([damage], occasion, seed);
  if (values.only === '' && values.of !== 'facts') {
    const draw = createDraw(seed);
    const plain = OF_FILES.filter(({ form }) => form === undefined);
    for (let pair = 0; pair < Number(values.pairs); pair++)
      await one(draw.some(plain, 2), draw.one(['renewal', 'first import']), seed * 1000 + pair);
  }
  const undamaged = await laboratory.undamaged();
  await laboratory.close();
  return { trials, undamaged };
}

function row({ damages, occasion, seed, outcome, guards, warned, said, isExpected }: Trial): string {
  const mark = isExpected ? '' : '!! ';
  const names = [...guards, ...warned].join(', ');
  return `${mark}${damages.join(' + ')} | ${occasion} | seed ${seed} | ${outcome} ${names} | ${said.slice(0, 300)}`;
}
