// Owns the rules of `service.yaml` that its schema cannot say: addresses, lifetimes against each other, production.
// Does not own reading nor the effective settings (`service.ts`).

import type { ConfigIssue } from '../configuration-error.ts';
import { parseNetwork } from '../networks.ts';
import type { Settings } from '../settings.ts';
import { baseUrlIssue, ISSUER_EXAMPLE, pageIssue, type UrlIssue } from '../url-rules.ts';
import type { KeyPath, YamlFile } from '../yaml/yaml-file.ts';
import { environmentIssue } from './environment.ts';

/** Whole seconds, or a number with s, m, h or d. */
export type Duration = number | string;

/** Seconds of a duration that fits the schema. */
export function seconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const unit = { s: 1, m: 60, h: 3600, d: 86_400 }[duration.slice(-1)] ?? Number.NaN;
  return Number(duration.slice(0, -1)) * unit;
}

/** Every issue of `service.yaml` that its schema cannot say. Parts that do not fit the schema are passed over. */
export function serviceRuleIssues(
  yaml: YamlFile,
  { mode, issuerInEnvironment }: { mode: Settings['mode']; issuerInEnvironment: boolean },
): ConfigIssue[] {
  if (!isGroup(yaml.value)) return [];
  const file = yaml.value;
  const issues: ConfigIssue[] = [];
  const add = (path: KeyPath, issue: UrlIssue) => {
    if (!issue) return;
    const line = yaml.lineOf(path);
    issues.push({ file: yaml.file, path: path.join('.'), ...(line === undefined ? {} : { line }), ...issue });
  };
  const text = (path: KeyPath) => {
    const value = valueAt(file, path);
    return typeof value === 'string' ? value : undefined;
  };
  const base = (path: KeyPath, httpsOnly: boolean, example: string) => {
    const address = text(path);
    if (address !== undefined) add(path, baseUrlIssue(address, httpsOnly, example));
  };

  // The environment beats the file: an issuer that is not used is not judged as a production one.
  base(['issuer'], mode === 'production' && !issuerInEnvironment, ISSUER_EXAMPLE);
  base(['namespace'], false, 'https://example.org');
  base(['directory', 'url'], mode === 'production', `${ISSUER_EXAMPLE}/directory/v2`);
  if (URL.parse(text(['directory', 'url']) ?? '')?.pathname === '/') {
    add(['directory', 'url'], {
      problem: 'Has no path, so that the directory would hide the sign-in.',
      remedy: 'Add one: https://.../directory/v2',
    });
  }
  const privacy = text(['branding', 'privacyUrl']);
  if (privacy !== undefined) add(['branding', 'privacyUrl'], pageIssue(privacy, mode, 'https://example.org/privacy'));
  const support = text(['branding', 'supportUrl']);
  if (support !== undefined)
    add(['branding', 'supportUrl'], pageIssue(support, mode, 'https://example.org/help', true));

  if (mode === 'production' && file['issuer'] === undefined && !issuerInEnvironment) {
    const remedy =
      'Set HYGIE_ISSUER, or issuer in service.yaml, to the https address under which people reach the service.';
    issues.push(environmentIssue('HYGIE_ISSUER', 'Production needs the public address of the service.', remedy));
  }
  if (mode === 'production' && file['demo'] === true) {
    add(['demo'], {
      problem: 'Production refuses fictional people and the demo relying party.',
      remedy: 'Remove this key, or set it to false.',
    });
  }
  checkLifetimes(file, add, (name) => yaml.holds(['lifetimes', name]));
  checkKeys(file, add);
  checkAudit(file, add);
  checkOutgoing(file, add);
  return issues;
}

function checkLifetimes(
  file: object,
  add: (path: KeyPath, issue: UrlIssue) => void,
  isWritten: (name: string) => boolean,
): void {
  const lifetime = (name: string) => durationAt(file, ['lifetimes', name]);
  // What exceeds one limit exceeds a further one by the same mistake.
  const told = new Set<string>();
  const most = (name: string, limit: number, problem: string, remedy: string) => {
    if (!(lifetime(name) > limit) || told.has(name)) return;
    told.add(name);
    add(['lifetimes', name], { problem, remedy });
  };
  most('authorizationCode', 60, 'An authorization code may live 60 seconds at most.', 'Use 60s or less.');
  most('accessToken', 86_400, 'An access token may live one day at most.', 'Use 1d or less.');
  most('idToken', 86_400, 'An ID token may live one day at most.', 'Use 1d or less.');
  most('interaction', 86_400, 'Signing in may take one day at most.', 'Use 1d or less.');
  most('session', 31_536_000, 'A session may live one year at most.', 'Use 365d or less.');
  most('grant', 315_360_000, 'A consent may live ten years at most.', 'Use 3650d or less.');
  most(
    'refreshTokenGrace',
    60,
    'A refresh may be repeated for 60 seconds at most.',
    'Use 60s or less; 0 switches it off.',
  );
  most(
    'accessToken',
    lifetime('grant'),
    'Is longer than the grant it belongs to.',
    'Make grant at least as long as accessToken.',
  );
  // They end with what they belong to anyway: a default that is longer misleads nobody, what is written does.
  const within = (name: string, whole: string, problem: string, remedy: string) => {
    if (isWritten(name)) most(name, lifetime(whole), problem, remedy);
  };
  within('sessionIdle', 'session', 'Is longer than the whole session.', 'Make it at most as long as session.');
  within(
    'refreshToken',
    'grant',
    'Is longer than the grant it belongs to, with which it ends.',
    'Make grant at least as long as refreshToken.',
  );
  within(
    'refreshTokenIdle',
    'refreshToken',
    'Is longer than the refresh token may live at all.',
    'Make it at most as long as refreshToken.',
  );
}

function checkAudit(file: object, add: (path: KeyPath, issue: UrlIssue) => void): void {
  const keep = durationAt(file, ['audit', 'keep']);
  if (keep < 1 || !(keep < 86_400)) return;
  const problem = 'Records of the audit trail would be gone before anybody asks for them.';
  add(['audit', 'keep'], { problem, remedy: 'Use 1d or more; 365d is usual.' });
}

function checkKeys(file: object, add: (path: KeyPath, issue: UrlIssue) => void): void {
  const rotateAfter = durationAt(file, ['keys', 'rotateAfter']);
  const cachedFor = durationAt(file, ['keys', 'cachedFor']);
  if (cachedFor > 86_400) {
    add(['keys', 'cachedFor'], { problem: 'Key sets may be kept for one day at most.', remedy: 'Use 1d or less.' });
  } else if (rotateAfter < cachedFor) {
    const remedy = 'Make rotateAfter longer than cachedFor, or write never.';
    add(['keys', 'rotateAfter'], { problem: 'Keys would be replaced before they are used.', remedy });
  }
}

function checkOutgoing(file: object, add: (path: KeyPath, issue: UrlIssue) => void): void {
  const networks = valueAt(file, ['outgoing', 'privateNetworks']);
  for (const [place, network] of (Array.isArray(networks) ? networks : []).entries()) {
    if (typeof network !== 'string' || parseNetwork(network)) continue;
    const remedy = 'Write address and length: 10.20.0.0/16, fd12::/16, 192.168.1.7/32.';
    add(['outgoing', 'privateNetworks', place], { problem: 'Is no network.', remedy });
  }
}

/** Seconds; NaN when it is not there, or no duration. */
function durationAt(file: object, path: KeyPath): number {
  const value = valueAt(file, path);
  const usable =
    (typeof value === 'number' && value > 0) || (typeof value === 'string' && /^[1-9]\d{0,9}[smhd]$/.test(value));
  return usable ? seconds(value) : Number.NaN;
}

function valueAt(root: object, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (isGroup(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    root,
  );
}

function isGroup(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
