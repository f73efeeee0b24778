// operations.md: one mistake in the form of a file is one issue, in words and at its line, and shows no value: it may be a secret.

import { describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';

const client = (...lines: string[]) => ['clients:', '  - id: app', ...lines, ''].join('\n');

describe('operations.md: what is no YAML', () => {
  const cases: [name: string, text: string, line: number, words: RegExp][] = [
    ['tabs', 'listen:\n\tport: 1\n\thost: x\n', 2, /indented with a tab\. .*spaces/],
    [
      'one tab among entries',
      client('    name: A', '\ttype: server', '    scopes: []', '  - id: b', '    name: B'),
      4,
      /indented with a tab/,
    ],
    [
      'a key too far to the right',
      client('     name: hunter2', '    type: server'),
      2,
      /next line is indented differently.*alike/,
    ],
    ['after others', client('    name: A', '', '    # b', '     type: hunter2'), 4, /indented differently.*alike/],
    ['a key too far to the left', client('    name: A', '   type: hunter2', '    par: b'), 4, /quotation mark|no key/],
    ['below its dash', client('  name: hunter2', '  - id: b'), 3, /indented differently/],
    ['a group too far to the right', 'issuer: https://a.example\n  demo:\n', 1, /next line is indented differently/],
    ['no colon', client('    name hunter2', '    type: server'), 3, /has no key/],
    ['no colon at the end', client('    name: A', '    hunter2'), 4, /has no key/],
    ['no space behind the colon', 'proxies:1\nprocesses: 1\n', 1, /no key with a colon and a space.*`key: value`/],
    ['a second colon', 'branding:\n  name: hunter2: the service\n', 2, /colon and a space.*quotation marks/],
    ['a bracket that is never closed', 'listen: { port: 3000\n\n', 3, /bracket above is not closed/],
    [
      'a list that is never closed',
      client('    scopes: [openid', '    type: hunter2'),
      4,
      /bracket above is not closed/,
    ],
    [
      'a quotation mark that is never closed',
      'branding:\n  name: "hunter2\nproxies: 1\n',
      4,
      /quotation mark above is not closed/,
    ],
    ['a backslash in double quotation marks', 'branding: { name: "hunter2\\d" }', 1, /backslash/],
    ['a sign that YAML keeps for itself', 'issuer: @hunter2', 1, /such as @.*quotation marks/],
    ['a wildcard, which is an alias', client('    callbackUrls:', '      - *.hunter2'), 4, /begins with \*.*quotation/],
    ['a tag', 'branding: { name: !hunter2 }', 1, /begins with "!".*quotation marks/],
    ['two documents', 'proxies: 1\n---\nproxies: 2\n', 2, /second document.*---/],
    ['a key that stands twice', 'proxies: 1\nprocesses: 1\nproxies: 2\n', 3, /same key .* twice/],
  ];
  it.each(cases)('%s', async (_name, text, line, words) => {
    const issues = await issuesOf(load({ service: text }));
    expect(issues).toEqual([expect.objectContaining({ line })]);
    expect(`${issues[0]?.problem} ${issues[0]?.remedy}`).toMatch(words);
    expect(JSON.stringify(issues)).not.toContain('hunter2');
  });

  it('mistakes that have nothing to do with each other are all named', async () => {
    const issues = await issuesOf(
      load({ service: 'proxies: 1\nproxies: 2\nlog: { level: info, level: warn }\nx:\n\ta: 1' }),
    );
    expect(issues.map(({ line }) => line)).toEqual([2, 3, 5]);
  });
});
