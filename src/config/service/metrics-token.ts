// Reads the token of the metrics at the start, from the variable or the file that `metrics.token` names. `environment/secrets.ts`
// (`secretOf`) finds the file in the folder of the configuration.

import type { ConfigIssue } from '#config/configuration-error.ts';
import type { Environment } from '#config/environment/environment.ts';
import { type SecretSource, secretOf, shortSecret } from '#config/environment/secrets.ts';
import type { Mode } from '#config/url-rules.ts';
import type { YamlFile } from '#config/yaml/yaml-file.ts';

interface Context {
  mode: Mode;
  configFolder: string;
  yaml: Pick<YamlFile, 'issueAt'>;
  env: Environment;
  /** Problems are added to this list. */
  issues: ConfigIssue[];
}

/** Returns the token; undefined if there is none, or if it is an issue. */
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
  // RFC 6750 section 2.1: a bearer token can hold no other characters.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(secret)) {
    const problem = 'The token has characters that no Authorization header can carry (its value is not shown).';
    return refuse({ problem, remedy: GOOD_ONE });
  }
  const problem = shortSecret(secret, mode);
  return problem === undefined ? secret : refuse({ problem, remedy: GOOD_ONE });
}

const GOOD_ONE = 'A good one: openssl rand -hex 32';
