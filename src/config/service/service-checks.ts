// Checks of `service.yaml` that concern several keys, with their messages. What production refuses is checked in several files: a missing
// issuer in this file, `demo` in `service-schema.ts`, http addresses in `../url-rules.ts`, short secrets in `../environment/secrets.ts`,
// and a missing file in `../yaml/yaml-file.ts`.

import type { z } from 'zod';
import type { Problem } from '#config/configuration-error.ts';
import { isNetwork } from '#config/networks.ts';
import { addProblem } from '#config/schema/fields.ts';
import { basePath, isBelow } from '#shared/base-path.ts';

interface AcrossKeys {
  issuer?: string;
  proxies?: number;
  listen?: { port?: number | undefined; redirectPort?: number | undefined; tls?: object | undefined } | null;
  metrics?: { port?: number | undefined } | null;
  directory?: { url?: string } | null;
}

/**
 * Returns a zod refinement of `service.yaml` that checks keys with values that depend on each other. In production, the issuer is required.
 */
export function checkService(production: boolean) {
  return (value: AcrossKeys | null, context: z.RefinementCtx): void => {
    const add = addProblem(context);
    if (production && typeof value === 'object' && value?.issuer === undefined) add(['issuer'], NO_ISSUER);
    const { port, redirectPort } = value?.listen ?? {};
    if (value?.metrics?.port !== undefined && [port, redirectPort].includes(value.metrics.port))
      add(['metrics', 'port'], ONE_PORT);
    if (value?.listen?.tls && value.proxies === 0 && String(value.issuer).startsWith('http:'))
      add(['issuer'], NOT_HTTPS);
    if (hidesSignIn(value?.directory?.url, value?.issuer)) add(['directory', 'url'], HIDES_SIGN_IN);
  };
}

export function isLonger(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one > other;
}

/** Checks whether the issuer is at the address of the directory, or below it. Returns false if one of them is missing or is no address. */
function hidesSignIn(directory: unknown, issuer: unknown): boolean {
  const [above, below] = [URL.parse(String(directory)), URL.parse(String(issuer))];
  if (above === null || below === null || above.host !== below.host) return false;
  return isBelow(basePath(below.href), basePath(above.href));
}

export const NO_DEMO = {
  problem: 'Production refuses fictional people and the demo relying party.',
  remedy: 'Remove this key, or set it to false; for a test service with fictional people, set HYGIE_SANDBOX=1.',
};

export const NO_DATABASE = {
  problem:
    'Snapshots travel through PostgreSQL, but DATABASE_URL is not set. SQLite serves only one machine, which has the file.',
  remedy: 'Set DATABASE_URL to a PostgreSQL database, or write folder, or remove the key.',
};

const ONE_PORT = {
  problem: 'Is the port of the service itself.',
  remedy: 'Choose another one, such as 9464; or remove it and set metrics.token: then {issuer}/metrics answers.',
};

const NO_ISSUER = {
  problem: 'Production needs the public address of the service.',
  remedy: 'Set HYGIE_ISSUER, or issuer in service.yaml, to the https address under which people reach the service.',
};

const NOT_HTTPS = {
  problem: 'Is http, but the service answers only https (listen.tls).',
  remedy: 'Write https, or remove listen.tls.',
};

const HIDES_SIGN_IN = {
  problem: 'Is the address of the issuer, or above it: the directory would hide the sign-in.',
  remedy:
    'Remove the key: the directory is at <issuer>/directory/v2 then. Or write a path that does not lead to the issuer.',
};

export function checkKeys(keys: { rotateAfter: number; cachedFor: number } | null, context: z.RefinementCtx): void {
  if (keys?.rotateAfter === 0 || !isLonger(keys?.cachedFor, keys?.rotateAfter)) return;
  const remedy = 'Make rotateAfter longer than cachedFor, or write never.';
  addProblem(context)(['rotateAfter'], { problem: 'Keys would be replaced before they are used.', remedy });
}

export function networkProblem(text: string): Problem | undefined {
  if (isNetwork(text)) return undefined;
  const remedy = 'Write address and length: 10.20.0.0/16, fd12::/16, 192.168.1.7/32.';
  return { problem: 'Is no network.', remedy };
}
