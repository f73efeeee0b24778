// The encodings gzip and br by Accept-Encoding (RFC 9110 section 12.5.3), with Vary, the right length, and HEAD like GET.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { LEAST_BYTES } from '#directory/middleware/compression.ts';
import { behindPublicBase } from '#support/directory/set-up.ts';

const { address } = behindPublicBase();
const LARGE = '/metadata';
const SMALL = '/Practitioner/prat-1';

interface Received {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
}

/** Without any header that a client library would add. */
async function received(path: string, acceptEncoding?: string, method = 'GET'): Promise<Received> {
  const headers = {
    Authorization: 'Bearer both',
    ...(acceptEncoding !== undefined && { 'Accept-Encoding': acceptEncoding }),
  };
  const sent = request(`${address()}${path}`, { headers, method }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) };
}

const DECODED: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

describe('compression of answers', () => {
  it.each([
    // Accept-Encoding, coding of a large answer
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.2', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0, br;q=0, identity', undefined],
    ['deflate', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('Accept-Encoding: %s gives %s', async (accepted, coding) => {
    const plain = await received(LARGE);
    const { status, headers, bytes } = await received(LARGE, accepted);
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(coding);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(headers.vary).toContain('Accept-Encoding');
    const decoded = coding === undefined ? bytes : DECODED[coding]?.(bytes);
    expect(decoded?.toString()).toBe(plain.bytes.toString());
    if (coding !== undefined) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it('what fits one packet stays as it is, unless the client refuses that', async () => {
    const plain = await received(SMALL, 'gzip, br');
    expect(plain.bytes.length).toBeLessThan(LEAST_BYTES);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const refused = await received(SMALL, 'identity;q=0, br, gzip;q=0.5');
    expect(refused.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(refused.bytes).toString()).toBe(plain.bytes.toString());
    expect((await received(SMALL, 'gzip;q=0.5')).headers['content-encoding']).toBeUndefined();
  });

  it.each(['identity;q=0', '*;q=0', 'identity;q=0, deflate', 'gzip;q=0, br;q=0, identity;q=0'])(
    'Accept-Encoding: %s leaves nothing, and is 406',
    async (accepted) => {
      const { status, headers, bytes } = await received(SMALL, accepted);
      expect(status).toBe(406);
      expect(headers['content-encoding']).toBeUndefined();
      expect(JSON.parse(bytes.toString())).toMatchObject({ resourceType: 'OperationOutcome' });
    },
  );

  it.each([LARGE, '/Practitioner?name=d', SMALL, '/metadata?_format=xml'])(
    'HEAD %s is like GET, without the body',
    async (path) => {
      for (const accepted of ['br', 'gzip', undefined]) {
        const [get, head] = [await received(path, accepted), await received(path, accepted, 'HEAD')];
        expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
        expect(Number(head.headers['content-length'])).toBe(get.bytes.length);
        expect(head.bytes.length).toBe(0);
      }
    },
  );

  it('XML and errors are compressed like JSON', async () => {
    const xml = await received('/metadata?_format=xml', 'gzip');
    expect(gunzipSync(xml.bytes).toString()).toContain('<CapabilityStatement xmlns="http://hl7.org/fhir">');
    const names = Array.from({ length: 30 }, (_, index) => `unknown-parameter-${index}=x`).join('&');
    const error = await received(`/Practitioner?${names}`, 'br');
    expect(error.status).toBe(400);
    expect(JSON.parse(brotliDecompressSync(error.bytes).toString()).issue).toHaveLength(30);
  });
});
