// The types for a read or a search: its request and its response. Both HTTP requests and entries of a batch are converted to this request.

import type { IncomingHttpHeaders } from 'node:http';
import type { Representation } from '#directory/format/serialize.ts';
import type { ActiveToken } from './authenticate.ts';

export interface DirectoryRequest {
  /** Path and query as sent; each character stands for one byte. */
  url: string;
  headers: { accept?: string | undefined; prefer?: IncomingHttpHeaders['prefer'] };
  /** The decoded parameters of the path: `id`, `vid`. */
  params: Readonly<Record<string, string | string[] | undefined>>;
  /** The form of a search by POST; each character stands for one byte. Empty if there is no form. */
  form: string;
  /** The token of the request; undefined on routes that need none. */
  token: ActiveToken | undefined;
  /** Checks whether the client has left. */
  abandoned(): boolean;
}

export interface DirectoryResponse {
  /** The whole resource as JSON text. */
  json: string;
  representation: Representation;
  /** The version of the resource; undefined if the response is not a stored resource. */
  version?: {
    etag: string;
    /** FHIR instant of the last change. */
    lastUpdated: string;
    /** Address of this version. */
    location: string;
  };
}

/** Answers a read or a search (STU3 http.html calls it an interaction). It throws an error to refuse the request. */
export type Interaction = (request: DirectoryRequest) => Promise<DirectoryResponse>;
