// Counts the refusals of the OpenID provider, by endpoint and error code. They include the usual answers to `prompt=none`, which the audit
// trail leaves out.

import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Metrics } from './registry.ts';

const ENDPOINTS = {
  'grant.error': 'token',
  'pushed_authorization_request.error': 'pushed_authorization_request',
  'introspection.error': 'introspection',
  'revocation.error': 'revocation',
  'userinfo.error': 'userinfo',
  'end_session.error': 'end_session',
  server_error: 'other',
} as const;

/**
 * Counts the refusals of a provider. Call it after the other listeners were added, because these give errors their final code
 * (`openid/provider/errors/error-responses.ts`).
 */
export function countProviderErrors(provider: Provider, metrics: Metrics | undefined): void {
  if (!metrics) return;
  type Refusal = Pick<errors.OIDCProviderError, 'error'>;
  provider.on('authorization.error', (_ctx: KoaContextWithOIDC, { error }: Refusal) =>
    metrics.count('authorization_errors_total', { error }),
  );
  for (const [event, endpoint] of Object.entries(ENDPOINTS)) {
    provider.on(event as 'grant.error', (ctx: KoaContextWithOIDC, { error = 'server_error' }: Partial<Refusal>) =>
      metrics.count('oidc_errors_total', {
        endpoint: endpoint === 'other' ? (ctx.oidc?.route ?? endpoint) : endpoint,
        error,
      }),
    );
  }
}
