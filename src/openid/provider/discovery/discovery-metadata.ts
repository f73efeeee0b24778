// What the discovery document names beyond what the library finds out by itself.

import type { Configuration } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { ID_TOKEN_ALGORITHMS } from '#openid/keys/service-keys.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/proof-algorithms.ts';
import { SANDBOX_PATH } from '#web/site.ts';

export const CONFIDENTIAL_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** The library's `enabledJWA`. Nothing is signed by HMAC: secrets are kept as hashes. */
export const ALGORITHMS: NonNullable<Configuration['enabledJWA']> = {
  idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  clientAuthSigningAlgValues: [...PROOF_ALGORITHMS],
  dPoPSigningAlgValues: [...PROOF_ALGORITHMS],
  requestObjectSigningAlgValues: [...PROOF_ALGORITHMS],
  authorizationSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  introspectionSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
};

/** The library's `discovery`: what its document has beside what the library knows. */
export function discoveryMetadata({ issuer, sandbox }: Pick<Settings, 'issuer' | 'sandbox'>) {
  return {
    // RFC 8414 section 2: without these, a client has to assume that a secret in the header is the only method.
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
    introspection_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL_METHODS, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['fr', 'en'],
    // RFC 8414 section 2.
    ...(sandbox && { service_documentation: issuer + SANDBOX_PATH }),
  };
}
