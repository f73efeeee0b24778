// How answers and links are written. Answers that a client leaves unread: `unread-answers.system.test.ts`.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeQuery, parseQuery } from '#directory/middleware/raw-query.ts';
import { anyText } from '#support/any-text.ts';
import { behindPublicBase } from '#support/directory/set-up.ts';
import '#support/seed.ts';

// The encodings gzip and br by Accept-Encoding (RFC 9110 section 12.5.3), with Vary, the right length, and HEAD like GET.
describe('compression of answers', () => {
  const { address } = behindPublicBase();
  const LARGE = '/metadata';

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

  it.each([
    // Accept-Encoding, coding of a large answer
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['identity;q=0.5, gzip;q=0.2', undefined],
    ['deflate', undefined],
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
});

// fhir-stu3, links: whatever a client searches for stands in a link so that it is read back as the same search; the form is
// the one that URLSearchParams writes (application/x-www-form-urlencoded), which serves as the reference.
describe('directory: queries of links', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(..." +%&=?#!'()~*-._|,:/\\é’œ😀"), anyText({ minLength: 1, maxLength: 1 })),
  });
  const printable = text.filter((value) => !/[\p{Cc}\p{Cs}]/u.test(value));
  const pairs = fc.array(fc.tuple(printable, printable));

  it('pairs are written as URLSearchParams writes them', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect(encodeQuery(given)).toBe(new URLSearchParams(given).toString());
      }),
    );
  });

  it('what was written is read back', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect(parseQuery(encodeQuery(given))).toEqual(given);
      }),
    );
  });
});
