// The OpenID provider: oidc-provider with our configuration, our middleware and events, and the patches. The head of `configuration.ts`
// describes the steps of an authorization request.

import { Provider } from 'oidc-provider';
import { tokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { configuration } from './configuration.ts';
import { addMiddleware } from './middleware.ts';
import { applyPatches } from './patches/index.ts';
import type { ProviderOptions } from './provider-options.ts';

/**
 * Makes the provider. Requests must reach it with the issuer's Host header (`server/middleware/check-host.ts` checks that). Throws if a
 * member of the installed oidc-provider is not as a patch expects it.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { settings } = options;
  const tokens = tokenEndpoint(options);
  const provider = new Provider(settings.issuer, configuration(options, tokens));
  // `server/middleware/check-host.ts` has set the host and the scheme in the headers of each request. With this option, the library reads
  // the scheme from these headers.
  provider.proxy = true;
  if (settings.proxies > 0) provider.maxIpsCount = settings.proxies;
  addMiddleware(provider, options, tokens);
  applyPatches(provider, options.checkSecret);
  return provider;
}
