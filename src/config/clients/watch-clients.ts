// Watches `clients.yaml` while the service runs. A valid edit takes effect without a restart. An edit with issues is refused as a whole.

import { unwatchFile, watch, watchFile } from 'node:fs';
import { ConfigurationError } from '#config/configuration-error.ts';
import type { Environment } from '#config/environment/environment.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { hygie } from '#shared/operator-messages.ts';
import {
  type ClientsReading,
  clientsFile,
  type LoadedClients,
  markOf,
  readClients,
  type SecretHashes,
} from './load-clients.ts';

const SETTLE_MS = 150;
// The file is also polled every 5 seconds, because network file systems and some mounted volumes report no changes.
const LOOK_MS = 5000;
const GONE_REMEDY = 'Put the file back; to have no clients, write `clients: []`.';
const EMPTY_REMEDY = 'Save it again; to have no clients, write `clients: []`.';

export interface Watch {
  /** Resolves when the file has been read for the first time. From then on, every edit is noticed. */
  ready: Promise<void>;
  close(): void;
}

/**
 * Calls `onChange` with all clients after each valid edit, and `onIssues` after each edit with issues. After `onIssues`, the caller keeps
 * the clients that it has. If an edit has changed nothing, no function is called. `loaded` is the state that the caller has loaded
 * (`loadWatchedClients`). If the file was edited after that, one of the two functions is called at once. Without `loaded`, the first
 * reading of the file calls no function. Not only the file but its whole folder is watched, because an editor may replace the file by a new
 * one, and the file may be a symbolic link that is replaced. So edits of files with secrets in that folder are noticed too.
 */
export function watchClients(
  settings: Pick<Settings, 'mode' | 'configFolder'> & Partial<Pick<Settings, 'outgoing' | 'keys'>>,
  onChange: (clients: ClientSettings[]) => void,
  onIssues: (error: ConfigurationError) => void,
  env: Environment = process.env,
  loaded?: LoadedClients,
): Watch {
  const file = clientsFile(settings);
  const hashes: SecretHashes = loaded?.hashes ?? new Map();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let last =
    loaded !== undefined
      ? look(loaded.mark).catch(refuse)
      : read().then(
          ({ mark }) => mark,
          () => '',
        );

  async function read() {
    const reading = await readClients(settings, env, hashes);
    return { clients: reading.clients ?? [], error: errorOf(reading), mark: markOf(reading) };
  }

  function errorOf({ clients, text, issues }: ClientsReading): ConfigurationError | undefined {
    if (text === undefined) return fault('The file is gone.', GONE_REMEDY);
    // A save that was cut short leaves an empty file. So an empty file is an issue, and a file that names no clients on purpose must hold
    // `clients: []`. The text of a file that cannot be read is empty, too, but such a file has an issue of its own.
    if (clients && text.trim() === '') return fault('The file is empty.', EMPTY_REMEDY);
    return clients ? undefined : new ConfigurationError(issues);
  }

  function fault(problem: string, remedy: string): ConfigurationError {
    return new ConfigurationError([{ file, path: '', problem, remedy }]);
  }

  async function look(before: string): Promise<string> {
    if (closed) return before;
    const { clients, error, mark } = await read();
    if (closed || mark === before) return before;
    if (error) onIssues(error);
    else onChange(clients);
    return mark;
  }

  function refuse(error: unknown): string {
    const problem = `The edit could not be applied: ${error instanceof Error ? error.message : String(error)}`;
    const remedy = `Run \`${hygie('check')}\`; when it finds nothing, restart the service.`;
    onIssues(fault(problem, remedy));
    return '';
  }

  const settle = () => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = last.then(look).catch(refuse);
    }, SETTLE_MS);
  };

  const folder = watch(settings.configFolder, { persistent: false }, settle);
  // The folder itself may disappear, for example when a volume is mounted again. Then only polling notices changes.
  folder.on('error', () => folder.close());
  watchFile(file, { persistent: false, interval: LOOK_MS }, settle);
  return {
    ready: last.then(() => undefined),
    close() {
      closed = true;
      clearTimeout(timer);
      folder.close();
      unwatchFile(file, settle);
    },
  };
}
