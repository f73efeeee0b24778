// `npm run validate:directory`: imports an edition as the operator's command does, and validates every resource of the
// snapshot against the official STU3 definitions. Exit code 1 when one is not valid.

import { parseArgs } from 'node:util';
import { snapshotErrors } from '#support/fhir/snapshot-errors.ts';
import { openBench } from '#support/import/register-files.ts';

const HELP = `Validates every resource of a directory against the official FHIR STU3 definitions.

Usage: npm run validate:directory -- [--data DIR]

  --data DIR   files of the registers; the small shipped edition when absent

Imports into a temporary folder, which is removed. Progress stands on standard error, the result on standard output.
`;

const { values } = parseArgs({ options: { data: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help) process.stdout.write(HELP);
else process.exitCode = await validate(values.data ?? new URL('../seeds/edition', import.meta.url).pathname);

async function validate(data: string): Promise<number> {
  const bench = await openBench();
  try {
    const report = await bench.run([data]);
    process.stderr.write(`imported in ${report.seconds.toFixed(1)} s\n`);
    const started = performance.now();
    let reportedAt = started;
    const { counts, invalid, errors } = await snapshotErrors(await bench.snapshot(), (type, done) => {
      if (performance.now() - reportedAt < 5000) return;
      reportedAt = performance.now();
      process.stderr.write(`${type}: ${done}\n`);
    });
    const all = Object.values(counts).reduce((sum, count) => sum + count);
    const seconds = (performance.now() - started) / 1000;
    for (const [type, count] of Object.entries(counts)) process.stdout.write(`${type}: ${count}\n`);
    for (const [error, { count, first }] of [...errors].sort(([, a], [, b]) => b.count - a.count).slice(0, 100))
      process.stdout.write(`${count} x ${error}, first in ${first}\n`);
    const each = ((seconds / all) * 1e6).toFixed(0);
    process.stdout.write(
      `${all} resources validated in ${seconds.toFixed(1)} s (${each} us each), ${invalid} with errors\n`,
    );
    return invalid === 0 ? 0 : 1;
  } finally {
    await bench.close();
  }
}
