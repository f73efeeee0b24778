// What a read or a search takes and gives. HTTP requests and entries of a batch are both answered through it.

import type { IncomingHttpHeaders } from 'node:http';
import type { Representation } from '#directory/format/serialize.ts';
import type { ActiveToken } from './authenticate.ts';

export interface DirectoryRequest {
  /** Path and query as sent, one character for each byte. */
  url: string;
  headers: { accept?: string | undefined; prefer?: IncomingHttpHeaders['prefer'] };
  /** Decoded values of the path: `id`, `vid`. */
  params: Readonly<Record<string, string | string[] | undefined>>;
  /** The form of a search by POST, one character for each byte; empty if there is none. */
  form: string;
  /** Undefined where no token is needed. */
  token: ActiveToken | undefined;
  /** Checks whether the client has left. */
  abandoned(): boolean;
}

export interface DirectoryResponse {
  /** JSON text of a whole resource. */
  json: string;
  representation: Representation;
  /** The version, if the response is a stored resource. */
  version?: {
    etag: string;
    /** FHIR instant. */
    lastUpdated: string;
    /** Address of this version. */
    location: string;
  };
}

/** Answers a request that reads (STU3 http.html calls it an interaction). Throws an error to refuse it. */
export type Interaction = (request: DirectoryRequest) => Promise<DirectoryResponse>;
