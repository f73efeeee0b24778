// Opens the registry of clients. It holds the clients of `clients.yaml` and the service's own. Edits of `clients.yaml` take effect at once.

import { ownClient, ownTryClients } from '#config/built-in-clients.ts';
import { type ConfigurationError, issueReport, type LoadedClients, watchClients } from '#config/index.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { type ClientRegistry, createClientRegistry } from '#openid/clients/client-registry.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { recordClientEdits } from './audit/client-changes.ts';
import { clientsDigest } from './instances/digests.ts';
import type { Metrics } from './metrics/registry.ts';
import type { Closers } from './process/closers.ts';

/** The clients that were read from `clients.yaml` at the start. */
export interface WrittenClients {
  settings: Settings;
  clients: readonly ClientSettings[];
  /**
   * The state of `clients.yaml` when `loadWatchedClients` read it. If somebody edits the file after that and before it is watched, the edit
   * is found by a comparison with this state.
   */
  loadedClients?: LoadedClients | undefined;
}

interface ClientsOptions extends WrittenClients {
  /** Clients of the demonstration. */
  demoClients: readonly ClientSettings[];
  log: Logger;
  /** Records edits of `clients.yaml`. It is undefined if another process of the service records them. */
  audit: AuditTrail | undefined;
  metrics: Metrics | undefined;
}

/**
 * Opens the registry, which follows the file. `replace` has the same effect as an edit of the file. `digest` returns the digest of the
 * clients in force.
 */
export function openClients(
  { demoClients, log, audit, metrics, ...written }: ClientsOptions,
  closers: Closers,
): { clients: ClientRegistry; replace(clients: readonly ClientSettings[]): void; digest(): string } {
  const own = [ownClient(written.settings), ...ownTryClients(written.settings), ...demoClients];
  const clients = createClientRegistry([...written.clients, ...own]);
  let inForce = written.clients;
  const replace = (list: readonly ClientSettings[]) => {
    inForce = list;
    clients.replace([...list, ...own]);
  };
  const tellRefused = (isRefused: boolean) => metrics?.set('clients_refused', {}, Number(isRefused));
  tellRefused(false);
  const accepted = (edited: readonly ClientSettings[]) => {
    replace(edited);
    tellRefused(false);
    log.info({ clients: edited.length }, 'clients.yaml: the edit is in force');
  };
  const refused = (error: ConfigurationError) => {
    tellRefused(true);
    log.error(
      { faults: error.issues.length },
      `clients.yaml: the edit is refused, the last good version stays in force\n${issueReport(error)}`,
    );
  };
  followClients(
    written,
    [...(audit ? [recordClientEdits(audit, written.clients)] : []), { accepted, refused }],
    closers,
  );
  return { clients, replace, digest: () => clientsDigest(inForce, written.loadedClients?.hashes, written.settings) };
}

/** Tells each listener about accepted and refused edits of `clients.yaml`. */
export function followClients(
  { settings, loadedClients }: WrittenClients,
  listeners: readonly ReturnType<typeof recordClientEdits>[],
  closers: Closers,
): void {
  const watch = watchClients(
    settings,
    (edited) => {
      for (const { accepted } of listeners) accepted(edited);
    },
    (error) => {
      for (const { refused } of listeners) refused(error);
    },
    process.env,
    loadedClients,
  );
  closers.add(() => watch.close());
}
