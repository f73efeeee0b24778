// Checks the parameter `response_mode` of an authorization request. `provider/authorization-response.ts` signs and sends the response.

import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { ClientSettings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { isSigned } from '#openid/provider/authorization-response.ts';

/**
 * The response modes that each type of client may use (SEC-06). A server takes the response in the query or as a posted form. A page in the
 * browser takes it in the query or in the fragment. An application on a device takes it only in the query (OAuth 2.0 Multiple Response Type
 * Encoding Practices, section 2.1; Form Post Response Mode). Each mode is also allowed with a signed JWT (JWT Secured Authorization
 * Response Mode, section 2.3).
 */
const PLAIN_MODES: Readonly<Record<ClientSettings['type'], readonly string[]>> = {
  server: ['query', 'form_post'],
  browser: ['query', 'fragment'],
  native: ['query'],
  api: [],
};

/**
 * Makes the validator of `response_mode`. It throws `invalid_request` if the client may not use the mode.
 */
export function responseModeCheck(clients: Clients) {
  return ({ oidc }: KoaContextWithOIDC, mode: string | undefined): void => {
    const client = clients.find(oidc.client?.clientId ?? '');
    const { plain, signed, mustBeSigned } = modesOf(client);
    if (mode !== undefined && ![...plain, ...signed].includes(mode)) {
      const more = `or ${signed.join(', ')} for a signed response`;
      throw new errors.InvalidRequest(
        `response_mode ${mode} is not for clients of this type: use ${plain.join(' or ')}, ${more}`,
      );
    }
    if (mustBeSigned && !isSigned(mode)) {
      const modes = signed.join(' or ');
      throw new errors.InvalidRequest(`this client takes signed responses only: send response_mode=${modes}`);
    }
  };
}

/**
 * Sends each error in a mode that the client may use. If the request asked for another mode, the error is sent in the default mode; to a
 * client that must use signed responses, it is sent as a signed JWT. This is done for each error, because the library checks most parameters
 * before `response_mode`. No error goes to a callback that is no longer registered (SEC-03).
 */
export function sendErrorsReadably(provider: Provider, clients: Clients): void {
  const listener = ({ oidc }: KoaContextWithOIDC, error: Error) => {
    const client = clients.find(oidc?.client?.clientId ?? '');
    if (!client || !oidc.params) return;
    // An operator may have removed the callback while the person was signing in. The library then shows a page. The parameter stays, because
    // the page compares it with the registered callbacks.
    if (oidc.route === 'resume' && !oidc.client?.redirectUriAllowed(String(oidc.params['redirect_uri'])))
      Object.assign(error, { allow_redirect: false });
    const { plain, signed, mustBeSigned } = modesOf(client);
    const modes: unknown[] = mustBeSigned ? signed : [...plain, ...signed];
    if (!modes.includes(oidc.params['response_mode'])) oidc.params['response_mode'] = mustBeSigned ? 'jwt' : undefined;
  };
  // The library reads `response_mode` and `allow_redirect` after these events.
  provider.on('authorization.error', listener);
  provider.on('server_error', listener);
}

type Clients = Pick<ClientRegistry, 'find'>;

function modesOf(client: ClientSettings | undefined) {
  const plain = PLAIN_MODES[client?.type ?? 'api'];
  const signed = ['jwt', ...plain.map((name) => `${name}.jwt`)];
  return { plain, signed, mustBeSigned: client?.signedResponses === 'required' };
}
