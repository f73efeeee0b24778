// The patches of oidc-provider refuse a version of it that they were not written for, and each finds what it changes.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Adapter, Provider } from 'oidc-provider';
import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import { applyPatches } from '#openid/provider/patches/index.ts';

const checkSecret: CheckSecret = async () => 'wrong';

const JWK = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

let provider: Provider;
const membersOf = () => provider as unknown as Record<'Client' | 'IdToken', { prototype: object }>;

describe('the start-up check of patches', () => {
  beforeEach(() => {
    provider = new Provider('http://127.0.0.1', {
      adapter: () => ({}) as Adapter,
      jwks: { keys: [{ ...JWK, use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['of this test'] },
      features: { devInteractions: { enabled: false } },
    });
  });

  it('accepts the installed version, which package.json pins', () => {
    expect(() => applyPatches(provider, checkSecret)).not.toThrow();
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
    expect(manifest.dependencies['oidc-provider']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each<[patch: string, member: string, remove: () => void]>([
    ['hashed-client-secrets', 'compareClientSecret', () => remove(membersOf().Client.prototype, 'compareClientSecret')],
    ['id-token-hint-algorithm', 'IdToken.validate', () => remove(membersOf().IdToken, 'validate')],
  ])('%s refuses a library without %s, by name and version, and nothing is patched', (patch, member, change) => {
    const { validate } = membersOf().IdToken as unknown as { validate: unknown };
    change();
    expect(() => applyPatches(provider, checkSecret)).toThrow(
      new RegExp(`oidc-provider \\d+\\.\\d+\\.\\d+ .*${member}.* \\(patch ${patch}\\)`),
    );
    if (member !== 'IdToken.validate') expect(membersOf().IdToken).toHaveProperty('validate', validate);
  });

  it('refuses a member that takes other parameters', () => {
    Object.assign(membersOf().Client.prototype, { compareClientSecret: (_a: string, _b: string) => true });
    expect(() => applyPatches(provider, checkSecret)).toThrow('takes 2 parameters instead of 1');
  });
});

function remove(owner: object, member: string): void {
  Reflect.deleteProperty(owner, member);
}
