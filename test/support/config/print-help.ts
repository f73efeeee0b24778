// Prints the help of every command as JSON, with commands named as in a checkout: its process has to be started so (`configuration-page.ts`).

import { COMMANDS } from '../../../src/cli/commands.ts';

const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
process.stdout.write(JSON.stringify(commands.map(({ name, summary, help }) => ({ name, summary, help: help.trim() }))));
