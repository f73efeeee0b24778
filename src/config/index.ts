// The configuration as the rest of the service imports it, and the function with which the command `check` reads all of it at once.

import { tryClientIssues } from './built-in-clients.ts';
import { readClients } from './clients/load-clients.ts';
import { type ConfigIssue, ConfigurationError } from './configuration-error.ts';
import type { Environment } from './environment/environment.ts';
import { type KnownSettings, readService } from './service/load-settings.ts';
import type { ClientSettings, Settings } from './settings.ts';

export { tryClientIssues } from './built-in-clients.ts';
export { clientsAsWritten, type LoadedClients, loadClients, loadWatchedClients } from './clients/load-clients.ts';
export { type Watch, watchClients } from './clients/watch-clients.ts';
export { type ConfigIssue, ConfigurationError, issueReport } from './configuration-error.ts';
export { operatorNamed } from './environment/environment.ts';
export { keyFileIn } from './environment/secrets.ts';
export { adviceOn, adviceOnPkce, adviceOnRefreshTokens, exposedFiles, watchedFolderIssue } from './service/advice.ts';
export {
  adviceOnCertificate,
  type Certificate,
  certificateIssues,
  expiryWarning,
  readCertificate,
} from './service/certificate.ts';
export { type KnownSettings, listeningAddress, loadSettings } from './service/load-settings.ts';

/**
 * Reads settings and clients together. Throws one `ConfigurationError` with the issues of both files and of the environment. `further`
 * returns more issues, about the files and folders that the settings name. It is called even if some settings are not valid.
 */
export async function loadConfiguration(
  env: Environment = process.env,
  further: (known: KnownSettings) => Promise<ConfigIssue[]> = async () => [],
): Promise<{ settings: Settings; clients: ClientSettings[] }> {
  const service = await readService(env);
  const { clients, issues } = await readClients(service.settings ?? service, env);
  const named = await further(service.known);
  if (service.settings && clients) named.push(...tryClientIssues(service.settings, clients));
  if (service.settings && clients && named.length === 0) return { settings: service.settings, clients };
  throw new ConfigurationError([...service.issues, ...issues, ...named]);
}
