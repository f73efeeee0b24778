// Authorization codes and pushed requests are good once (SEC-10, SEC-46): the database decides, in one conditional update, also
// between parallel requests and instances. What a second use revokes is the library's (SEC-11).

import { type Adapter, errors } from 'oidc-provider';
import { AlreadyConsumed, type OidcRecords } from '../../store/oidc/oidc-records.ts';

/** The adapter of what is good once, which refuses a second use with the error of its endpoint. */
export function usableOnce(adapter: Adapter, model: string, records: Pick<OidcRecords, 'consume'>): Adapter {
  return {
    ...adapter,
    consume: async (id) => {
      try {
        await records.consume(model, id);
      } catch (error) {
        if (!(error instanceof AlreadyConsumed)) throw error;
        throw model === 'PushedAuthorizationRequest'
          ? new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
          : new errors.InvalidGrant('authorization code already consumed');
      }
    },
  };
}
