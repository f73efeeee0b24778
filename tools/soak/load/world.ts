// The world of the operations: people who are signed in, applications, and editions that the directory may serve.

import * as oidc from 'openid-client';
import { createDraw, type Draw } from '#support/draw.ts';
import { assertion } from '#support/openid/keys-of-clients.ts';
import type { Edition } from '#tools/site/editions.ts';
import type { Options } from '#tools/soak/options.ts';
import type { AccountOfSoak } from '#tools/soak/site/accounts.ts';
import type { SecretClient } from '#tools/soak/site/clients.ts';
import { type Lifetimes, lifetimesOf } from '#tools/soak/site/service-file.ts';
import { ISSUER, type Site } from '#tools/soak/site/site.ts';
import { type Browser, createBrowser } from './http.ts';
import { createVerifier, type Verify } from './key-set.ts';
import { createMembers, type Members } from './members.ts';
import type { Recorder } from './record.ts';

/** Somebody with an authenticator app. */
export interface AppAccount extends AccountOfSoak {
  code(): string;
  /** The half minute of the last code, by its number: no code counts twice. */
  lastStep: number;
}

export interface World {
  site: Site;
  draw: Draw;
  recorder: Recorder;
  members: Members;
  verify: Verify;
  /** Accounts that sign in with a password alone. */
  people: readonly AccountOfSoak[];
  withApp: AppAccount[];
  /** Editions that an answer may be of: one, and two while the directory is renewed. */
  inForce: Edition[];
  /** Access tokens that ended, and when (milliseconds since 1970) at the latest: none may be taken any more. */
  ended: { token: string; at: number }[];
  /** A browser of somebody new, at an address of its own. */
  newBrowser(): Browser;
  /** The connections of the servers of the applications. */
  server: Browser;
  lifetimes: Lifetimes;
  configuration(client: ClientName): oidc.Configuration;
  close(): void;
}

export type ClientName = SecretClient | 'annuaire' | 'hopital';

export async function createWorld(site: Site, recorder: Recorder, { seed, short }: Options): Promise<World> {
  const draw = createDraw(seed);
  // Each address has a network (/24) of its own, so that the limits of one visitor do not hit another.
  let visitors = 0;
  const newBrowser = () => {
    visitors += 1;
    const [high, middle, low] = [1 + (Math.floor(visitors / 250) % 120), visitors % 250, 1 + (visitors % 200)];
    return createBrowser(site.proxy, `127.${high}.${middle}.${low}`);
  };
  const server = createBrowser(site.proxy, '127.200.0.1');
  const customFetch: oidc.CustomFetch = (url, { method, body, headers }) =>
    server.fetch(url, { method, body, headers });
  const discovered = await oidc.discovery(new URL(ISSUER), 'annuaire', undefined, oidc.None(), {
    [oidc.customFetch]: customFetch,
  });
  const metadata = discovered.serverMetadata();
  const configure = (id: string, own: Partial<oidc.ClientMetadata>, authentication: oidc.ClientAuth) => {
    const configuration = new oidc.Configuration(metadata, id, own, authentication);
    configuration[oidc.customFetch] = customFetch;
    return configuration;
  };
  const withSecret = (id: SecretClient) =>
    configure(id, {}, (as, client, body, headers) =>
      oidc.ClientSecretBasic(site.clients.secretOf(id))(as, client, body, headers),
    );
  const withKey: oidc.ClientAuth = (_as, _client, body) => {
    for (const [name, value] of Object.entries(assertion(site.clients.key, 'hopital', ISSUER))) body.set(name, value);
  };
  const configurations: Record<ClientName, oidc.Configuration> = {
    portail: withSecret('portail'),
    api: withSecret('api'),
    copie: withSecret('copie'),
    annuaire: configure('annuaire', {}, oidc.None()),
    hopital: configure('hopital', { id_token_signed_response_alg: 'ES256' }, withKey),
  };
  const members = createMembers(draw);
  return {
    site,
    draw,
    recorder,
    members,
    verify: createVerifier(server),
    people: [],
    withApp: [],
    inForce: [site.editions.newest],
    ended: [],
    newBrowser,
    server,
    lifetimes: lifetimesOf(short),
    configuration: (client) => configurations[client],
    close() {
      members.close();
      server.close();
    },
  };
}
