// What an operator most likely means by a key that is not known: another spelling, its name in OpenID Connect, a key of another
// group, or a variable.

import type { Problem } from '#config/configuration-error.ts';
import { ENVIRONMENT } from '#config/service/environment.ts';
import type { KeyPath } from '#config/yaml/yaml-file.ts';
import { nearest } from '#shared/nearest.ts';
import { nodeAt, type SchemaName } from './json-schema.ts';
import { keyRows } from './key-table.ts';

// Names of client metadata (RFC 7591, OpenID Connect Registration and Logout, RFC 9126, RFC 9449) and usual names of settings.
const OTHER_NAMES: Readonly<Record<string, string>> = {
  client_id: 'id',
  client_name: 'name',
  application_type: 'type',
  client_type: 'type',
  client_secret: 'secrets',
  redirect_uris: 'callbackUrls',
  post_logout_redirect_uris: 'logoutUrls',
  client_uri: 'homeUrl',
  backchannel_logout_uri: 'backchannelLogoutUrl',
  jwks_uri: 'jwksUrl',
  scope: 'scopes',
  require_pushed_authorization_requests: 'par',
  dpop_bound_access_tokens: 'dpop',
  id_token_signed_response_alg: 'idTokenAlgorithm',
  default_acr_values: 'secondFactor',
  mfa: 'secondFactor',
  two_factor: 'secondFactor',
  totp: 'secondFactor',
  auth_url: 'issuer',
  base_url: 'issuer',
  public_url: 'issuer',
  claim_ns: 'namespace',
  workers: 'processes',
};

// redirect_uris, redirectUris and redirect_uri are one.
const fold = (key: string) => key.toLowerCase().replace(/[_-]/g, '').replace(/s$/, '');
const FOLDED = new Map(Object.entries(OTHER_NAMES).map(([name, key]) => [fold(name), key]));

/** What to do about an unknown key of the group at `path`. `means`: the key of that group which is meant, where one is. */
export function unknownKey(name: SchemaName, key: string, path: KeyPath): Problem & { means?: string } {
  const known = Object.keys(nodeAt(name, path).properties ?? {});
  const all = keyRows(name).map(({ path: one }) => ({ path: one, last: one.split('.').at(-1) ?? '' }));
  const problem = 'Unknown key.';
  const translated = FOLDED.get(fold(key)) ?? key;
  const isElsewhere = all.some(({ last }) => last === translated);
  const means = known.find((one) => fold(one) === fold(translated)) ?? (isElsewhere ? undefined : nearest(key, known));
  if (means !== undefined) return { problem, remedy: `Did you mean "${means}"?`, means };
  if (name === 'service' && path.join() === 'mail' && fold(key).startsWith('pass')) {
    const remedy = 'Put it into HYGIE_MAIL_PASSWORD, or into a file that HYGIE_MAIL_PASSWORD_FILE names.';
    return { problem: 'A password does not stand in this file.', remedy };
  }
  if (Object.hasOwn(ENVIRONMENT, key)) {
    return { problem: 'Is an environment variable, not a key.', remedy: 'Set it in the environment of the service.' };
  }
  const near = nearest(
    translated,
    all.map(({ last }) => last),
  );
  const elsewhere = all.filter(({ last }) => last === near).map((one) => one.path);
  if (elsewhere.length > 0) return { problem, remedy: `Did you mean ${elsewhere.join(', or ')}?` };
  return { problem, remedy: `Remove it. Known keys here: ${known.join(', ')}.` };
}
