// Which response modes each type of client may use (SEC-06).

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings } from '../../config/settings.ts';
import type { ClientRegistry } from './client-registry.ts';

/**
 * A server takes the response in the query or as a form that is posted to it, a page in the browser also in the fragment, an
 * application on a device in the query alone (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1; Form Post
 * Response Mode).
 */
const RESPONSE_MODES: Readonly<Record<ClientSettings['type'], readonly string[]>> = {
  server: ['query', 'form_post'],
  browser: ['query', 'fragment'],
  native: ['query'],
  api: [],
};

/**
 * Validator of the parameter. Throws `invalid_request`, which is sent by the default mode: by another nobody might receive it.
 */
export function responseModeCheck(clients: Pick<ClientRegistry, 'find'>) {
  return ({ oidc }: KoaContextWithOIDC, mode: string | undefined): void => {
    const allowed = RESPONSE_MODES[clients.find(oidc.client?.clientId ?? '')?.type ?? 'api'];
    if (mode === undefined || allowed.includes(mode)) return;
    if (oidc.params) oidc.params['response_mode'] = undefined;
    throw new errors.InvalidRequest(
      `response_mode ${mode} is not for clients of this type: use ${allowed.join(' or ')}`,
    );
  };
}
