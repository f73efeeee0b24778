// Archive formats that an import does not open, so that a refusal can name them.

interface Packing {
  name: string;
  at?: number;
  bytes: string;
}

const PACKINGS: readonly Packing[] = [
  { name: 'zip', bytes: 'PK\x03\x04' },
  { name: 'gzip', bytes: '\x1f\x8b' },
  { name: '7-Zip', bytes: "7z\xbc\xaf'\x1c" },
  { name: 'RAR', bytes: 'Rar!\x1a\x07' },
  { name: 'xz', bytes: '\xfd7zXZ\x00' },
  { name: 'Zstandard', bytes: '\x28\xb5\x2f\xfd' },
  { name: 'bzip2', bytes: 'BZh' },
  { name: 'tar', at: 257, bytes: 'ustar' },
];

/** The name of what a content is packed by; undefined for one that is not. */
export function packingOf(head: Buffer): string | undefined {
  return PACKINGS.find(({ at = 0, bytes }) => head.toString('latin1', at, at + bytes.length) === bytes)?.name;
}

/** APPNOTE of the zip format, section 4.4.5; stored and deflated ones are read. */
const METHODS: Readonly<Record<number, string>> = {
  1: 'Shrink',
  6: 'Implode',
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
  98: 'PPMd',
};

/** Why a member of a zip archive is not read, by its header; undefined for one that is. */
export function unreadMember({ flags, method }: { flags: number; method: number }): string | undefined {
  if ((flags & 0x1) !== 0) return 'is encrypted: a password is needed, which Hygie cannot be given.';
  if (method === 0 || method === 8) return undefined;
  return `is packed by ${METHODS[method] ?? `method ${method}`}, which Hygie does not read.`;
}
