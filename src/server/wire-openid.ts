// Wires the OpenID half: passes it the stores, and facts about the directory.

import { createPersonNames, createRecordLabels } from '#directory/resources/record-names.ts';
import { createOpenId, type OpenId } from '#openid/openid.ts';
import type { Site } from '#web/site.ts';
import type { AppOptions } from './app-options.ts';
import { countProviderErrors } from './metrics/provider-errors.ts';

export function openId(options: AppOptions, site: Site): OpenId {
  const { snapshots, hidden } = options.directory;
  return createOpenId({
    ...options,
    ...options.stores,
    ...options.outgoing,
    site,
    isShared: options.fictional.isShared,
    // This is a function because the edition may change between two uses.
    edition: () => ({ id: snapshots.current()?.id, hidden: hidden() }),
    namesInDirectory: createPersonNames(snapshots),
    labelInDirectory: createRecordLabels(snapshots),
    built: (provider) => countProviderErrors(provider, options.observability.metrics?.metrics),
  });
}
