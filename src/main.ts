// The table of commands, nothing else. What a command line means stands in `commands/command.ts`.

import type { CommandTable } from './commands/command.ts';
import { runCommandLine } from './commands/command.ts';

const COMMANDS: CommandTable = {};

process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2));
