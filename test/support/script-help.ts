// `--help` of the scripts of `package.json`: what stands in the first comment of the file that a script runs.

import { readFileSync } from 'node:fs';

/** Imported first by a script for its effect: with `--help` (or `-h`) it prints the comment at the head of its file, and ends. */
if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
  const lines = readFileSync(process.argv[1] ?? '', 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  process.stdout.write(
    `${lines
      .slice(0, end)
      .map((line) => line.replace(/^\/\/ ?/, ''))
      .join('\n')}\n`,
  );
  process.exit(0);
}
