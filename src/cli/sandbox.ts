// The command `sandbox`: writes fictional extraction files of any size (`sandbox/write-edition.ts`).

import { resolve } from 'node:path';
import { bytesOfEdition, writeEdition } from '#sandbox/write-edition.ts';
import { onStopSignals } from '#server/process/process-end.ts';
import { lowerPriority } from '#server/process/resources.ts';
import { explainDisk, openStaging } from '#server/staging-folder.ts';
import { action, type Command, flag, option } from './support/command.ts';
import { JSON_OPTION, json } from './support/output.ts';
import { grouped, withProgress } from './support/progress.ts';

export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'Writes fictional extraction files of any size, for a sandbox or for tests',
  action: action({
    options: {
      practitioners: option('N', 'Number of people, 100 to 2 000 000. Each takes about 750 bytes.', {
        required: true,
        fits: [/^(?:[1-9]\d{2,5}|1\d{6}|2000000)$/, 'a whole number from 100 to 2 000 000'],
      }),
      out: option('DIR', 'New or empty folder. It gets its name only when all files are complete and on the disk.', {
        required: true,
      }),
      seed: option('S', 'Number from 0 to 1 000 000. Each gives other people. Default: 1.', {
        fits: [/^(?:\d{1,6}|1000000)$/, 'a whole number from 0 to 1 000 000'],
      }),
      day: option(
        'D',
        'Edition D days later, 0 to 365. Every day 1 person in 200 leaves, arrives, moves or gets a mailbox. Default: 0.',
        { fits: [/^(?:[12]?\d{1,2}|3[0-5]\d|36[0-5])$/, 'a whole number from 0 to 365'] },
      ),
      gzip: flag('Compresses the files (.gz) to about a seventh of their size.'),
      json: JSON_OPTION,
    },
    text: `
Writes six files (activities, diplomas, skills, mailboxes, FINESS) for \`directory import\`, as the public registers publish them. Every edition has the people of the demonstration: so demo accounts have their records, and production refuses it. The same options write the same files.`,
    run: ({ practitioners, out = '', seed = '1', day = '0', gzip = false, json = false }) =>
      write(
        resolve(out),
        { practitioners: Number(practitioners), seed: Number(seed), day: Number(day), packs: gzip },
        json,
      ),
  }),
  examples: [
    ['sandbox --practitioners 100000 --out /srv/fictional/day-0', 'a first edition'],
    ['sandbox --practitioners 100000 --day 1 --out /srv/fictional/day-1', 'the one of the next day, to try a renewal'],
  ],
};

async function write(folder: string, options: Parameters<typeof writeEdition>[1], asJson: boolean): Promise<void> {
  const { practitioners, seed, day, packs } = options;
  // A service may run on the same machine. Its requests come first, so this command runs at a lower priority.
  lowerPriority();
  // A stop signal ends the process. Unfinished files are removed when the process exits.
  const listening = onStopSignals(() => process.exit(130));
  try {
    // Everybody may read these files: fictional people are no secret, and the service that reads them may run as another user.
    const staging = await openStaging(folder, bytesOfEdition(practitioners, packs), 0o777);
    try {
      const { date, files } = await withProgress((show) =>
        writeEdition(staging.folder, options, (count) =>
          show({ name: 'writing', done: count / practitioners, count, unit: 'people' }),
        ),
      );
      await staging.finish();
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const summary = `Edition of ${date}: ${grouped(practitioners)} fictional people in ${folder}`;
      const size = `  ${files.length} files, ${grouped(Math.ceil(bytes / 1024))} KiB`;
      const written = { folder, date, practitioners, seed, day, files };
      process.stdout.write(asJson ? json(written) : `${summary}\n${size}\n`);
    } catch (error) {
      await staging.discard();
      throw error;
    }
  } catch (error) {
    throw explainDisk(error, folder);
  } finally {
    listening();
  }
}
