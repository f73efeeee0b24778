// The OpenID provider: oidc-provider with our configuration, our middleware and events, and the patches, in this order. The way of a
// request: head of `configuration.ts`.

import { Provider } from 'oidc-provider';
import { tokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { configuration } from './configuration.ts';
import { addMiddleware } from './middleware.ts';
import { applyPatches } from './patches/index.ts';
import type { ProviderOptions } from './provider-options.ts';

/**
 * Makes the provider. Requests must reach it with the issuer's Host (`src/server/app.ts` sees to it). Throws when the installed
 * oidc-provider is not the version that the patches were written for.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { settings } = options;
  const tokens = tokenEndpoint(options);
  const provider = new Provider(settings.issuer, configuration(options, tokens));
  // Host and scheme are set from the issuer before a request gets here. This option makes the library read the scheme.
  provider.proxy = true;
  if (settings.proxies > 0) provider.maxIpsCount = settings.proxies;
  addMiddleware(provider, options, tokens);
  applyPatches(provider, options.checkSecret);
  return provider;
}
