// RFC 6749 2.3.1, SEC-44: what is done to a form before the library reads it, asked over HTTP: its fields are counted, and a client without
// a secret may send an empty one.

import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptEmptySecrets, refuseManyFields } from '#openid/clients/client-forms.ts';

describe.each([
  ['stream', (req: IncomingMessage) => req],
  ['iterator', (req: IncomingMessage) => req.iterator({ destroyOnReturn: false })],
] as const)('a form, read by its %s,', (_by, read) => {
  const types: Readonly<Record<string, string>> = { page: 'browser', 'app é': 'native', shop: 'server' };
  const accept = acceptEmptySecrets({ find: (id: string) => types[id] && ({ type: types[id] } as never) } as never);
  const ended: boolean[] = [];
  const server = createServer(async (req, res) => {
    const ctx = {
      method: req.method,
      req,
      status: 404,
      body: undefined as unknown,
      get: (name: string) => String(req.headers[name] ?? ''),
    };
    let seen: unknown;
    await refuseManyFields(ctx as never, () =>
      accept(ctx as never, async () => {
        const { authorization, 'content-length': length } = req.headers;
        seen = { authorization, length, form: await text(read(req)) };
        await new Promise(setImmediate);
        ended.push(req.readableEnded);
      }),
    );
    res.end(JSON.stringify(seen ?? { status: ctx.status, ...(ctx.body as object) }));
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void server.close());

  async function sent(parts: readonly string[], headers: Record<string, string> = {}, method = 'POST') {
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const req = request({ port, host: '127.0.0.1', method, headers, agent: false }, (answer) =>
        text(answer).then((said) => resolve(JSON.parse(said)), reject),
      );
      for (const part of parts) req.write(part);
      req.end();
    });
  }
  const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
  const withLength = (form: string, more: Record<string, string> = {}) => ({
    ...more,
    'content-length': String(Buffer.byteLength(form)),
  });

  it('is read by the next one as it was sent, in one part or in several', async () => {
    expect(await sent(['a=1&', 'b=2'])).toEqual({ form: 'a=1&b=2' });
    expect(await sent(['a=1'], withLength('a=1'))).toEqual({ length: '3', form: 'a=1' });
    expect(await sent([])).toMatchObject({ form: '' });
    const long = `a=${'x'.repeat(100_000)}`;
    expect(await sent([long])).toEqual({ form: long });
  });

  it('has ended once it was read, so that a connection at rest does not keep it', async () => {
    ended.length = 0;
    await sent(['a=1']);
    await sent(['a=1'], basic('page:'));
    await sent(['a=1'], withLength('a=1', basic('page:')));
    await sent([`a=${'x'.repeat(100_000)}`]);
    expect(ended).toEqual([true, true, true, true]);
  });

  it('that the client_id of a public client makes longer than oidc-provider reads has it all the same', async () => {
    const form = `a=${'x'.repeat(56 * 1024 - 2)}`;
    expect(await sent([form], basic('page:'))).toEqual({ form: `client_id=page&${form}` });
  });

  it('with too many fields is refused; a query of GET is not read here', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&');
    expect(await sent([fields(50)])).toEqual({ form: fields(50) });
    expect(await sent([fields(5000)])).toEqual({
      status: 400,
      error: 'invalid_request',
      error_description: expect.any(String),
    });
    expect(await sent([fields(5000)], {}, 'PUT')).toEqual({ form: fields(5000) });
  });

  it.each([
    ['page:', 'a=1', 'client_id=page&a=1'],
    ['app+%C3%A9:', 'a=1', 'client_id=app%20%C3%A9&a=1'],
    ['page:', 'client_id=page&a=1', 'client_id=page&a=1'],
    ['page:', 'client_id=shop&a=1', 'client_id=page&client_id=shop&a=1'],
  ])('of the public client %s with an empty secret has its client_id instead', async (credentials, form, seen) => {
    expect(await sent([form], withLength(form, basic(credentials)))).toEqual({
      length: String(seen.length),
      form: seen,
    });
    expect(await sent([form], basic(credentials))).toEqual({ form: seen });
  });

  it.each(['shop:', 'unknown:', 'page:secret', 'page', ':', '%E9:', 'a:b:'])(
    'keeps the header of the client %s',
    async (credentials) => {
      expect(await sent(['a=1'], basic(credentials))).toEqual({ ...basic(credentials), form: 'a=1' });
    },
  );

  it('that is empty, and one that is not posted, keeps it too', async () => {
    expect(await sent([], withLength('', basic('page:')))).toEqual({ ...basic('page:'), length: '0', form: '' });
    expect(await sent(['a=1'], basic('page:'), 'PUT')).toEqual({ ...basic('page:'), form: 'a=1' });
    const bearer = { authorization: 'Bearer cGFnZTo=' };
    expect(await sent(['a=1'], bearer)).toEqual({ ...bearer, form: 'a=1' });
  });
});
