// Applies all patches of oidc-provider's internals, each a file of its own, after a check that what they change is there as
// expected: an upgrade must not silently lose a rule.

import { readFileSync } from 'node:fs';
import type { Provider } from 'oidc-provider';
import type { EndedSession } from '#store/oidc/logout-deliveries.ts';
import { backchannelLogoutQueue } from './backchannel-logout-queue.ts';
import { hashedClientSecrets, type SecretComparison } from './hashed-client-secrets.ts';
import { idTokenHintAlgorithm } from './id-token-hint-algorithm.ts';
import type { Member, Patch } from './patch.ts';
import { reportedAcr } from './reported-acr.ts';

export interface PatchOptions extends SecretComparison {
  /** Takes the end of a session at a client, which is notified later. */
  loggedOut(ended: EndedSession): Promise<void>;
}

/** Patches a provider that has answered nothing yet. Throws when a member of the library is not what a patch expects. */
export function applyPatches(provider: Provider, options: PatchOptions): void {
  const patches: readonly Patch[] = [
    hashedClientSecrets(options),
    idTokenHintAlgorithm,
    backchannelLogoutQueue(options.loggedOut),
    reportedAcr,
  ];
  const unexpected = patches.flatMap(({ name, needs }) =>
    needs.flatMap((need) => {
      const problem = problemOf(provider, need);
      return problem === undefined ? [] : [`${need.member} (patch ${name}) ${problem}`];
    }),
  );
  if (unexpected.length > 0) {
    throw new Error(
      `oidc-provider ${installedVersion()} is not the version that the patches in src/openid/provider/patches were written for: ` +
        `${unexpected.join('; ')}. Install the version that package.json names (npm ci), or adapt the patch.`,
    );
  }
  for (const { apply } of patches) apply(provider);
}

function problemOf(provider: Provider, need: Member): string | undefined {
  const path = need.member.split('.');
  const name = path.pop() ?? '';
  let owner: unknown = provider;
  for (const part of path) owner = (owner as Record<string, unknown> | undefined)?.[part];
  if (owner === undefined || owner === null) return 'is missing';
  if ('kind' in need) {
    return Object.getOwnPropertyDescriptor(owner, name)?.get ? undefined : 'is no getter';
  }
  const found = (owner as Record<string, unknown>)[name];
  if (typeof found !== 'function') return found === undefined ? 'is missing' : 'is no function';
  const { length } = found;
  return length === need.parameters ? undefined : `takes ${length} parameters instead of ${need.parameters}`;
}

function installedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('oidc-provider'));
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version);
}
