// The command `check`: reports whether the configuration is valid, with every issue. With `--instances`, it compares the running instances
// with one another and with this machine. It never prints a secret.

import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_KEYS } from '#config/clients/client-schema.ts';
import {
  adviceOn,
  adviceOnCertificate,
  adviceOnPkce,
  adviceOnRefreshTokens,
  type ConfigIssue,
  ConfigurationError,
  certificateIssues,
  exposedFiles,
  type KnownSettings,
  loadConfiguration,
  loadWatchedClients,
  watchedFolderIssue,
} from '#config/index.ts';
import { environmentTable, keyTable } from '#config/schema/json-schema.ts';
import { SERVICE_KEYS } from '#config/service/service-schema.ts';
import { type ClientSettings, maskClient, maskSettings, type Settings } from '#config/settings.ts';
import { clientsDigest, settingsDigest } from '#server/instances/digests.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { counted, hygie } from '#shared/operator-messages.ts';
import { differencesOf, openInstances, type SeenInstance } from '#store/instances.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { action, type Command, flag, type Values } from './support/command.ts';
import { describeInstances } from './support/instances-text.ts';
import { json } from './support/output.ts';

const OPTIONS = {
  all: flag('Prints every effective setting and client as YAML; the verdict goes to standard error.'),
  json: flag('Prints one JSON object with ok, warnings, settings and clients, or with ok and faults.'),
  instances: flag(
    'Compares release, settings, clients, edition and clock of all running instances, and their configuration with the one here. Exit code 1 if something differs, or if no instance runs.',
  ),
  keys: flag('Prints every key of both files and every variable, with defaults and meanings (Markdown).'),
} as const;

export const checkCommand: Command = {
  name: 'check',
  summary: 'Checks the configuration; with --all also prints every effective setting, with secrets masked',
  action: action({
    forms: ['[--all | --json]', '--instances [--json]', '--keys'],
    options: OPTIONS,
    text: `
Validates service.yaml, clients.yaml and the environment as a whole. The first line is the verdict; warnings and a summary follow. If there are faults, the exit code is 1, and the command names each with its position and remedy. Warnings alone give exit code 0. The command changes nothing.
Secrets are masked; durations are printed in seconds. HYGIE_CONFIG names the folder of the files (by default ./config).`,
    run: check,
  }),
  examples: [
    ['check', 'before a start, and after each edit'],
    ['check --all | less', 'what is in force, defaults included'],
    ['check --instances', 'after each edit, once all instances have it'],
  ],
};

async function check(values: Values<typeof OPTIONS>): Promise<number> {
  if (values.keys) return printKeys();
  if (values.instances) return checkInstances(values.json === true);
  try {
    const { settings, clients } = await loadConfiguration(process.env, async (known) => [
      ...(await certificateIssues(known)),
      ...(await watchIssues(known)),
    ]);
    const exposed = await exposedFiles(process.env, settings);
    const warnings = [
      ...adviceOn(settings),
      ...(await adviceOnCertificate(settings)),
      ...adviceOnPkce(settings, clients),
      ...adviceOnRefreshTokens(clients),
      ...exposed,
    ];
    const effective = { settings: maskSettings(settings), clients: clients.map(maskClient) };
    const said = verdict(clients.length, warnings);
    if (values.json) {
      process.stderr.write(said);
      process.stdout.write(json({ ok: true, warnings, ...effective }));
    } else if (values.all) {
      process.stderr.write(said);
      process.stdout.write(stringify(effective));
    } else {
      process.stdout.write(`${said}\n${summary(effective.settings, clients)}\n`);
    }
    return 0;
  } catch (error) {
    if (!values.json || !(error instanceof ConfigurationError)) throw error;
    process.stdout.write(json({ ok: false, faults: error.issues }));
    return 1;
  }
}

function verdict(clients: number, warnings: readonly string[]): string {
  const lines = [`Configuration is valid: ${counted(clients, 'client')}, ${counted(warnings.length, 'warning')}`];
  return [...lines, ...warnings.map((warning) => `  Warning: ${warning}`), ''].join('\n');
}

/** Lists the settings that an operator looks for first. Secrets in `settings` have been masked by the caller. */
function summary(settings: Settings, clients: readonly ClientSettings[]): string {
  const { database, listen, configFolder } = settings;
  const types = Map.groupBy(clients, ({ type }) => type);
  const rows = [
    ['mode', settings.mode],
    ['issuer', settings.issuer],
    ['directory', settings.directory.url],
    [
      'listens on',
      `${listen.host}:${listen.port}${listen.tls ? ' (TLS)' : ''}; processes: ${settings.processes}; proxies: ${settings.proxies}`,
    ],
    ['database', database.engine === 'sqlite' ? database.file : database.url],
    ['data folder', settings.dataFolder],
    ['files', `${join(configFolder, 'service.yaml')}, ${join(configFolder, 'clients.yaml')}`],
    ['clients', [...types].map(([type, list]) => `${list.length} ${type}`).join(', ') || 'none'],
  ];
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(13)}${value}`);
  return [...lines, '', `Every setting: ${hygie('check --all')}`].join('\n');
}

function printKeys(): number {
  const tables = {
    'service.yaml': keyTable(SERVICE_KEYS),
    'clients.yaml': keyTable(CLIENT_KEYS),
    environment: environmentTable(),
  };
  for (const [name, table] of Object.entries(tables)) process.stdout.write(`## ${name}\n\n${table}\n\n`);
  return 0;
}

// Checks the folder that is watched for editions (`directory.watch`). The service does not check this folder when it starts, because an
// unavailable network folder must not keep it from starting.
async function watchIssues({ configFolder, dataFolder, directory }: KnownSettings): Promise<ConfigIssue[]> {
  const { watch } = directory;
  const issue = watch && (await watchedFolderIssue(watch, dataFolder));
  if (!issue) return [];
  const problem = `${watch}: ${issue.problem}`;
  return [{ file: join(configFolder, 'service.yaml'), path: 'directory.watch', problem, remedy: issue.remedy }];
}

type Digests = Readonly<Record<'settings' | 'clients', string>>;

/**
 * Prints the instances that serve. Resolves with exit code 1 if they differ from one another or from the configuration of this machine, or
 * if no instance serves.
 */
function checkInstances(asJson: boolean): Promise<number> {
  return withCurrentDatabase(async (database, settings) => {
    const { clients, loaded } = await loadWatchedClients(settings);
    const here = {
      settings: settingsDigest(settings),
      clients: clientsDigest(clients, loaded.hashes, settings),
    };
    const instances = await openInstances(database).list();
    const differ = differencesOf(instances);
    const differHere = differencesFrom(here, instances);
    const { current } = await readPointer(database);
    const [, head = 'No instance serves.', ...lines] = describeInstances(instances, current);
    const unlike = differHere.length > 0 ? `, which DIFFER in: ${differHere.join(', ')}` : '';
    const told = `${head}\n${lines.map((line) => `${line}\n`).join('')}  here: settings ${here.settings}, clients ${here.clients}${unlike}\n`;
    process.stdout.write(asJson ? json({ here, differ, differHere, instances }) : told);
    return differ.length > 0 || differHere.length > 0 || instances.length === 0 ? 1 : 0;
  });
}

/**
 * Names the digests (`settings`, `clients`) in which some instance differs from this machine. An instance that has not reported a digest
 * yet is not compared.
 */
function differencesFrom(here: Digests, instances: readonly SeenInstance[]): string[] {
  const isUnlike = (what: keyof Digests) =>
    instances.some(({ [what]: digest }) => digest !== undefined && digest !== here[what]);
  return (['settings', 'clients'] as const).filter(isUnlike);
}
