// Runs small applications of integrators for tests: each on a loopback port of its own, registered as a client, signing a
// person in through the service's own forms.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientSettings } from '#config/settings.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService } from '#support/service.ts';

export const CREDENTIALS = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };

/** Secret of every server application here. */
export const APPLICATION_SECRET = 'a-secret-of-an-application-that-opens-nothing';

export interface Application {
  origin: string;
  /** Says what the application does; before, it answers nothing. */
  answer(listener: RequestListener): void;
  close(): Promise<void>;
}

/** A place for an application; its address is known before the service that it signs in at. */
export async function openApplication(): Promise<Application> {
  let listener: RequestListener = (_req, res) => void res.writeHead(503).end();
  const server: Server = createServer((req, res) => listener(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    answer: (given) => {
      listener = given;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** The entry of `clients.yaml` for an application. */
export async function registration(
  id: string,
  callback: string,
  changes: Partial<ClientSettings> = {},
): Promise<ClientSettings> {
  const { type = 'server' } = changes;
  return {
    id,
    name: `Application with ${id}`,
    type,
    secretHashes: type === 'server' ? [await hashSecret(APPLICATION_SECRET, LOW_COST)] : [],
    callbackUrls: [callback],
    logoutUrls: [],
    scopes: ['openid', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
    consent: 'ask',
    serviceAccount: false,
    ...changes,
  };
}

/** A person opens `path` of the application, signs in where it leads, and is back on one of its pages. */
export async function signInThrough(service: RunningService, application: Application, path: string): Promise<Visit> {
  const there = createPerson(application.origin);
  const { left } = await there.visit(path);
  if (!left) throw new Error('the application did not lead to the service');
  const callback = await createPerson(service.issuer).signIn(left, CREDENTIALS);
  if (callback.origin !== application.origin) throw new Error(`the service led to ${callback.origin}`);
  return there.visit(callback);
}
