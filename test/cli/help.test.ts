// What `--help` says of each command: scripts and units of operators use these names, forms, options and examples.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { COMMANDS } from '#cli/commands.ts';
import { helpOfAll } from '#cli/support/help.ts';
import { configurationPages } from '#support/config/configuration-page.ts';
import { CONFIG } from '#support/config/shipped.ts';

it('is what the page of commands says (npm run schemas)', async () => {
  const pages = await configurationPages();
  expect(pages['commands.md']).toBe(readFileSync(join(CONFIG, 'commands.md'), 'utf8'));
});

it('names each command, and its examples, options and their forms', async () => {
  process.env['HYGIE_COMMAND'] = 'hygie';
  const all = await helpOfAll(COMMANDS).finally(() => delete process.env['HYGIE_COMMAND']);
  expect(all).toMatchSnapshot();
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const told = commands.flatMap(({ name, examples, action, actions = {} }) => [
    [name, examples, action?.options],
    ...Object.entries(actions).map(([word, one]) => [`${name} ${word}`, one.examples, one.options]),
  ]);
  const withoutTexts = JSON.stringify(
    told,
    (key, value) => (key === 'text' ? undefined : value instanceof RegExp ? String(value) : value),
    1,
  );
  expect(withoutTexts).toMatchSnapshot();
});
