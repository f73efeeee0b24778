// Owns the answer to a request that Node cannot read, so that no router ever sees it: why, and how to write it instead.
// Does not own faults of requests that can be read (`src/directory/middleware/operation-outcome.ts`, `src/signin`, oidc-provider).

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Settings } from '../config/settings.ts';
import { type IssueCode, outcomeJson } from '../directory/errors.ts';
import { RESPONSE_HEADERS } from '../directory/middleware/response-headers.ts';
import { FHIR_JSON } from '../directory/middleware/send-response.ts';
import { securityHeadersOf } from './middleware/security-headers.ts';

/** As Node emits it with `clientError`. */
interface ReadFault extends Error {
  code?: string;
  /** Bytes that were being read; not for time-outs. */
  rawPacket?: Buffer;
}

interface Answered {
  status: number;
  code: IssueCode;
  text: string;
}

/** Milliseconds for which more is taken in and dropped: a close amid unread bytes would take the answer from the client. */
const LINGER = 1000;
/** Of the packet; enough for the request line of any client that goes by the limits. */
const LOOKED_AT = 32_768;
const REQUEST_LINE = /^[A-Z-]+ [!-~]+ HTTP\/1\.[01]\r?$/;
const AS_ADDRESS =
  'The address holds a character that must be percent-encoded: write é as %C3%A9 and a blank as %20, or use curl -G --data-urlencode.';

/** By the fault's `code`; nearly all others are one malformed line or another. */
const ANSWERS: Readonly<Record<string, Answered>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'too-long',
    text: 'Address and headers take 16 KiB together at most: shorten the address, or send less or smaller cookies and tokens.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too-long', text: 'Send the body without extensions of chunks.' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'transient',
    text: 'The request did not arrive in time: send it again.',
  },
};
const MALFORMED: Answered = {
  status: 400,
  code: 'structure',
  text: 'The request is malformed: it is not HTTP/1.1, or a header or the body is not written as its rules demand.',
};
const MALFORMED_ADDRESS: Answered = { status: 400, code: 'structure', text: AS_ADDRESS };

/** A listener for `clientError`: answers where that is possible, and closes the connection. */
export function unreadableRequests(settings: Pick<Settings, 'issuer' | 'directory'>) {
  const directory = new URL(settings.directory.url);
  const path = directory.pathname.replace(/\/$/, '');
  const secure = securityHeadersOf(settings);
  const answered = new WeakSet<Socket>();

  /** A directory with a host of its own is told from the other side by Host, as far as it was read. */
  const isOfDirectory = (target: string, packet: string): boolean => {
    const local = target.replace(/^https?:\/\/[^/?]*/i, '');
    if (path === '' && !packet.toLowerCase().includes(`\r\nhost: ${directory.host}\r\n`)) return false;
    return local.startsWith(path) && /^[/? ]|^$/.test(local.slice(path.length));
  };

  return (fault: ReadFault, socket: Socket): void => {
    // Once refused, a connection is only waited for: each further packet is a fault again.
    if (answered.has(socket)) return;
    answered.add(socket);
    if (!socket.writable || fault.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    setTimeout(() => socket.destroy(), LINGER).unref();
    if (isAnswering(socket)) {
      socket.end();
      return;
    }
    const packet = fault.rawPacket?.toString('latin1', 0, LOOKED_AT) ?? '';
    const line = packet.split('\n', 1)[0] ?? '';
    const target = /^[A-Z-]+ (.*?)(?: HTTP\/\d(?:\.\d)?)?\r?$/.exec(line)?.[1] ?? '';
    const isAddress = /^(https?:\/)?\//i.test(target) && !REQUEST_LINE.test(line);
    const said = ANSWERS[fault.code ?? ''] ?? (isAddress ? MALFORMED_ADDRESS : MALFORMED);
    const ofDirectory = isOfDirectory(target, packet);
    const body = ofDirectory
      ? outcomeJson([{ severity: 'error', code: said.code, diagnostics: said.text }])
      : `${said.text}\n`;
    const headers = {
      ...(ofDirectory ? RESPONSE_HEADERS : { 'cache-control': 'no-store' }),
      ...secure,
      'Content-Type': ofDirectory ? FHIR_JSON : 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Date: new Date().toUTCString(),
      Connection: 'close',
    };
    const head = [
      `HTTP/1.1 ${said.status} ${STATUS_CODES[said.status]}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    // RFC 9110 section 9.3.2: nothing follows the head of an answer to HEAD.
    socket.end(`${head.join('\r\n')}\r\n\r\n${line.startsWith('HEAD ') ? '' : body}`);
  };
}

/**
 * Whether an answer has begun and not ended, or ends with the connection (HTTP/1.0): another one would become a part of it.
 * Node itself looks at this property, too.
 */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  return answer?.headersSent === true && !(answer.writableEnded && answer.shouldKeepAlive);
}
