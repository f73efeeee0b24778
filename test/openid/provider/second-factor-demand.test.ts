// SEC-41, OpenID Connect Core 5.5.1.1: which requests demand a second factor.

import { expect, it } from '@jest/globals';
import { SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import { secondFactorDemand } from '#openid/provider/prompts/prompts.ts';
import { PASSWORD_ACR, SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';

const acr = (wanted: object | null) => ({ claims: JSON.stringify({ id_token: { acr: wanted } }) });

it.each<[demand: string | undefined, params: object, secondFactor?: string, client?: object | undefined]>([
  [undefined, {}],
  ['required', {}, 'required'],
  ['required', {}, 'optional', { [SECOND_FACTOR]: 'required' }],
  [undefined, {}, 'optional', undefined],
  ['required', acr({ essential: true, value: SECOND_FACTOR_ACR })],
  [undefined, acr({ value: SECOND_FACTOR_ACR })],
  [undefined, acr({ essential: true, value: PASSWORD_ACR })],
  [undefined, acr(null)],
  ['wanted', { acr_values: `x ${SECOND_FACTOR_ACR} ${PASSWORD_ACR}` }],
  [undefined, { acr_values: `${PASSWORD_ACR} ${SECOND_FACTOR_ACR}` }],
])(
  'SEC-41 the demand for a second factor is %s for the request %j',
  (demand, params, secondFactor = 'optional', client) => {
    const asked = { params, client, settings: { secondFactor } };
    expect(secondFactorDemand(asked as never)).toBe(demand);
  },
);
