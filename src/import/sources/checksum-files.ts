// Reads files in which publishers and their tools state checksums and sizes of other files.

/** A statement about a file. It comes from a line of a checksum file or from an object of a manifest. */
export interface Statement {
  /** The name of the file in the statement, with its folders. Absent if the statement names no file. */
  file?: string;
  bytes?: number;
  algorithm?: Algorithm;
  /** The digest as hexadecimal digits in lower case. */
  digest?: string;
  /** Set if the statement comes from data.gouv.fr (see `ofPlatform`). */
  ofPlatform?: true;
}

const ALGORITHMS = { 32: 'md5', 40: 'sha1', 64: 'sha256', 96: 'sha384', 128: 'sha512' } as const;
export type Algorithm = (typeof ALGORITHMS)[keyof typeof ALGORITHMS];

const HEX = '[0-9a-f]{32}(?:[0-9a-f]{8}|[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{96})?';
/** Lines of `sha256sum`: a digest, a blank, another blank or a `*`, and a name. */
const GNU = new RegExp(`^\\\\?(${HEX})\\s+\\*?(.+)$`, 'i');
/** Lines of BSD systems, `sha256sum --tag` and OpenSSL: `SHA256 (name) = digest`. */
const BSD = new RegExp(`^(?:md5|sha\\d?-?\\d*)\\s*\\((.+)\\)\\s*=\\s*(${HEX})$`, 'i');
const BARE = new RegExp(`^(${HEX})$`, 'i');

/** Reads the statements in the lines of a text file. Other lines are skipped, because some checksum files have comments or a signature. */
export function readChecksumText(bytes: Buffer): Statement[] {
  return textOf(bytes)
    .split(/\r?\n/)
    .flatMap((line) => {
      const text = line.trim();
      const [, ofGnu, gnuName] = GNU.exec(text) ?? [];
      const [, bsdName, ofBsd] = BSD.exec(text) ?? [];
      const digest = (ofGnu ?? ofBsd ?? BARE.exec(text)?.[1])?.toLowerCase();
      const file = gnuName ?? bsdName;
      return digest === undefined ? [] : [{ ...digestOf(digest), ...(file !== undefined && { file }) }];
    });
}

/**
 * Decodes the content of a file as UTF-8, or as UTF-16 if it begins with the byte order mark of UTF-16. Windows PowerShell writes such
 * files.
 */
function textOf(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/**
 * Reads the statements of a manifest. A manifest is JSON with a list `files` of names, sizes and digests, or JSON in which data.gouv.fr
 * describes a resource or a data set. Returns no statements for any other content.
 */
export function readManifest(bytes: Buffer): Statement[] {
  let root: unknown;
  try {
    root = JSON.parse(textOf(bytes));
  } catch {
    return [];
  }
  const { files, resources } = recordOf(root);
  if (Array.isArray(files)) return files.map(recordOf).flatMap(ofList);
  return (Array.isArray(resources) ? resources : [root]).map(recordOf).flatMap(ofPlatform);
}

type Fields = Readonly<Record<string, unknown>>;

function ofList(entry: Fields): Statement[] {
  const file = [entry['file'], entry['filename'], entry['name'], entry['path']].find(isText);
  const bytes = [entry['bytes'], entry['size']].find(Number.isSafeInteger) as number | undefined;
  const digest = ['sha512', 'sha384', 'sha256', 'sha1', 'md5'].map((name) => entry[name]).find(isDigest);
  if (file === undefined || (bytes === undefined && digest === undefined)) return [];
  return [{ file, ...(bytes !== undefined && { bytes }), ...(digest && digestOf(digest.toLowerCase())) }];
}

/**
 * Reads the description of a resource by data.gouv.fr. Marks the statement as `ofPlatform`, because its digest is less reliable than its
 * size: it may be the digest of an earlier upload.
 */
function ofPlatform(resource: Fields): Statement[] {
  const { checksum, filesize, url } = resource;
  const digest = recordOf(checksum)['value'];
  const bytes = Number.isSafeInteger(filesize) && Number(filesize) > 0 ? Number(filesize) : undefined;
  if (bytes === undefined && !isDigest(digest)) return [];
  const file = isText(url) ? url.replace(/[?#].*$/, '').replace(/^.*\//, '') : undefined;
  return [
    {
      ...(file !== undefined && { file }),
      ...(bytes !== undefined && { bytes }),
      ...(isDigest(digest) && digestOf(digest.toLowerCase())),
      ofPlatform: true,
    },
  ];
}

function digestOf(digest: string): Statement {
  return { digest, algorithm: ALGORITHMS[digest.length as keyof typeof ALGORITHMS] };
}

function isDigest(value: unknown): value is string {
  return isText(value) && BARE.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
