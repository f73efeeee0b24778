// The token of the metrics, from where `metrics.token` says; and whether their port is one of their own.

import type { ConfigIssue } from '#config/configuration-error.ts';
import { LEAST_SECRET, secretOf } from '#config/secret-reference.ts';
import type { Settings } from '#config/settings.ts';
import type { YamlFile } from '#config/yaml/yaml-file.ts';
import type { Environment } from './environment.ts';
import type { ServiceFile } from './service-schema.ts';

interface Context {
  mode: Settings['mode'];
  configFolder: string;
  yaml: Pick<YamlFile, 'issueAt'>;
  env: Environment;
  /** Takes what is wrong. */
  issues: ConfigIssue[];
}

/** The token, or undefined where there is none or where it is an issue. */
export async function readMetricsToken(
  { token }: ServiceFile['metrics'],
  { mode, configFolder, yaml, env, issues }: Context,
): Promise<string | undefined> {
  if (!token) return undefined;
  const refuse = (issue: Parameters<YamlFile['issueAt']>[1]): undefined => {
    issues.push(yaml.issueAt(['metrics', 'token'], issue));
  };
  const found = await secretOf(token, configFolder, env);
  if ('problem' in found) return refuse(found.problem);
  const { secret } = found;
  // RFC 6750 section 2.1: nothing else can be sent.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(secret)) {
    const problem = 'The token has characters that no Authorization header can carry (its value is not shown).';
    return refuse({ problem, remedy: 'A good one: openssl rand -hex 32' });
  }
  if (mode === 'production' && secret.length < LEAST_SECRET) {
    const problem = `Production refuses tokens of fewer than ${LEAST_SECRET} characters (its value is not shown).`;
    return refuse({ problem, remedy: 'A good one: openssl rand -hex 32' });
  }
  return secret;
}
