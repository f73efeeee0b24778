// The table of commands. A command is loaded only when it is called.

import type { CommandTable } from './support/command.ts';

export const COMMANDS: CommandTable = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  health: async () => (await import('./health.ts')).healthCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  accounts: async () => (await import('./accounts/accounts.ts')).accountsCommand,
  mail: async () => (await import('./mail.ts')).mailCommand,
  clients: async () => (await import('./clients.ts')).clientsCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  audit: async () => (await import('./audit/audit.ts')).auditCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand,
  directory: async () => (await import('./directory/directory.ts')).directoryCommand,
};
