// The OpenID provider: oidc-provider with our configuration, then our middleware and events, then the patches. The head of
// `configuration.ts` follows a request.

import { Provider } from 'oidc-provider';
import { tokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { configuration } from './configuration.ts';
import { addMiddleware } from './middleware.ts';
import { applyPatches } from './patches/index.ts';
import type { ProviderOptions } from './provider-options.ts';

/**
 * Makes the provider. Requests must reach it with the issuer's Host header (`server/middleware/check-host.ts` checks that). Throws if the
 * installed oidc-provider is not the version for which the patches were written.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { settings } = options;
  const tokens = tokenEndpoint(options);
  const provider = new Provider(settings.issuer, configuration(options, tokens));
  // `server/middleware/check-host.ts` sets host and scheme from the issuer first. This option makes the library read the scheme.
  provider.proxy = true;
  if (settings.proxies > 0) provider.maxIpsCount = settings.proxies;
  addMiddleware(provider, options, tokens);
  applyPatches(provider, options.checkSecret);
  return provider;
}
