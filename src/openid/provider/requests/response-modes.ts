// Decides which response modes each type of client may use (SEC-06).

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { isSigned } from '#openid/provider/responses/authorization-response.ts';

/**
 * A server takes the response in the query or as a posted form. A page in the browser may also take it in the fragment, an application on a
 * device only in the query (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1; Form Post Response Mode). Each of these may
 * also be requested as a signed JWT (JWT Secured Authorization Response Mode, section 2.3).
 */
const PLAIN_MODES: Readonly<Record<ClientSettings['type'], readonly string[]>> = {
  server: ['query', 'form_post'],
  browser: ['query', 'fragment'],
  native: ['query'],
  api: [],
};

/**
 * Validator of the parameter. Throws `invalid_request`, which is sent by the default mode, since nobody may be listening for another one.
 */
export function responseModeCheck(clients: Pick<ClientRegistry, 'find'>) {
  return ({ oidc }: KoaContextWithOIDC, mode: string | undefined): void => {
    const client = clients.find(oidc.client?.clientId ?? '');
    const plain = PLAIN_MODES[client?.type ?? 'api'];
    const refuse = (answeredBy: string | undefined, reason: string) => {
      if (oidc.params) oidc.params['response_mode'] = answeredBy;
      throw new errors.InvalidRequest(reason);
    };
    const signed = ['jwt', ...plain.map((name) => `${name}.jwt`)];
    if (mode !== undefined && ![...plain, ...signed].includes(mode)) {
      const more = `or ${signed.join(', ')} for a signed response`;
      refuse(undefined, `response_mode ${mode} is not for clients of this type: use ${plain.join(' or ')}, ${more}`);
    }
    if (client?.signedResponses === 'required' && !isSigned(mode)) {
      refuse('jwt', `this client takes signed responses only: send response_mode=${signed.join(' or ')}`);
    }
  };
}
