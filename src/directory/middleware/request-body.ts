// Reads the body of a request as bytes, up to a limit.

import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';

/**
 * Makes a reader of uncompressed bodies. It gives undefined if there is none, and rejects with an error of the body parser (413, 415).
 * @param limit bytes
 */
export function bodyReader(limit: number) {
  const read = express.raw({ type: () => true, limit, inflate: false });
  return async (req: IncomingMessage & { body?: unknown }, res: ServerResponse): Promise<Buffer | undefined> => {
    await new Promise<void>((resolve, reject) => {
      read(req, res, (error: unknown) => (error ? reject(error) : resolve()));
    });
    return Buffer.isBuffer(req.body) ? req.body : undefined;
  };
}
