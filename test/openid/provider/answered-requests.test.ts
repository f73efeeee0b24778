// What an answered request leaves in memory: oidc-provider's context of it, without the request, the response, what was found for them, and all
// that they lead to.

import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { service, withService } from '#support/openid/with-service.ts';
import { SECRET } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('the context of a request', () => {
  withService();

  /** Sends a form, and returns the contexts that the provider's event told of. */
  async function contextsOf(event: string, path: string, fields: Record<string, string>) {
    const contexts: KoaContextWithOIDC[] = [];
    const emit = jest.spyOn(EventEmitter.prototype, 'emit');
    const answer = await fetch(service.issuer + path, { method: 'POST', body: new URLSearchParams(fields) });
    await answer.text();
    for (const [name, ctx] of emit.mock.calls) if (name === event) contexts.push(ctx as KoaContextWithOIDC);
    emit.mockRestore();
    return { status: answer.status, contexts };
  }

  it.each([
    ['introspection.error', '/oauth/introspect', { token: 'x', client_id: 'nobody', client_secret: SECRET }, 401],
    ['grant.error', '/oauth/token', { grant_type: 'authorization_code', client_id: 'nobody', code: 'x' }, 401],
  ])('%s has neither request nor response once it is answered', async (event, path, fields, expected) => {
    const { status, contexts } = await contextsOf(event, path, fields as Record<string, string>);
    expect(status).toBe(expected);
    expect(contexts).toHaveLength(1);
    const [ctx] = contexts;
    await until(() => ctx?.res === undefined, 'the response is forgotten');
    const { entities, params, body, route } = ctx?.oidc ?? {};
    for (const left of [ctx?.req, ctx?.request, ctx?.response, entities, params, body]) expect(left).toBeUndefined();
    expect(route).toBe(path === '/oauth/token' ? 'token' : 'introspection');
  });
});
