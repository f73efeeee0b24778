// `npm run -s proof`: prints, as Markdown, which tests prove each line of docs/security.md and each module of the certification
// plans. It reads the test files only; `npm test` says whether the tests pass.

import '#support/script-help.ts';
import { moduleCoverage, type Proved, securityCoverage, securityLines } from './coverage.ts';
import { testTitles } from './titles.ts';

const titles = testTitles();

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

function row(left: readonly string[], { tests }: Proved): string {
  const [first] = tests;
  const more = tests.length > 1 ? ` (and ${tests.length - 1} more)` : '';
  const shown = first
    ? `${cell(first.title)}${more} | ${[...new Set(tests.map(({ file }) => file))].join(', ')}`
    : 'none |';
  return `| ${left.map(cell).join(' | ')} | ${shown} |`;
}

const lines = ['| Line | Promise | Test | File |', '| --- | --- | --- | --- |'];
const promises = new Map(securityLines().map(({ name, promise }) => [name, promise]));
for (const proved of securityCoverage(titles)) lines.push(row([proved.name, promises.get(proved.name) ?? ''], proved));
for (const [plan, modules] of Object.entries(moduleCoverage(titles))) {
  lines.push('', `### ${plan}`, '', '| Module | Test | File |', '| --- | --- | --- |');
  for (const proved of modules) lines.push(row([proved.name], proved));
}
process.stdout.write(`${lines.join('\n')}\n`);
