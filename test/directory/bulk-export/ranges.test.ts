// RFC 9110 section 14: the parts of a file, byte by byte, and from which chunk each is made.

import { describe, expect, it } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import request from 'supertest';
import { type Download, download } from '#directory/bulk-export/download.ts';
import type { Chunk } from '#directory/bulk-export/files.ts';

const plain = { 'accept-encoding': 'identity' };

describe('a download', () => {
  /** Three chunks; the second begins at position 200. */
  const CHUNKS: Chunk[] = [
    { at: 0, text: 'été\n' },
    { at: 200, text: 'bcd\n' },
    { at: 200, text: 'ef\n' },
  ];
  const whole = Buffer.from(CHUNKS.map(({ text }) => text).join(''));

  async function* chunksFrom(at: number): AsyncGenerator<Chunk> {
    yield* CHUNKS.filter((chunk) => chunk.at >= at);
  }

  async function downloaded(headers: Record<string, string>) {
    const asked: (number | undefined)[] = [];
    const ended: unknown[] = [];
    const file: Download = {
      name: 'x',
      chunks: (at) => {
        asked.push(at);
        return chunksFrom(at ?? 0);
      },
      ended: (error) => ended.push(error),
    };
    const app = express();
    app.get('/', async (req: Request, res: Response) => {
      await download(file, req, res).catch((error) => {
        res.set(error.headers).status(error.status).type('text/plain').send(error.message);
      });
    });
    const answer = await request(app)
      .get('/')
      .set(headers)
      .buffer()
      .parse((res, done) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part)).on('end', () => done(null, Buffer.concat(parts)));
      });
    return { answer, body: answer.body as Buffer, asked, ended };
  }

  it.each([
    ['bytes=0-', 0, 12, [undefined, 0]],
    ['bytes=5-', 5, 12, [undefined, 0]],
    ['bytes=6-7', 6, 7, [undefined, 200]],
    ['bytes=7-', 7, 12, [undefined, 200]],
    ['bytes=10-10', 10, 10, [undefined, 200]],
    ['bytes=2-99', 2, 12, [undefined, 0]],
  ])('Range: %s gives the bytes from %i to %i, from the chunk in which they begin', async (range, from, to, chunks) => {
    const { answer, body, asked, ended } = await downloaded({ range });
    expect([answer.status, answer.headers['content-range'], answer.headers['content-length']]).toEqual([
      206,
      `bytes ${from}-${to}/${whole.length}`,
      String(to - from + 1),
    ]);
    expect([body.equals(whole.subarray(from, to + 1)), asked, ended]).toEqual([true, chunks, [undefined]]);
  });

  it.each(['bytes=-5', 'bytes=5', 'bytes=5-4', 'bytes=1-2,4-5', 'bits=1-2', 'bytes=1234567890123456-'])(
    'Range: %s is passed over: the file comes whole',
    async (range) => {
      const { answer, body, asked } = await downloaded({ ...plain, range });
      expect([answer.status, body.equals(whole), asked]).toEqual([200, true, [undefined]]);
    },
  );

  it('If-Range of another file gives the file whole', async () => {
    const other = await downloaded({ ...plain, range: 'bytes=5-', 'if-range': '"y"' });
    expect([other.answer.status, other.body.equals(whole)]).toEqual([200, true]);
    expect((await downloaded({ range: 'bytes=5-', 'if-range': '"x"' })).answer.status).toBe(206);
    const packed = await downloaded({ 'accept-encoding': 'x-gzip' });
    expect([packed.answer.headers['content-encoding'], packed.body.equals(whole)]).toEqual(['gzip', true]);
  });

  it('a range beyond the end is 416 with the length, and a client that has left is told nothing', async () => {
    const { answer, body } = await downloaded({ range: `bytes=${whole.length}-` });
    expect([answer.status, answer.headers['content-range'], String(body)]).toEqual([
      416,
      `bytes */${whole.length}`,
      `The file has ${whole.length} bytes: there is nothing from ${whole.length} on.`,
    ]);
    const req = { headers: { range: 'bytes=1-' }, method: 'GET', socket: { destroyed: true } } as unknown as Request;
    const res = { set: () => {}, setHeader: () => {} } as unknown as Response;
    const file = { name: 'x', chunks: () => chunksFrom(0), ended: () => {} };
    await expect(download(file, req, res)).rejects.toMatchObject({ status: 408, message: 'The client has left.' });
  });

  it('a client that leaves while the first chunk is looked for is sent nothing, and its slot is free again', async () => {
    const ended: unknown[] = [];
    const req = { headers: { range: 'bytes=1-' }, method: 'GET', socket: { destroyed: false } } as unknown as Request;
    const res = { set: () => {}, setHeader: () => {}, status: () => {}, destroyed: true } as unknown as Response;
    await download({ name: 'x', chunks: () => chunksFrom(0), ended: (error) => ended.push(error) }, req, res);
    expect(ended).toEqual([undefined]);
  });
});
