// `npm run -s audit`: known vulnerabilities of all packages, and their signatures and provenance, as the registry knows them. Ends with 1
// where there is one, or a signature does not hold; what the registry does not answer is skipped by name.

import '#support/script-help.ts';
import { spawnSync } from 'node:child_process';
import { handleOutputErrors } from '#cli/support/output-errors.ts';
import { judgeAdvisories, judgeSignatures } from './audit-answers.ts';
import { lockedPackages, ROOT } from './locked-packages.ts';

handleOutputErrors();

function npm(...args: string[]): string {
  return spawnSync('npm', ['audit', ...args, '--json'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout;
}

const production = new Set(lockedPackages().flatMap(({ name, dev }) => (dev ? [] : [name])));
const judgements = [
  judgeAdvisories(npm(), production),
  judgeSignatures(npm('signatures', '--include-attestations', '--fetch-retries=0')),
];
for (const { lines } of judgements) process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = judgements.some(({ state }) => state === 'faults') ? 1 : 0;
