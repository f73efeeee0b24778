// What an operator most likely means by a key that is not known: another spelling, its name in OpenID Connect, a key of another
// group or file, or a variable.

import { nearest } from '../../shared/nearest.ts';
import type { Problem } from '../configuration-error.ts';
import { ENVIRONMENT } from '../service/environment.ts';
import type { KeyPath } from '../yaml/yaml-file.ts';
import { jsonSchemaOf, nodeAt, type SchemaName, type SchemaNode } from './json-schema.ts';

/** A name that is used elsewhere: the key here that means the same, or what to do where there is none. */
type Meaning = string | { remedy: string; means?: string };

// Client metadata of RFC 7591 and OpenID Connect (Registration, Back-Channel and RP-Initiated Logout), RFC 9126 and RFC 9449.
const OF_CLIENTS: Readonly<Record<string, Meaning>> = {
  client_id: 'id',
  client_name: 'name',
  application_type: 'type',
  client_type: 'type',
  client_secret: 'secrets',
  redirect_uris: 'callbackUrls',
  post_logout_redirect_uris: 'logoutUrls',
  backchannel_logout_uri: 'backchannelLogoutUrl',
  jwks_uri: 'jwksUrl',
  scope: 'scopes',
  require_pushed_authorization_requests: 'par',
  dpop_bound_access_tokens: 'dpop',
  id_token_signed_response_alg: 'idTokenAlgorithm',
  mfa: 'secondFactor',
  two_factor: 'secondFactor',
  totp: 'secondFactor',
  default_acr_values: {
    remedy: 'Remove it. secondFactor: required lets nobody come to the client with a password alone.',
    means: 'secondFactor',
  },
  response_types: { remedy: 'Remove it: it is code for every client.' },
  grant_types: {
    remedy:
      'Remove it: every client signs people in by code. For client_credentials: serviceAccount: true; for refresh_token: offline_access among scopes.',
    means: 'serviceAccount',
  },
  token_endpoint_auth_method: {
    remedy:
      'Remove it: with secrets the client sends one; with jwks or jwksUrl it signs (private_key_jwt); browser and native use PKCE alone.',
  },
  frontchannel_logout_uri: { remedy: 'Remove it. Sign-outs are sent to backchannelLogoutUrl.' },
};

const OF_SERVICE: Readonly<Record<string, Meaning>> = {
  auth_url: 'issuer',
  base_url: 'issuer',
  public_url: 'issuer',
  claim_ns: 'namespace',
  workers: 'processes',
  mfa: 'secondFactor',
  two_factor: 'secondFactor',
  totp: 'secondFactor',
  database: { remedy: 'Remove it: the environment variable DATABASE_URL says which database is used.' },
  data: { remedy: 'Remove it: the environment variable HYGIE_DATA says where the data are.' },
};

const FOREIGN = { clients: folded(OF_CLIENTS), service: folded(OF_SERVICE) };

/** What to do about an unknown key of the group at `path`. `means`: the key of that group which is meant, where one is. */
export function unknownKey(name: SchemaName, key: string, path: KeyPath): Problem & { means?: string } {
  const known = Object.keys(nodeAt(name, path).properties ?? {});
  const problem = 'Unknown key.';
  const foreign = FOREIGN[name].get(fold(key));
  const translated = typeof foreign === 'string' && known.includes(foreign) ? foreign : undefined;
  const means = known.find((one) => fold(one) === fold(key)) ?? translated;
  if (means !== undefined) return { problem, remedy: `Did you mean "${means}"?`, means };
  if (typeof foreign === 'object' && (name === 'service') === (path.length === 0)) return { problem, ...foreign };
  if (Object.hasOwn(ENVIRONMENT, key)) {
    return { problem: 'Is an environment variable, not a key.', remedy: 'Set it in the environment of the service.' };
  }
  const elsewhere = positionsOf(typeof foreign === 'string' ? foreign : key, name);
  if (elsewhere.length > 0) {
    const group = path
      .map((step) => (typeof step === 'number' ? '[].' : `${step}.`))
      .join('')
      .replaceAll('.[]', '[]');
    const inside = elsewhere.find((position) => position.startsWith(group))?.slice(group.length);
    const [first] = inside?.split(/[.[ ]/, 1) ?? [];
    return { problem, remedy: `Did you mean ${elsewhere.join(', or ')}?`, ...(first && { means: first }) };
  }
  const near = nearest(key, known);
  if (near) return { problem, remedy: `Did you mean "${near}"?`, means: near };
  const nearElsewhere = nearest(
    key,
    [...keysBelow(jsonSchemaOf(name), '')].map(([one]) => one),
  );
  if (nearElsewhere) return { problem, remedy: `Did you mean ${positionsOf(nearElsewhere, name).join(', or ')}?` };
  return { problem, remedy: `Remove it. Known keys here: ${known.join(', ')}.` };
}

/** Paths of the keys of this name in this file, or at the top of the other one. */
function positionsOf(key: string, name: SchemaName): string[] {
  const here = [...keysBelow(jsonSchemaOf(name), '')]
    .filter(([one]) => fold(one) === fold(key))
    .map(([, path]) => path);
  const other = name === 'clients' ? 'service' : 'clients';
  const there = Object.keys(jsonSchemaOf(other).properties ?? {}).filter((one) => fold(one) === fold(key));
  return [...here, ...there.map((one) => `${one} of ${other}.yaml`)];
}

function* keysBelow(node: SchemaNode, prefix: string): Generator<[key: string, path: string]> {
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    yield [key, `${prefix}${key}`];
    yield* keysBelow(child, `${prefix}${key}.`);
    if (child.items) yield* keysBelow(child.items, `${prefix}${key}[].`);
  }
}

// redirect_uris, redirectUris and redirect_uri are one.
function fold(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '').replace(/s$/, '');
}

function folded(names: Readonly<Record<string, Meaning>>): ReadonlyMap<string, Meaning> {
  return new Map(Object.entries(names).map(([name, meaning]) => [fold(name), meaning]));
}
