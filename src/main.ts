// The command line: runs the command that the first argument names. `launch.js`, which every start of the program runs first, loads this
// file.

import { COMMANDS } from './cli/commands.ts';
import { runCommandLine } from './cli/support/command-line.ts';
import { handleOutputErrors } from './cli/support/output-errors.ts';

handleOutputErrors();
process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2));
