// Checks the parameter `response_mode` of an authorization request. `provider/authorization-response.ts` signs and sends the response.

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
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
 * Makes the validator of `response_mode`, which throws `invalid_request`. The error is sent in the default mode, because the client may not
 * be able to read another; for a client that must use signed responses, as a signed JWT.
 */
export function responseModeCheck(clients: Pick<ClientRegistry, 'find'>) {
  return ({ oidc }: KoaContextWithOIDC, mode: string | undefined): void => {
    const client = clients.find(oidc.client?.clientId ?? '');
    const plain = PLAIN_MODES[client?.type ?? 'api'];
    const mustBeSigned = client?.signedResponses === 'required';
    const refuse = (reason: string) => {
      if (oidc.params) oidc.params['response_mode'] = mustBeSigned ? 'jwt' : undefined;
      throw new errors.InvalidRequest(reason);
    };
    const signed = ['jwt', ...plain.map((name) => `${name}.jwt`)];
    if (mode !== undefined && ![...plain, ...signed].includes(mode)) {
      const more = `or ${signed.join(', ')} for a signed response`;
      refuse(`response_mode ${mode} is not for clients of this type: use ${plain.join(' or ')}, ${more}`);
    }
    if (mustBeSigned && !isSigned(mode)) {
      refuse(`this client takes signed responses only: send response_mode=${signed.join(' or ')}`);
    }
  };
}
