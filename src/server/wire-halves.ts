// Wires the two halves of the service. The OpenID provider gets the stores, and facts about the directory. The FHIR directory gets the
// check of access tokens and the rates of clients. The pages that describe the directory get the addresses of the endpoints.

import type { RequestHandler } from 'express';
import { TRY_PATH, tryClientIn } from '#config/built-in-clients.ts';
import type { Rate, Settings } from '#config/settings.ts';
import { demoPaths } from '#demo/paths.ts';
import { type RateRules, SERVICE_ACCOUNT_RATE, shareOf } from '#directory/middleware/limit-requests.ts';
import { createDescriptions } from '#directory/reference/descriptions.ts';
import { REFERENCE, referenceRouter } from '#directory/reference/router.ts';
import { createPersonNames, createRecordLabels } from '#directory/resources/record-names.ts';
import { directoryRouter } from '#directory/router.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { createOpenId, type OpenId } from '#openid/openid.ts';
import { authorizationServer } from '#openid/provider/discovery.ts';
import { createIntrospection, createPresentedTokenCheck } from '#openid/tokens/introspection.ts';
import { present } from '#shared/present.ts';
import { VERSION } from '#shared/version.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { SANDBOX_PATH, type Site } from '#web/site.ts';
import type { AppOptions } from './app-options.ts';
import { countProviderErrors } from './metrics/count-events.ts';
import { measureEntries } from './metrics/http-requests.ts';

/** The OpenID provider with its pages. */
export function openId(options: AppOptions, site: Site): OpenId {
  const { snapshots, hidden } = options.directory;
  return createOpenId({
    ...options,
    ...options.stores,
    ...options.outgoing,
    site,
    isShared: options.fictional.isShared,
    // A function and not a value, because the edition may change between two uses.
    edition: () => ({ id: snapshots.current()?.id, hidden: hidden() }),
    namesInDirectory: createPersonNames(snapshots),
    labelInDirectory: createRecordLabels(snapshots),
    built: (provider) => countProviderErrors(provider, options.observability.metrics?.metrics),
  });
}

/** Path of the page that describes the directory to people, below the issuer. */
export const DOCS_PATH = REFERENCE.docs;

/** Makes the FHIR server, which answers at the path of `settings.directory.url`. */
export function directory(options: AppOptions): RequestHandler {
  const { settings, clients, log } = options;
  const { snapshots, use } = options.directory;
  const { records } = options.stores;
  const { branding } = settings;
  const { metrics } = options.observability;
  return directoryRouter({
    baseUrl: settings.directory.url,
    namespace: settings.namespace,
    authorizationServer: authorizationServer(settings.issuer),
    introspect: createPresentedTokenCheck(
      createIntrospection(records, clients, options.fictional.isShared),
      records,
      settings.directory.url,
      clients,
    ),
    snapshots,
    usedWithoutPerson: use.count,
    ...(metrics && { entryAnswered: measureEntries(metrics.metrics) }),
    rates: rates(settings, clients),
    exports: { downloads: settings.directory.downloads },
    version: VERSION,
    publication: {
      publisher: branding.name,
      ...present({ supportUrl: branding.supportUrl, reportUrl: settings.directory.reportUrl }),
      docs: settings.issuer + DOCS_PATH,
      ...(settings.sandbox && { sandbox: settings.issuer + SANDBOX_PATH }),
    },
    log,
  });
}

/** The pages and documents that describe the directory to people and to programs, below the issuer. */
export function reference(options: AppOptions, site: Site): RequestHandler {
  const { settings, clients, directory, fictional, log } = options;
  const { snapshots } = directory;
  const { issuer, demo, namespace } = settings;
  const base = settings.directory.url;
  const server = authorizationServer(issuer);
  const docs = issuer + DOCS_PATH;
  const own = { base, namespace, fictional: demo };
  const { filled } = directory;
  const describe = createDescriptions({
    ...own,
    filled,
    snapshots,
    docs,
    version: VERSION,
    authorizationServer: server,
    log,
    addresses: {
      base,
      namespace,
      authorizationUrl: server.authorization_endpoint,
      tokenUrl: server.token_endpoint,
      tryPage: site.base + TRY_PATH,
    },
  });
  return referenceRouter({
    site,
    issuer,
    client: () => tryClientIn(settings, clients),
    person: fictional.demo?.accounts?.[0],
    directory: async () => (await describe()).directory,
    openapi: async () => (await describe()).openapi,
    freshness: async () => {
      const snapshot = snapshots.current();
      if (!snapshot) return undefined;
      const created = snapshots.createdAt(snapshot.id);
      return { counts: await snapshot.counts(), ...(created !== undefined && { created }) };
    },
    ...(demo && { demo: `${site.base}${demoPaths.base}` }),
  });
}

/** Returns the rates that one process allows. */
function rates({ directory, processes }: Settings, clients: ClientRegistry): RateRules {
  const ownOr = (byDefault: Rate) => (id: string) => shareOf(clients.find(id)?.rate ?? byDefault, processes);
  return {
    ofClient: ownOr(directory.rate),
    ofServiceAccount: ownOr(SERVICE_ACCOUNT_RATE),
    addressOf: clientAddress,
  };
}
