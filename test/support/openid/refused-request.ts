// The context of a request that the library refuses, for what is said of the refusal.

export const ISSUER = 'https://c.example';

/** `client` and `params` stand for all that matters. */
export interface Refused {
  client?: object;
  params?: Record<string, unknown>;
  headers?: Record<string, string>;
  [member: string]: unknown;
}

export function refusedRequest({ client, params = {}, headers = {}, ...oidc }: Refused = {}): object {
  const registered = client && {
    clientId: 'app',
    clientAuthMethod: 'client_secret_basic',
    redirectUris: ['https://a.example/cb'],
    postLogoutRedirectUris: ['https://a.example/bye'],
    scope: 'openid',
    applicationType: 'web',
    redirectUriAllowed: (address: string) => address === 'https://a.example/cb',
    postLogoutRedirectUriAllowed: (address: string) => address === 'https://a.example/bye',
    ...client,
  };
  const urlFor = (name: string) => `${ISSUER}/${name}`;
  return {
    get: (name: string) => headers[name] ?? '',
    query: {},
    oidc: { route: 'authorization', client: registered, params, issuer: ISSUER, urlFor, ...oidc },
  };
}
