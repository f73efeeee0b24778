// Applies the patches of oidc-provider. Each patch has a file of its own. The member to be patched is checked first: an upgrade of the
// library that removes the member or changes its parameters ends the start. Tests notice other changes.

import { readFileSync } from 'node:fs';
import type { Provider } from 'oidc-provider';
import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import { hashedClientSecrets } from './hashed-client-secrets.ts';
import { idTokenHintAlgorithm } from './id-token-hint-algorithm.ts';
import type { Patch } from './patch.ts';

/** Patches a provider that has not answered any request yet. Throws if a member of oidc-provider is not as a patch expects it. */
export function applyPatches(provider: Provider, checkSecret: CheckSecret): void {
  const patches: readonly Patch[] = [hashedClientSecrets(checkSecret), idTokenHintAlgorithm];
  const unexpected = patches.flatMap(({ name, member, parameters }) => {
    const problem = problemOf(provider, member, parameters);
    return problem === undefined ? [] : [`${member} (patch ${name}) ${problem}`];
  });
  if (unexpected.length > 0) {
    throw new Error(
      `oidc-provider ${installedVersion()} is not the version that the patches in src/openid/provider/patches were written for: ` +
        `${unexpected.join('; ')}. Install the version that package.json names (npm ci), or adapt the patch.`,
    );
  }
  for (const { apply } of patches) apply(provider);
}

function problemOf(provider: Provider, member: string, parameters: number): string | undefined {
  let value: unknown = provider;
  for (const part of member.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  if (typeof value !== 'function') return value === undefined ? 'is missing' : 'is no function';
  return value.length === parameters ? undefined : `takes ${value.length} parameters instead of ${parameters}`;
}

function installedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('oidc-provider'));
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version);
}
