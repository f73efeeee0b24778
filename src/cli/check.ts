// `hygie check`: the effective settings, or every issue of the configuration. Nothing that it prints is a secret.

import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  adviceOn,
  adviceOnPkce,
  adviceOnRefreshTokens,
  type ConfigIssue,
  ConfigurationError,
  exposedFiles,
  loadConfiguration,
  watchedFolderIssue,
} from '../config/index.ts';
import { maskClient, maskSettings } from '../config/masked.ts';
import { environmentTable, keyTable } from '../config/schema/key-table.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../shared/operator-errors.ts';
import { printNotice } from '../shared/print-notice.ts';
import { type Command, parseOptions } from './support/command.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'Validates the configuration and prints the effective settings, secrets masked',
  help: `
Validates service.yaml, clients.yaml and the environment as a whole, and prints the effective settings as YAML.
Exit code 1 and every fault, each with its position and remedy, when there is one. Changes nothing.

Usage: hygie check [--json]
       hygie check --keys

  --json   the settings and clients, or the faults, as one JSON object
  --keys   every key of both files and every variable, with defaults and meanings (Markdown)

Durations are printed in seconds. Where the files are: HYGIE_CONFIG (./config).`,
  async run(args) {
    const { values, positionals } = parseOptions(args, { json: { type: 'boolean' }, keys: { type: 'boolean' } });
    if (positionals.length > 0) throw new UsageError(`check takes no "${positionals[0]}".`);
    if (values.keys) {
      const tables = {
        'service.yaml': keyTable('service'),
        'clients.yaml': keyTable('clients'),
        environment: environmentTable(),
      };
      for (const [name, table] of Object.entries(tables)) process.stdout.write(`## ${name}\n\n${table}\n\n`);
      return 0;
    }
    try {
      const { settings, clients } = await loadConfiguration(process.env);
      const issues = await watchIssues(settings);
      if (issues.length > 0) throw new ConfigurationError(issues);
      const effective = { settings: maskSettings(settings), clients: clients.map(maskClient) };
      const text = values.json ? JSON.stringify({ ok: true, ...effective }, null, 2) : stringify(effective).trimEnd();
      process.stdout.write(`${text}\n`);
      const exposed = await exposedFiles(process.env, settings.configFolder);
      const advice = [
        ...adviceOn(settings),
        ...adviceOnPkce(settings, clients),
        ...adviceOnRefreshTokens(clients),
        ...exposed,
      ];
      for (const line of advice) printNotice(`Note: ${line}`);
      process.stderr.write(
        `The configuration is good: ${clients.length} ${clients.length === 1 ? 'client' : 'clients'}.\n`,
      );
      return 0;
    } catch (error) {
      if (!values.json || !(error instanceof ConfigurationError)) throw error;
      process.stdout.write(`${JSON.stringify({ ok: false, faults: error.issues }, null, 2)}\n`);
      return 1;
    }
  },
};

// Checked only here: a folder on a network that is unavailable must not keep the service from starting.
async function watchIssues({ configFolder, dataFolder, directory }: Settings): Promise<ConfigIssue[]> {
  const { watch } = directory;
  const issue = watch && (await watchedFolderIssue(watch, dataFolder));
  if (!issue) return [];
  const problem = `${watch}: ${issue.problem}`;
  return [{ file: join(configFolder, 'service.yaml'), path: 'directory.watch', problem, remedy: issue.remedy }];
}
