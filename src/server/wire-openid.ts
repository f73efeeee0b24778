// Wires the OpenID half: hands it the stores, and what it has to know of the directory.

import { createPersonNames, createRecordLabels } from '#directory/resources/record-names.ts';
import { type OpenId, openId as openIdOf } from '#openid/openid.ts';
import type { Site } from '#web/site.ts';
import type { AppOptions } from './app-options.ts';
import { countProviderErrors } from './metrics/provider-errors.ts';

export type { OpenId };

export function openId(options: AppOptions, site: Site): OpenId {
  const { snapshots } = options.directory;
  return openIdOf({
    ...options,
    ...options.stores,
    ...options.outgoing,
    site,
    isShared: options.fictional.isShared,
    // Asked anew at each use: another edition may be served since.
    edition: () => snapshots.current()?.id,
    namesInDirectory: createPersonNames(snapshots),
    labelInDirectory: createRecordLabels(snapshots),
    built: (provider) => countProviderErrors(provider, options.observability.metrics?.metrics),
  });
}
