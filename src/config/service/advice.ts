// Advice on settings that work but should be looked at before others rely on the service.

import { keyFileIn } from '#config/environment/key-secrets.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { isLoopbackHost } from '#config/url-rules.ts';
import { EXAMPLE_NAMESPACE } from './service-schema.ts';

/** Returns one sentence for each piece of advice. */
export function adviceOn(settings: Settings): string[] {
  const advice: string[] = [];
  if (settings.demo && settings.processes > 1) {
    advice.push('the demo application keeps its sessions in one process: set processes to 1 to sign in to it.');
  }
  const { shrinkage, removed } = settings.directory.guards;
  if (shrinkage > removed) {
    advice.push(
      `directory.guards.shrinkage is ${shrinkage} and removed ${removed}: an edition that shrinks by more than ${removed} is still ` +
        'refused, by removed. Set both.',
    );
  }
  const { host, port, token } = settings.metrics;
  if (port !== undefined && token === undefined && !isLoopbackHost(host)) {
    advice.push(
      `metrics.host is ${host} without metrics.token: whoever reaches port ${port} reads the metrics. Let only an inner network reach it, ` +
        'as deploy/compose.yaml and deploy/kubernetes.yaml do, or set the token.',
    );
  }
  if (settings.mode !== 'production') return advice;
  if (settings.sandbox) {
    advice.push(
      'this is a sandbox (HYGIE_SANDBOX=1): its people are fictional, and everybody may sign in. No real data belongs in it.',
    );
  }
  if (!settings.mail && !settings.sandbox) {
    advice.push(
      'no mail server is set: forgotten passwords, invitations and notices of critical changes are not sent. Set mail in service.yaml' +
        (settings.branding.helpText || settings.branding.supportUrl
          ? '.'
          : ', or say whom people may ask in branding.helpText or branding.supportUrl.'),
    );
  }
  if (settings.namespace === EXAMPLE_NAMESPACE) {
    advice.push(
      `namespace is still the example ${EXAMPLE_NAMESPACE}: set it in service.yaml before relying parties depend on it.`,
    );
  }
  if (settings.keys.secrets.length === 0) {
    advice.push(
      `no HYGIE_KEY_SECRET is set: the first start makes one in ${keyFileIn(settings.dataFolder)}. Every instance needs that file. ` +
        'Keep a copy of it, apart from the backup of the database.',
    );
  }
  if (settings.proxies === 0 && settings.issuer.startsWith('https:') && !settings.listen.tls) {
    advice.push(
      'issuer is https and proxies is 0: set proxies in service.yaml to the number of reverse proxies that end TLS, or set listen.tls.',
    );
  }
  return advice;
}

/**
 * Names the servers that work without PKCE (RFC 9700 2.1.1). Only `check` prints this advice, since only the applications can follow it.
 */
export function adviceOnPkce({ pkce }: Pick<Settings, 'pkce'>, clients: readonly ClientSettings[]): string[] {
  if (pkce === 'required') return [];
  const without = clients.filter(
    ({ type, pkce, callbackUrls }) => type === 'server' && pkce !== 'required' && callbackUrls.length > 0,
  );
  if (without.length === 0) return [];
  return [
    `PKCE is optional for ${named(without)}: once they send code_challenge, write pkce: required there, or in service.yaml for all.`,
  ];
}

/**
 * Names the clients that get no refresh token by default: their applications would have to send a parameter that few of them can send. Only
 * `check` prints this advice.
 */
export function adviceOnRefreshTokens(clients: readonly ClientSettings[]): string[] {
  const trusted = clients.filter(
    ({ consent, scopes, refreshTokens }) =>
      consent === 'trusted' && scopes.includes('offline_access') && refreshTokens === undefined,
  );
  if (trusted.length === 0) return [];
  return [
    `${named(trusted)}: offline_access is left out unless the application sends prompt=consent. ` +
      'If it does not, write refreshTokens: always, else refreshTokens: consent.',
  ];
}

/** Lists the ids of the first five clients, and the number of the others. */
function named(clients: readonly ClientSettings[]): string {
  const names = clients.slice(0, 5).map(({ id }) => id);
  const rest = clients.length > names.length ? ` and ${clients.length - names.length} more` : '';
  return names.join(', ') + rest;
}
