// The command `sandbox`: writes fictional extraction files of any size.

import { resolve } from 'node:path';
import { bytesOfEdition, writeEdition } from '#sandbox/write-edition.ts';
import { lowerPriority } from '#server/process/low-priority.ts';
import { onStopSignals } from '#server/process/stop-signals.ts';
import { explainDisk, openStaging } from '#server/staging-folder.ts';
import { examples, usage } from '#shared/hygie-command.ts';
import { UsageError } from '#shared/operator-errors.ts';
import { type Command, parseOptions } from './support/command.ts';
import { createProgress, grouped } from './support/progress.ts';

/** Least and most of each option, and what it is without. */
const NUMBERS = {
  practitioners: { least: 100, most: 2_000_000, otherwise: undefined },
  seed: { least: 0, most: 1_000_000, otherwise: 1 },
  day: { least: 0, most: 365, otherwise: 0 },
} as const;

export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'Writes fictional extraction files of any size, for a sandbox or for trying things out',
  help: `
Writes an edition of fictional people as the public registers publish it (six files: activities, diplomas, skills, mailboxes, FINESS) into a
new folder, for \`directory import\`. The people of the demonstration are in every edition: demo accounts find themselves, and production
refuses it. The same options write the same files.

${usage('sandbox --practitioners N --out DIR [--seed S] [--day D] [--gzip] [--json]')}

--practitioners N  how many people, 100 to 2 000 000; about 750 bytes each
--out DIR          must not be there, or be empty; has its name only when everything is in it and on the disk
--seed S           other people for each, 0 to 1 000 000; by default 1
--day D            the edition D days later, 0 to 365: every day 1 person in 200 leaves, arrives, moves or gets a mailbox. By default 0
--gzip             packed files (.gz), about a seventh of the size
--json             what was written as JSON on standard output

${examples(
  ['sandbox --practitioners 100000 --out /srv/fictional/day-0', 'a first edition'],
  ['sandbox --practitioners 100000 --day 1 --out /srv/fictional/day-1', 'the one of the next day, to try a renewal'],
)}

Exit codes: 0 done; 1 refused (reasons on standard error), nothing is left behind; 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseOptions(args, {
      practitioners: { type: 'string' },
      out: { type: 'string' },
      seed: { type: 'string' },
      day: { type: 'string' },
      gzip: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (positionals.length > 0) throw new UsageError(`sandbox takes options alone, not "${positionals[0]}".`);
    const options = {
      practitioners: numberOf('practitioners', values.practitioners),
      seed: numberOf('seed', values.seed),
      day: numberOf('day', values.day),
      packs: values.gzip === true,
    };
    if (!values.out) throw new UsageError('sandbox needs a folder to write to: --out DIR.');
    return write(resolve(values.out), options, values.json === true);
  },
};

function numberOf(name: keyof typeof NUMBERS, text: string | undefined): number {
  const { least, most, otherwise } = NUMBERS[name];
  if (text === undefined && otherwise !== undefined) return otherwise;
  const range = `a whole number from ${grouped(least)} to ${grouped(most)}`;
  if (text === undefined) throw new UsageError(`sandbox needs --${name}, ${range}.`);
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} is ${range}, not "${text}".`);
}

async function write(folder: string, options: Parameters<typeof writeEdition>[1], json: boolean): Promise<number> {
  const { practitioners, seed, day, packs } = options;
  // A service on the same machine goes first.
  lowerPriority();
  const progress = createProgress();
  // At the exit, what is unfinished goes.
  const listening = onStopSignals(() => process.exit(130));
  try {
    // Fictional people are no secret: a service runs as another account than whoever writes this.
    const staging = await openStaging(folder, bytesOfEdition(practitioners, packs), 0o777);
    try {
      const onPeople = (count: number) =>
        progress.show({ name: 'writing', done: count / practitioners, count, unit: 'people' });
      const { date, files } = await writeEdition(staging.folder, options, onPeople);
      await staging.finish();
      progress.end();
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const summary = `Edition of ${date}: ${grouped(practitioners)} fictional people in ${folder}`;
      const size = `  ${files.length} files, ${grouped(Math.ceil(bytes / 1024))} KiB`;
      const written = { folder, date, practitioners, seed, day, files };
      process.stdout.write(json ? `${JSON.stringify(written, null, 2)}\n` : `${summary}\n${size}\n`);
      return 0;
    } catch (error) {
      await staging.discard();
      throw error;
    }
  } catch (error) {
    throw explainDisk(error, folder);
  } finally {
    progress.end();
    listening();
  }
}
