// The command line: which commands there are.

import { type CommandTable, runCommandLine } from './cli/support/command.ts';

const COMMANDS: CommandTable = {
  serve: async () => (await import('./cli/serve.ts')).serveCommand,
  check: async () => (await import('./cli/check.ts')).checkCommand,
  health: async () => (await import('./cli/health.ts')).healthCommand,
  migrate: async () => (await import('./cli/migrate.ts')).migrateCommand,
  accounts: async () => (await import('./cli/accounts/accounts.ts')).accountsCommand,
  mail: async () => (await import('./cli/mail.ts')).mailCommand,
  clients: async () => (await import('./cli/clients.ts')).clientsCommand,
  keys: async () => (await import('./cli/keys.ts')).keysCommand,
  audit: async () => (await import('./cli/audit/audit.ts')).auditCommand,
  directory: async () => (await import('./cli/directory/directory.ts')).directoryCommand,
};

process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2));
