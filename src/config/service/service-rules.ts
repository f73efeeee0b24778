// Rules of `service.yaml` across keys, or that depend on the mode: addresses, lifetimes against each other, production.

import type { ConfigIssue, Problem } from '../configuration-error.ts';
import { parseNetwork } from '../networks.ts';
import type { Unchecked } from '../schema/validate.ts';
import type { Settings } from '../settings.ts';
import { baseUrlProblem, ISSUER_EXAMPLE, pageUrlProblem } from '../url-rules.ts';
import type { KeyPath, YamlFile } from '../yaml/yaml-file.ts';
import { environmentIssue } from './environment.ts';
import type { ServiceFile } from './service-schema.ts';

type Lifetimes = ServiceFile['lifetimes'];
type Lifetime = keyof Lifetimes;

/** Longest lifetimes in seconds. */
const LONGEST: readonly (readonly [name: Lifetime, seconds: number, problem: string, remedy: string])[] = [
  ['authorizationCode', 60, 'An authorization code may live 60 seconds at most.', 'Use 60s or less.'],
  ['accessToken', 86_400, 'An access token may live one day at most.', 'Use 1d or less.'],
  ['idToken', 86_400, 'An ID token may live one day at most.', 'Use 1d or less.'],
  ['interaction', 86_400, 'Signing in may take one day at most.', 'Use 1d or less.'],
  ['session', 31_536_000, 'A session may live one year at most.', 'Use 365d or less.'],
  ['grant', 315_360_000, 'A consent may live ten years at most.', 'Use 3650d or less.'],
  ['refreshTokenGrace', 60, 'A refresh may be repeated for 60 seconds at most.', 'Use 60s or less; 0 switches it off.'],
];

/** Lifetimes within others. Of those that end with the whole anyway, only what is written in the file is an issue. */
const WITHIN: readonly (readonly [part: Lifetime, whole: Lifetime, problem: string, remedy: string])[] = [
  ['accessToken', 'grant', 'Is longer than the grant it belongs to.', 'Make grant at least as long as accessToken.'],
  ['sessionIdle', 'session', 'Is longer than the whole session.', 'Make it at most as long as session.'],
  [
    'refreshToken',
    'grant',
    'Is longer than the grant it belongs to, with which it ends.',
    'Make grant at least as long as refreshToken.',
  ],
  [
    'refreshTokenIdle',
    'refreshToken',
    'Is longer than the refresh token may live at all.',
    'Make it at most as long as refreshToken.',
  ],
];

/** Every issue of the value that its schema cannot express; parts that do not fit the schema are passed over. */
export function serviceRuleIssues(
  yaml: YamlFile,
  value: Unchecked<ServiceFile>,
  { mode, issuerInEnvironment }: { mode: Settings['mode']; issuerInEnvironment: boolean },
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const add = (path: KeyPath, problem: Problem | undefined) => {
    if (problem) issues.push(yaml.issueAt(path, problem));
  };
  const url = (path: KeyPath, address: unknown, rule: (address: string) => Problem | undefined) => {
    if (typeof address === 'string') add(path, rule(address));
  };
  const production = mode === 'production';
  const { issuer, namespace, directory, branding, demo, keys, audit, outgoing, lifetimes } = value ?? {};

  // The environment beats the file: an issuer that is not used may be http in production too.
  url(['issuer'], issuer, (one) => baseUrlProblem(one, production && !issuerInEnvironment, ISSUER_EXAMPLE));
  url(['namespace'], namespace, (one) => baseUrlProblem(one, false, 'https://example.org'));
  url(['directory', 'url'], directory?.url, (one) => directoryUrlProblem(one, production));
  url(['branding', 'privacyUrl'], branding?.privacyUrl, (one) =>
    pageUrlProblem(one, mode, 'https://example.org/privacy'),
  );
  url(['branding', 'supportUrl'], branding?.supportUrl, (one) =>
    pageUrlProblem(one, mode, 'https://example.org/help', true),
  );
  if (production && issuer === undefined && !issuerInEnvironment) {
    const remedy =
      'Set HYGIE_ISSUER, or issuer in service.yaml, to the https address under which people reach the service.';
    issues.push(
      environmentIssue('HYGIE_ISSUER', { problem: 'Production needs the public address of the service.', remedy }),
    );
  }
  if (production && demo === true) {
    const problem = 'Production refuses fictional people and the demo relying party.';
    add(['demo'], { problem, remedy: 'Remove this key, or set it to false.' });
  }
  checkLifetimes(lifetimes, add, (name) => yaml.has(['lifetimes', name]));
  if (seconds(audit?.keep) < 86_400) {
    const problem = 'Records of the audit trail would be gone before anybody asks for them.';
    add(['audit', 'keep'], { problem, remedy: 'Use 1d or more; 365d is usual.' });
  }
  if (seconds(keys?.cachedFor) > 86_400) {
    add(['keys', 'cachedFor'], { problem: 'Key sets may be kept for one day at most.', remedy: 'Use 1d or less.' });
  } else if (seconds(keys?.rotateAfter) < seconds(keys?.cachedFor)) {
    const remedy = 'Make rotateAfter longer than cachedFor, or write never.';
    add(['keys', 'rotateAfter'], { problem: 'Keys would be replaced before they are used.', remedy });
  }
  const networks = outgoing?.privateNetworks;
  for (const [index, network] of (Array.isArray(networks) ? networks : []).entries()) {
    if (typeof network !== 'string' || parseNetwork(network)) continue;
    const remedy = 'Write address and length: 10.20.0.0/16, fd12::/16, 192.168.1.7/32.';
    add(['outgoing', 'privateNetworks', index], { problem: 'Is no network.', remedy });
  }
  return issues;
}

function checkLifetimes(
  lifetimes: Unchecked<Lifetimes>,
  add: (path: KeyPath, problem: Problem) => void,
  isWritten: (name: Lifetime) => boolean,
): void {
  const tooLong = new Set<Lifetime>();
  for (const [name, longest, problem, remedy] of LONGEST) {
    if (!(seconds(lifetimes?.[name]) > longest)) continue;
    tooLong.add(name);
    add(['lifetimes', name], { problem, remedy });
  }
  for (const [part, whole, problem, remedy] of WITHIN) {
    const isLonger = seconds(lifetimes?.[part]) > seconds(lifetimes?.[whole]);
    if (!isLonger || tooLong.has(part) || (part !== 'accessToken' && !isWritten(part))) continue;
    add(['lifetimes', part], { problem, remedy });
  }
}

function directoryUrlProblem(address: string, production: boolean): Problem | undefined {
  const problem = baseUrlProblem(address, production, `${ISSUER_EXAMPLE}/directory/v2`);
  if (problem || new URL(address).pathname !== '/') return problem;
  return {
    problem: 'Has no path, so that the directory would hide the sign-in.',
    remedy: 'Add one: https://.../directory/v2',
  };
}

/** NaN for none: `never`, and what is no duration. */
function seconds(duration: unknown): number {
  return typeof duration === 'number' && duration > 0 ? duration : Number.NaN;
}
