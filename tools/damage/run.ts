// `npm run damage`: every damage of the catalogue on editions of several seeds, alone and in pairs. Exits with 1 when one is
// silent; `--help` explains.

import { parseArgs } from 'node:util';
import { DAMAGES } from '#support/damage/catalogue.ts';
import { runChain, runDecline } from '#support/damage/chain.ts';
import { type Occasion, openLaboratory, type Trial } from '#support/damage/trials.ts';
import { createDraw } from '#support/draw.ts';
import { gatherTemporaryFiles } from '#support/temporary-folder.ts';

const HELP = `npm run damage -- [options]

Damages generated editions at random places and imports them, as renewals of the day before and into an empty directory. Each must
be read exactly as the undamaged edition, or be refused by name with the directory unchanged.

  --people N    people of an edition (2000)
  --seeds LIST  seeds of the editions and of the places (1,2,3)
  --pairs N     random pairs of damages for each seed (60)
  --only TEXT   damages whose name contains this, alone
  --chain N     instead: an edition of N people, renewed on 30 days with what happens in a year, and one that shrinks every day
  --all         print every trial, not only what is silent or unexpected
`;

/** Share of people of a chain that leave, move, get a mailbox or arrive within a day. */
const CHURN = 0.01;

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '2000' },
    seeds: { type: 'string', default: '1,2,3' },
    pairs: { type: 'string', default: '60' },
    chain: { type: 'string' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else {
  gatherTemporaryFiles();
  const isPassed = values.chain === undefined ? await damage() : await chain(Number(values.chain));
  process.exitCode = isPassed ? 0 : 1;
}

async function damage(): Promise<boolean> {
  const trials: Trial[] = [];
  for (const seed of values.seeds.split(',').map(Number)) trials.push(...(await tryAll(seed)));
  const failed = trials.filter(({ isExpected }) => !isExpected);
  const count = (outcome: Trial['outcome']) => trials.filter((trial) => trial.outcome === outcome).length;
  console.log(
    `${trials.length} trials: ${count('same')} read as undamaged, ${count('refused')} refused, ${count('silent')} silent, ` +
      `${count('crashed')} crashed, ${count('changed')} changed the directory; ${failed.length} not as expected`,
  );
  return failed.length === 0;
}

async function chain(people: number): Promise<boolean> {
  const [seed = 1] = values.seeds.split(',').map(Number);
  const days = await runChain({ seed, people, churn: CHURN, days: 30 }, ({ day, what, outcome, seconds }) => {
    const { refusals, report } = outcome;
    const changed = report?.changes?.Practitioner;
    const result = refusals.map(({ name, said }) => `${name}: ${said}`).join('; ') || (report?.outcome ?? '');
    console.log(`day ${day} | ${what} | ${seconds.toFixed(1)} s | ${JSON.stringify(changed)} | ${result}`);
  });
  const { refusedOn, outcome } = await runDecline({ seed, people, days: 8 });
  console.log(
    `8.5 % fewer people every day: refused on day ${refusedOn}, ${outcome?.refusals.map(({ name }) => name).join(', ')}`,
  );
  return days.length === 31 && days.every(({ outcome }) => outcome.refusals.length === 0) && refusedOn === 2;
}

async function tryAll(seed: number): Promise<Trial[]> {
  const laboratory = openLaboratory(seed, Number(values.people));
  const trials: Trial[] = [];
  const one = async (...given: Parameters<typeof laboratory.run>) => {
    const trial = await laboratory.run(...given);
    trials.push(trial);
    if (values.all || !trial.isExpected) console.log(row(trial));
  };
  const damages = DAMAGES.filter(({ name }) => name.includes(values.only));
  for (const occasion of ['renewal', 'first load'] as const satisfies Occasion[])
    for (const damage of damages) await one([damage], occasion, seed);
  if (values.only === '') {
    const draw = createDraw(seed);
    const plain = DAMAGES.filter(({ form }) => form === undefined);
    for (let pair = 0; pair < Number(values.pairs); pair++)
      await one(draw.some(plain, 2), draw.one(['renewal', 'first load']), seed * 1000 + pair);
  }
  await laboratory.close();
  return trials;
}

function row({ damages, occasion, seed, outcome, guards, said, isExpected }: Trial): string {
  const mark = isExpected ? '' : '!! ';
  return `${mark}${damages.join(' + ')} | ${occasion} | seed ${seed} | ${outcome} ${guards.join(', ')} | ${said.slice(0, 300)}`;
}
