// What `hygie directory --help` says of each action, with its examples and the forms of its options.

import { expect, it } from '@jest/globals';
import { directoryCommand } from '#cli/directory/directory.ts';
import { helpOf } from '#cli/support/help.ts';

it('is this', () => {
  process.env['HYGIE_COMMAND'] = 'hygie';
  try {
    const actions = Object.keys(directoryCommand.actions ?? {});
    expect([undefined, ...actions].map((action) => helpOf(directoryCommand, action))).toMatchSnapshot();
  } finally {
    delete process.env['HYGIE_COMMAND'];
  }
});
