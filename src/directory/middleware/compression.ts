// Compresses responses with a coding that the client accepts (RFC 9110 section 12.5.3). Files of an export are compressed while they are
// made (`bulk-export/download.ts`).
//
// The package `compression` is not used, because it is slower: at the same levels, it took 1.6 times the time for a page of 20 resources
// with gzip, and 1.3 times with brotli. It also omits Content-Length, so that the headers of HEAD differ from those of GET.

import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, gzip, gzipSync, constants as zlib } from 'node:zlib';
import Negotiator from 'negotiator';

type Coding = 'br' | 'gzip' | 'identity';

/** Bodies of fewer bytes are not compressed: they fit into one network packet, so compression would not make them arrive sooner. */
export const LEAST_BYTES = 1400;

/**
 * The fastest levels, measured on pages of 50 resources. gzip 1 reduces a page to 6 to 10 % of its bytes. gzip 6 would reduce it by one or
 * two percentage points more, but takes twice the time. Brotli 1 makes pages almost as small as gzip 6, in 55 to 80 % of the time of gzip
 * 1. So brotli is preferred if a client accepts both equally.
 */
const [GZIP_LEVEL, BROTLI_QUALITY] = [1, 1];

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * Bodies of up to this many characters are compressed in the main thread, which takes a fifth of a millisecond for a page. To hand the page
 * to a thread of libuv would cost the main thread more time than that. It would also need a third more memory under load. Larger bodies are
 * compressed in the threads of libuv.
 */
const AT_ONCE = 131_072;

const OF_GZIP = { level: GZIP_LEVEL, chunkSize: 32_768 };
const OF_BROTLI = {
  chunkSize: 32_768,
  params: { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.BROTLI_PARAM_MODE]: zlib.BROTLI_MODE_TEXT },
};

export async function compressed(body: string, coding: 'br' | 'gzip'): Promise<Buffer> {
  if (body.length > AT_ONCE) return coding === 'gzip' ? gzipAsync(body, OF_GZIP) : brotliAsync(body, OF_BROTLI);
  return coding === 'gzip' ? gzipSync(body, OF_GZIP) : brotliCompressSync(body, OF_BROTLI);
}

/** Every coding that a response can have, in the order of preference. */
const CODINGS = ['br', 'gzip', 'x-gzip', 'identity'];

/** Chooses the coding for a body of that many bytes; `identity` if the client accepts no coding (see `takesNoCoding`). */
export function codingFor(accepted: string | undefined, bytes: number): Coding {
  const small = bytes < LEAST_BYTES;
  // A small body is compressed only if the client excludes `identity`.
  if (accepted === undefined || (small && !(accepted.includes(';') && codings(accepted, ['identity']).length === 0)))
    return 'identity';
  const [coding = 'identity'] = codings(accepted, CODINGS);
  return coding === 'x-gzip' ? 'gzip' : (coding as Coding);
}

/** Checks whether the client excludes every coding, even `identity`. */
export function takesNoCoding(accepted: string | undefined): boolean {
  return accepted?.includes(';') === true && codings(accepted, CODINGS).length === 0;
}

function codings(accepted: string, available: string[]): string[] {
  const negotiator: Preferring = new Negotiator({ headers: { 'accept-encoding': accepted } });
  return negotiator.encodings(available, { preferred: CODINGS });
}

/** Declares the parameter `options` of `encodings`, which the type declarations of negotiator lack. */
interface Preferring {
  encodings(available: string[], options?: { preferred: string[] }): string[];
}
