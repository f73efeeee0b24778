// The names of the cookies, with the prefix that browsers enforce (RFC 6265bis section 4.1.3). A neighbour under the same domain, or
// somebody on a plain connection, cannot plant a cookie with such a name.

/** The names of all cookies. The purpose of each is explained where it is set. */
export const COOKIES = {
  session: 'hygie_session',
  interaction: 'hygie_interaction',
  resume: 'hygie_resume',
  page: 'hygie_page',
  account: 'hygie_account',
  devices: 'hygie_devices',
  request: 'hygie_request',
  signedIn: 'hygie_signed_in',
  finished: 'hygie_finished',
  accountSignIn: 'hygie_account_sign_in',
  link: 'hygie_link',
  language: 'hygie_language',
} as const;

interface Reach {
  /** True if the issuer is https. Over http, browsers refuse a cookie with a prefix. */
  secure: boolean;
  path: string;
}

/** The name of a cookie with `__Host-`, which is for the path `/` alone, or else with `__Secure-`. */
export function cookieName(name: string, { secure, path }: Reach): string {
  if (!secure) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}
