// Records every connection, look-up and datagram of a process of the tests, and refuses what nobody meant (SEC-72): one that a library or a
// file of the service opens without being named below, and one that leaves this machine. Jest's processes load it before anything else
// (`jest/preload.ts`), and so do those that tests start; what was refused fails the run at its end (`closing-line.ts`).

import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOTES, refuse } from './refusals.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OWN = fileURLToPath(import.meta.url);

/** It judges every address that a client or a person brings, and may ask wherever it likes. */
const GUARD = 'src/openid/clients/outbound-fetch.ts';

/** Files and libraries that connect to what an operator has configured; in the tests that is on this machine. */
const MEANT = [
  // The demo, as a client of its own issuer and directory.
  /^src\/demo\//,
  // To the service itself.
  /^src\/cli\/health\.ts$/,
  /^node_modules\/pg\//,
  // To the database as well: a cancel request, which is a connection of its own.
  /^src\/store\/database\/query-timeout\.ts$/,
  // The mail server; not its `fetch`, which loads what a mail names.
  /^node_modules\/nodemailer\/dist\/\w+\/(smtp-connection|shared)\//,
  // The collector of traces.
  /^node_modules\/@opentelemetry\/otlp-exporter-base\//,
  // Of the tests alone.
  /^(test|tools)\/|^node_modules\/(@auth\/core|express-openid-connect|oauth|oidc-client-ts|playwright-core|superagent|undici|ws)\//,
];
/** They send what their caller asks them to: the caller counts. */
const CLIENTS = /^node_modules\/(openid-client|oauth4webapi|fhir-kit-client|jose)\//;

/** Environment by which a process that a test starts is recorded, too: its notes go where those of the run go, or to another file. */
export function recorded(notes = process.env[NOTES] ?? ''): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    NODE_OPTIONS: `--import=${import.meta.url.replace(/\?.*/, '')}`,
    [NOTES]: notes,
    // Without it, Node takes a tenth of a second for the first TypeScript file.
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  };
}

/** The file that called, from the root of the repository; undefined where only Node's own code is left on the stack. */
function callerOf(files: readonly string[]): string | undefined {
  for (const file of files) {
    const path = file.replace(/^file:\/\/|\?.*/g, '');
    if (!path.startsWith('/') || path === OWN) continue;
    // Also of a checkout elsewhere, or of a copy of this one.
    const caller = /.*\/(node_modules\/.*)/.exec(path)?.[1] ?? relative(ROOT, path);
    if (!CLIENTS.test(caller)) return caller;
  }
  return undefined;
}

/** The files on the stack. Jest would look up each line in source maps, which takes longer than most connections. */
function filesOnStack(): string[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 60;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '');
  const files = new Error('for its stack').stack as unknown as string[];
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return files;
}

/** Throws, and notes it for the end of the run, unless the caller is known and the destination on this machine. */
function judge(what: string, isHere: boolean): void {
  const caller = callerOf(filesOnStack());
  if (caller === GUARD) return;
  const isKnown = caller === undefined || MEANT.some((path) => path.test(caller));
  if (isKnown && isHere) return;
  const fault = `${what} by ${caller}: ${isKnown ? 'it is not on this machine' : 'it is none of those that connect'}`;
  const error = Object.assign(new Error(fault), { code: 'ECONNREFUSED' });
  refuse(fault, error.stack ?? '');
  throw error;
}

function isHere(host: string): boolean {
  return /^(127\.|::1$|::ffff:127\.|0\.0\.0\.0$|::$|localhost$|.*\.localhost$)/.test(host);
}

interface Destination {
  path?: string;
  host?: string;
  port?: number | string;
}

function destinationOf([first, second]: readonly unknown[]): Destination {
  // `net.connect` hands on its arguments as one list.
  if (Array.isArray(first)) return first[0] as Destination;
  if (typeof first === 'object') return first as Destination;
  if (Number.isNaN(Number(first))) return { path: String(first) };
  return { port: Number(first), ...(typeof second === 'string' && { host: second }) };
}

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Has the arguments of a function judged before it is called. */
function before(within: object, name: string, check: (...args: unknown[]) => void): void {
  const original = Reflect.get(within, name) as Call;
  const checked: Call = function (...args) {
    check(...args);
    return Reflect.apply(original, this, args);
  };
  // With what makes it good for `util.promisify`.
  Reflect.set(within, name, Object.defineProperties(checked, Object.getOwnPropertyDescriptors(original)));
}

function record(): void {
  before(Socket.prototype, 'connect', (...args) => {
    const { path, host = 'localhost', port } = destinationOf(args);
    judge(`a connection to ${path ?? `${host}:${port}`}`, path !== undefined || isHere(host));
  });
  // Who listens at an address, or connects to one, looks it up, too: nobody is asked.
  const lookUp = (name: string) => (host: unknown) => {
    if (typeof host === 'string' && isIP(host) === 0 && !isHere(host)) judge(`${name} of ${host}`, false);
  };
  for (const within of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    const names = Object.keys(Object.getOwnPropertyDescriptors(within));
    for (const name of names.filter((one) => /^(lookup|resolve|reverse)/.test(one))) {
      before(within, name, lookUp(name));
    }
  }
  before(dgram.Socket.prototype, 'send', () => judge('a datagram', false));
  // Who has called it is no longer on the stack when it connects.
  before(globalThis, 'fetch', (input) => {
    const url = URL.parse(input instanceof Request ? input.url : String(input));
    if (url?.protocol.startsWith('http')) judge(`a fetch of ${url.href}`, isHere(url.hostname.replace(/^\[|\]$/g, '')));
  });
  syncBuiltinESMExports();
}

const BEGUN = Symbol.for('hygie.connections');

// Once for each thread: a test that imports this file has its own copy of it, and the same sockets.
if (!Reflect.has(Socket.prototype, BEGUN)) {
  Reflect.set(Socket.prototype, BEGUN, true);
  record();
}
