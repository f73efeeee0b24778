// Makes a picture of what somebody uploaded: decoded within narrow bounds and written anew, so that nothing of the file itself is ever
// served, neither where it was taken nor what may be hidden in it.

import { fairQueue } from '../../shared/fair-queue.ts';

/** Width and height, in pixels. */
const SIDE = 256;
/** Pixels that are decoded at most: photographs of 24 megapixels are, bombs are refused by their header (SEC-44). */
const MOST_PIXELS = 25_000_000;
/** Seconds for one picture. */
const TIME = 10;
/** Pictures that wait their turn; one is decoded at a time: each may take 100 MB for a moment. */
const WAITING = 8;

/** Beginnings of the files that are read; the decoders of no other format are ever asked. */
const SIGNATURES = [/^ÿØÿ/, /^\u0089PNG\r\n/, /^RIFF.{4}WEBP/s, /^GIF8[79]a/];
const DECODERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer'].map((name) => `VipsForeignLoad${name}`);

/** Why a file is not taken. `busy`: too many others are at work. */
export type PictureRefusal = 'kind' | 'unreadable' | 'busy';

class Busy extends Error {}
const inTurn = fairQueue({ running: 1, waiting: WAITING, refusal: () => new Busy('too many pictures at a time') });

/** Loaded with the first picture: services whose people upload none do without its memory. */
let loaded: ReturnType<typeof load> | undefined;
async function load() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  return sharp;
}

/** The picture as a square JPEG without metadata: upright, of its first frame, from its middle. `accountId`: whose turn it is. */
export async function readPicture(bytes: Buffer, accountId: string): Promise<Buffer | PictureRefusal> {
  const start = bytes.toString('latin1', 0, 16);
  if (!SIGNATURES.some((signature) => signature.test(start))) return 'kind';
  loaded ??= load();
  const sharp = await loaded;
  const place = { lane: 'known', group: accountId, member: '' } as const;
  try {
    return await inTurn(place, () =>
      sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', pages: 1 })
        .autoOrient()
        .resize(SIDE, SIDE, { fit: 'cover' })
        .flatten({ background: '#ffffff' })
        // Noise, the worst that can be, ends in 25 kB: with it, a page stays below 40.
        .jpeg({ quality: 65, mozjpeg: true })
        .timeout({ seconds: TIME })
        .toBuffer(),
    );
  } catch (error) {
    return error instanceof Busy ? 'busy' : 'unreadable';
  }
}
