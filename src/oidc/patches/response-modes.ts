// Owns how a client may have its authorization response (SEC-06). Does not own the ways themselves, which are the library's.

import { errors, Provider } from 'oidc-provider';
import type { ClientSettings } from '../../config/settings.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';

/**
 * A server takes it in the query or as a form that is posted to it, a page in the browser also behind the `#`, an application
 * on a device in the query alone (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1; Form Post Response Mode).
 */
const RESPONSE_MODES: Readonly<Record<ClientSettings['type'], readonly string[]>> = {
  server: ['query', 'form_post'],
  browser: ['query', 'fragment'],
  native: ['query'],
  api: [],
};

/**
 * Bends the check of a provider that has answered nothing yet. What is refused goes the way that such a response goes by
 * default: a page that may not post would show the person nothing, and tell the client nothing.
 */
export function limitResponseModes(provider: Provider, clients: ClientRegistry): void {
  const prototype = provider.Client.prototype as unknown as {
    clientId: string;
    responseModeAllowed(mode: string | undefined, responseType: string | undefined): boolean;
  };
  prototype.responseModeAllowed = function (mode, responseType) {
    // Other types have other modes by default: such a request is refused for its type.
    if (mode === undefined || responseType !== 'code') return true;
    const allowed = RESPONSE_MODES[clients.find(this.clientId)?.type ?? 'api'];
    if (allowed.includes(mode) || allowed.length === 0) return allowed.length > 0;
    const { params } = Provider.ctx?.oidc ?? {};
    if (params) params['response_mode'] = undefined;
    throw new errors.InvalidRequest(
      `response_mode ${mode} is for clients of type ${typesThatMay(mode)}: use ${allowed.join(' or ')}`,
    );
  };
}

function typesThatMay(mode: string): string {
  const types = Object.entries(RESPONSE_MODES).filter(([, modes]) => modes.includes(mode));
  return types.map(([type]) => type).join(' and ');
}
