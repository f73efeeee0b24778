// Prints the help of every command as JSON, with commands named as in a checkout: its process has to be started so (`configuration-page.ts`).

import { COMMANDS } from '#cli/commands.ts';

const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
const whole = commands.map(({ name, summary, help, actionHelp = {} }) => ({
  name,
  summary,
  help: [help, ...Object.values(actionHelp)].map((text) => text.trim()).join('\n\n\n'),
}));
process.stdout.write(JSON.stringify(whole));
