// Prints the help of each command that its arguments name, one after the other in one process: what a module has written into its
// help when it was loaded is that of this process's environment.

import '../../../src/compile-cache.js';

const { COMMANDS } = await import('#cli/commands.ts');
const { runCommandLine } = await import('#cli/support/command-line.ts');

for (const name of process.argv.slice(2))
  process.exitCode = (await runCommandLine(COMMANDS, [name, '--help'])) || process.exitCode;
