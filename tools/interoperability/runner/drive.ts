// Starts one driver and reads what it prints: a line for each thing it tried, as TAP has them.

import { spawn } from 'node:child_process';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import type { Authority, Check, Driver, Toolchain } from './driver.ts';
import { API, SECRET, type Service } from './service.ts';

/** Milliseconds after which a driver is stopped. The slowest, HAPI's validator, needs most of them on a busy machine. */
const LONGEST_MS = 900_000;
const PERSON = DEMO_ACCOUNTS[0];

export interface Scene {
  service: Service;
  authority: Authority;
  /** Address of the browser endpoint. */
  browser: string;
}

/** The checks of a driver; one that ends without any, or not by itself, has failed. */
export async function drive(driver: Driver, toolchain: Toolchain, scene: Scene): Promise<Check[]> {
  const { command, args, folder } = toolchain.command(driver);
  const env: Record<string, string> = {
    ...environment(driver, scene),
    ...(await toolchain.trust(scene.authority)),
    ...(driver.scope && { ACCESS_TOKEN: await accessToken(driver, scene) }),
  };
  const { code, printed, output, late } = await run(command, args, folder, env);
  if (env['VERBOSE']) process.stderr.write(output);
  const checks = printed.split('\n').flatMap((line) => checkIn(line.trim()));
  const fault = late ? `did not end within ${LONGEST_MS / 1000} s` : code !== 0 ? `ended with ${code}` : undefined;
  if (fault || checks.length === 0) {
    const why = `${fault ?? 'printed no result'}: ${output.trim().split('\n').slice(-30).join('\n')}`;
    if (checks.every(({ passed }) => passed)) checks.push({ what: 'ends by itself', passed: false, why });
  }
  return checks;
}

/** `ok - what` or `not ok - what: why`. */
function checkIn(line: string): Check[] {
  const passed = /^ok - (.+)$/.exec(line)?.[1];
  if (passed) return [{ what: passed, passed: true }];
  const [, what, why = ''] = /^not ok - (.+?)(?:: (.*))?$/.exec(line) ?? [];
  return what ? [{ what, passed: false, why }] : [];
}

/** What every driver is told; `tools/interoperability/README.md` explains. */
function environment(driver: Driver, { service, browser }: Scene): Record<string, string> {
  const { name, callback = '/callback' } = driver;
  const { port, origin } = service.placeOf(driver);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    ...(process.env['VERBOSE'] && { VERBOSE: '1' }),
    LANG: 'C.UTF-8',
    HYGIE_ISSUER: service.issuer,
    FHIR_BASE: `${service.issuer}/directory/v2`,
    HYGIE_DIRECTORY: `${service.issuer}/directory/v2`,
    CLIENT_ID: name,
    CLIENT_SECRET: SECRET,
    CALLBACK: `${origin}${callback}`,
    SIGNED_OUT: `${origin}/signed-out`,
    APP_URL: origin,
    PORT: String(port),
    API_ID: API,
    API_SECRET: SECRET,
    BROWSER_URL: browser,
    PERSON_SUB: PERSON?.id ?? '',
    PERSON_EMAIL: PERSON?.email ?? '',
    PERSON_NAME: PERSON?.name ?? '',
  };
}

/** Gets an access token of the person, for a driver that only reads the directory. */
async function accessToken(driver: Driver, { service, browser }: Scene): Promise<string> {
  const { name, scope = '' } = driver;
  const redirect_uri = `${service.placeOf(driver).origin}/callback`;
  const asked = new URLSearchParams({
    client_id: name,
    response_type: 'code',
    redirect_uri,
    scope,
    state: 'of-this-run',
  });
  const authorize = `${service.issuer}/authorize?${asked}`;
  const callback = await (await fetch(`${browser}/sign-in?${new URLSearchParams({ url: authorize })}`)).text();
  const code = new URL(callback).searchParams.get('code') ?? '';
  const own = { client_id: name, client_secret: SECRET, redirect_uri };
  const body = new URLSearchParams({ ...own, grant_type: 'authorization_code', code });
  const answer = await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

interface Ended {
  code: number | null;
  /** Its standard output. */
  printed: string;
  /** The same with what it said of faults. */
  output: string;
  late: boolean;
}

function run(command: string, args: readonly string[], folder: string | undefined, env: Record<string, string>) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(command, args, { env, ...(folder && { cwd: folder }), stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let output = '';
    let late = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, LONGEST_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, printed, output, late });
    });
  });
}
