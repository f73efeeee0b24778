// The keys of `service.yaml` about metrics: the address at which Prometheus reads them, and the token that Prometheus sends. The service
// reads the token at its start, from the variable or the file that `metrics.token` names.

import type { ConfigIssue } from '#config/configuration-error.ts';
import type { Environment } from '#config/environment/environment.ts';
import { type SecretSource, secretOf, shortSecret } from '#config/environment/secrets.ts';
import { group, oneKey, text, wholeNumber } from '#config/schema/fields.ts';
import type { Mode } from '#config/url-rules.ts';
import type { YamlFile } from '#config/yaml/yaml-file.ts';

const token = oneKey({
  env: text()
    .exactOptional()
    .describe('Name of the environment variable that holds the token. The service reads it at the start.'),
  file: text().exactOptional().describe('File that holds the token, relative to the folder of this file.'),
});

export const metrics = group({
  port: wholeNumber(1, 65_535)
    .exactOptional()
    .describe('TCP port on which /metrics answers. HYGIE_METRICS_PORT overrides it.'),
  host: text()
    .default('127.0.0.1')
    .describe('Address to listen on for `metrics.port`: one of an inner network. HYGIE_METRICS_HOST overrides it.'),
  token: token
    .exactOptional()
    .describe(
      'Token that Prometheus has to send (Authorization: Bearer), as `{ env: NAME }` or `{ file: PATH }`. In production it has 32 characters or more. With a token and no port, the metrics are at {issuer}/metrics.',
    ),
}).describe('Metrics for Prometheus. Without port and without token there are none.');

interface Context {
  mode: Mode;
  configFolder: string;
  yaml: Pick<YamlFile, 'issueAt'>;
  env: Environment;
  /** The list to which problems with the token are added. */
  issues: ConfigIssue[];
}

/**
 * Returns the token of the metrics. Returns undefined if none is configured. If the token cannot be used, adds an issue and also returns
 * undefined.
 */
export async function readMetricsToken(
  source: SecretSource | undefined,
  { mode, configFolder, yaml, env, issues }: Context,
): Promise<string | undefined> {
  if (!source) return undefined;
  const refuse = (issue: Parameters<YamlFile['issueAt']>[1]): undefined => {
    issues.push(yaml.issueAt(['metrics', 'token'], issue));
  };
  const found = await secretOf(source, configFolder, env);
  if ('problem' in found) return refuse(found.problem);
  const { secret } = found;
  // The characters that a bearer token may have (RFC 6750 section 2.1).
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(secret)) {
    const problem = 'The token has characters that no Authorization header can carry (its value is not shown).';
    return refuse({ problem, remedy: GOOD_ONE });
  }
  const problem = shortSecret(secret, mode);
  return problem === undefined ? secret : refuse({ problem, remedy: GOOD_ONE });
}

const GOOD_ONE = 'A good one: openssl rand -hex 32';
