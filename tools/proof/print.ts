// `npm run -s proof`: prints, as Markdown, which tests stand for each line of the security checklist and for each module of
// the certification plans. It reads the test files; whether the tests pass, `npm test` says.

import '#support/script-help.ts';
import { moduleCoverage, type Proved, securityCoverage } from './coverage.ts';
import { SECURITY_LINES } from './security-lines.ts';
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

const lines = ['| Line | What it demands | Test | File |', '| --- | --- | --- | --- |'];
for (const [index, proved] of securityCoverage(titles).entries()) {
  lines.push(row([proved.name, SECURITY_LINES[index] ?? ''], proved));
}
for (const [plan, modules] of Object.entries(moduleCoverage(titles))) {
  lines.push('', `### ${plan}`, '', '| Module | Test | File |', '| --- | --- | --- |');
  for (const proved of modules) lines.push(row([proved.name], proved));
}
process.stdout.write(`${lines.join('\n')}\n`);
