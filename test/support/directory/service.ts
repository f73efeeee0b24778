// Starts a directory for a test: the router in an Express application on a free port, with known tokens.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Client } from 'fhir-kit-client';
import type { Introspection } from '#directory/middleware/authenticate.ts';
import { type DirectoryOptions, directoryRouter } from '#directory/router.ts';
import { authorizationServer } from '#openid/provider/discovery.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { recordAnswers } from '#support/fhir/received-answers.ts';
import { NAMESPACE } from './edition.ts';

/** Tokens that the directory of a test knows. */
export const TOKENS: Record<string, Introspection> = {
  both: user('PRACTITIONER_READ', 'ORGANIZATION_READ', 'openid'),
  practitioners: user('openid', 'PRACTITIONER_READ'),
  organizations: user('ORGANIZATION_READ'),
  openid: user('openid', 'email'),
  machine: { active: false, reason: 'no-person' },
  expired: { active: false, reason: 'expired' },
};

function user(...scopes: string[]): Introspection {
  return { active: true, accountId: 'someone', clientId: 'portal', scopes: new Set(scopes) };
}

export interface RunningDirectory {
  /** Public base, which is not the address that the test connects to. */
  base: string;
  /** Address to connect to. */
  address: string;
  server: Server;
  /** Every line that was logged. */
  logged: { details: object; message: string }[];
  /** A client of fhir-kit-client with the token; it follows links because base and address are the same here. */
  client(token?: string): Client;
  stop(): Promise<void>;
}

/** Starts a directory. Its public base is the address it listens on, unless `publicBase` is given. */
export async function startDirectory(
  snapshots: DirectoryOptions['snapshots'] | Snapshot | undefined,
  {
    publicBase,
    introspect,
    namespace = NAMESPACE,
    ...limits
  }: {
    publicBase?: string;
    introspect?: DirectoryOptions['introspect'];
    namespace?: string;
  } & Pick<
    DirectoryOptions,
    'rates' | 'exports' | 'unreadBytes' | 'suggestions' | 'usedWithoutPerson' | 'entryAnswered'
  > = {},
): Promise<RunningDirectory> {
  const app = express().disable('x-powered-by').disable('etag');
  const server = app.listen(0, '127.0.0.1');
  recordAnswers(server, '/directory/v2');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory/v2`;
  const base = publicBase ?? address;
  const logged: RunningDirectory['logged'] = [];
  app.use(
    '/directory/v2',
    directoryRouter({
      baseUrl: base,
      namespace,
      authorizationServer: authorizationServer('https://connect.example'),
      introspect: introspect ?? (async (token) => TOKENS[token] ?? { active: false, reason: 'unknown' }),
      snapshots: snapshots && 'current' in snapshots ? snapshots : only(snapshots),
      version: '0.1.0',
      // A busy machine gives up no help in a test.
      suggestions: { within: Number.POSITIVE_INFINITY, share: 1 },
      ...limits,
      log: { error: (details, message) => logged.push({ details, message }) },
    }),
  );
  return {
    base,
    address,
    server,
    logged,
    client: (bearerToken = 'both') => new Client({ baseUrl: address, bearerToken }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function only(snapshot: Snapshot | undefined): DirectoryOptions['snapshots'] {
  return {
    current: () => snapshot,
    byId: async (id) => (id === snapshot?.id ? snapshot : undefined),
  };
}
