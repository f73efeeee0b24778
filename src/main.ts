// The table of commands, nothing else. What a command line means stands in `commands/command.ts`.

import type { CommandTable } from './commands/command.ts';
import { runCommandLine } from './commands/command.ts';

const COMMANDS: CommandTable = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  accounts: async () => (await import('./commands/accounts.ts')).accountsCommand,
  clients: async () => (await import('./commands/clients.ts')).clientsCommand,
  keys: async () => (await import('./commands/keys.ts')).keysCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  directory: async () => (await import('./commands/directory.ts')).directoryCommand,
};

process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2));
