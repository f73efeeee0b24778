// What a request passes on its way through the provider (`steps.ts`), and what it leaves behind (`answered.ts`).

import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Adapter, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { letGoOfAnswered } from '../../src/oidc/patches/answered.ts';
import { concerning, shortenWays } from '../../src/oidc/patches/steps.ts';
import { ROUTES } from '../../src/oidc/routes.ts';
import { until } from '../support/until.ts';

const JWK = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

const nothing = async () => undefined;
const EMPTY: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

let provider: Provider;
let server: Server;
beforeEach(() => {
  provider = new Provider('http://127.0.0.1', {
    routes: ROUTES,
    adapter: () => EMPTY,
    jwks: { keys: [{ ...JWK, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of this test'] },
    renderError: (ctx, out) => {
      ctx.body = out;
    },
    features: { devInteractions: { enabled: false }, introspection: { enabled: true }, revocation: { enabled: true } },
  });
  server = createServer((req, res) => void provider.callback()(req, res));
});
afterEach(() => {
  server.close();
});

async function ask(path: string, method = 'GET'): Promise<string> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text();
}

describe('the steps of a request', () => {
  let passed: string[];
  beforeEach(() => {
    passed = [];
    const step = (name: string) => (_ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
      passed.push(name);
      return next();
    };
    provider.use(concerning(['token', 'introspection'], step('of clients')));
    provider.use(step('of all'));
    provider.use(concerning([], step('of others')));
    shortenWays(provider);
  });

  it.each([
    ['POST', ROUTES.token, ['of clients', 'of all']],
    ['POST', ROUTES.introspection, ['of clients', 'of all']],
    ['GET', `${ROUTES.userinfo}?a=b`, ['of all']],
    ['GET', `${ROUTES.authorization}?client_id=x`, ['of all']],
  ])('%s %s passes those that concern it, in their order', async (method, path, expected) => {
    await ask(path, method);
    expect(passed).toEqual(expected);
  });

  it.each([
    ['GET', ROUTES.token],
    ['POST', ROUTES.userinfo],
    ['POST', ROUTES.token.toUpperCase()],
    ['POST', `${ROUTES.token}/`],
    ['POST', ROUTES.revocation],
    ['GET', '/elsewhere'],
  ])('%s %s passes all', async (method, path) => {
    await ask(path, method);
    expect(passed).toEqual(['of clients', 'of all', 'of others']);
  });
});

describe('the context of a request', () => {
  it('is whole until the answer is out, and then holds on to nothing of it', async () => {
    const contexts: KoaContextWithOIDC[] = [];
    letGoOfAnswered(provider);
    provider.use(async (ctx: KoaContextWithOIDC, next) => {
      contexts.push(ctx);
      await next();
      expect(ctx.req.url).toBe(ROUTES.jwks);
    });
    expect(await ask(ROUTES.jwks)).toContain('"keys"');
    const parts = ['req', 'res', 'request', 'response', 'state'] as const;
    await until(() => parts.every((part) => contexts[0]?.[part] === undefined), 'the context lets go');
    expect(contexts[0]?.oidc.route).toBe('jwks');
  });
});
