// The service of a run: a process with TLS, demo people and directory, and one entry in `clients.yaml` for each client that will be
// driven.

import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { installation } from '#support/cli/hygie.ts';
import { serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import type { Driver } from './driver.ts';

export const SECRET = 'a-secret-of-an-interoperability-run-that-opens-nothing';
/** A client of type api, for those that ask about tokens. */
export const API = 'interoperability-api';

/** An entry of `clients.yaml`. */
export interface ClientEntry {
  id: string;
  name: string;
  type: 'server' | 'browser' | 'native' | 'api';
  secrets?: { hash: string }[];
  callbackUrls?: string[];
  logoutUrls?: string[];
  [setting: string]: unknown;
}

/** The address of a driver's own application; only the driver itself may listen there. */
export interface Place {
  port: number;
  origin: string;
}

export interface Service {
  issuer: string;
  placeOf(driver: Driver): Place;
  log(): string;
  stop(): Promise<void>;
}

export async function startService(
  drivers: readonly Driver[],
  files: { certificate: string; key: string },
): Promise<Service> {
  const places = new Map<string, Place>();
  for (const { name } of drivers) {
    const port = await freePort();
    places.set(name, { port, origin: `http://localhost:${port}` });
  }
  const placeOf = ({ name }: Driver) => {
    const place = places.get(name);
    if (!place) throw new Error(`${name} is none of the drivers of this service`);
    return place;
  };
  const hash = await hashSecret(SECRET, LOW_COST);
  const clients = drivers.map((driver) => entryOf(driver, placeOf(driver).origin, hash));
  clients.push({ id: API, name: 'An API', type: 'api', secrets: [{ hash }], scopes: ['email', 'PRACTITIONER_READ'] });

  const port = await freePort();
  const issuer = `https://localhost:${port}`;
  const installed = installation();
  installed.configure('clients.yaml', JSON.stringify({ clients }, undefined, 2));
  const serving = await serve(installed, {
    HYGIE_ISSUER: issuer,
    HYGIE_PORT: String(port),
    HYGIE_TLS_CERTIFICATE: files.certificate,
    HYGIE_TLS_KEY: files.key,
    LOG_FORMAT: 'json',
  });
  const stop = async () => {
    serving.child.kill();
    await serving.ended;
    installed.remove();
  };
  try {
    await ready(issuer, serving);
  } catch (error) {
    await stop();
    throw error;
  }
  return { issuer, placeOf, log: serving.output, stop };
}

function entryOf({ name, client, callback = '/callback', settings = {} }: Driver, origin: string, hash: string) {
  const { callbackUrls, logoutUrls, backchannelLogoutUrl, jwksUrl, ...others } = settings;
  const here = (path: string) => (path.includes(':') ? path : `${origin}${path}`);
  const entry: ClientEntry = {
    id: name,
    name: client,
    type: 'server',
    callbackUrls: (callbackUrls ?? [callback]).map(here),
    logoutUrls: (logoutUrls ?? ['/signed-out']).map(here),
    scopes: ['openid', 'email', 'profile', 'offline_access', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
    ...others,
  };
  if (typeof jwksUrl === 'string') entry['jwksUrl'] = here(jwksUrl);
  else if (entry.type === 'server' && !entry['jwks']) entry.secrets = [{ hash }];
  if (typeof backchannelLogoutUrl === 'string') entry['backchannelLogoutUrl'] = here(backchannelLogoutUrl);
  return entry;
}

/** The first start imports the fictional directory. */
async function ready(issuer: string, serving: Awaited<ReturnType<typeof serve>>): Promise<void> {
  for (let left = 600; left > 0 && serving.child.exitCode === null; left -= 1) {
    const answer = await fetch(`${issuer}/health/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the service is not ready:\n${serving.output()}`);
}
