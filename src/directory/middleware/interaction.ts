// A read or a search: the types of its request and its response, and the handler that answers it over HTTP. HTTP requests and entries of a
// batch are both converted to a `DirectoryRequest`. The handler also sets the headers that name the version of the resource, and answers
// 304 if the client already has this version (STU3 http 2.20.0.3).

import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { isStoredForm, type Representation } from '#directory/format/serialize.ts';
import { type ActiveToken, tokenOf } from './authenticate.ts';
import { formOf } from './request-body.ts';
import { isFresh, sendResource, setCaching } from './send-response.ts';

export interface DirectoryRequest {
  /** Path below the base address of the directory, and query, both as sent; each character stands for one byte. */
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
    /** Address of exactly this version of the resource (`_history`), for the header Content-Location. */
    location: string;
  };
}

/** Answers a read or a search (STU3 http.html calls it an interaction). It throws an error to refuse the request. */
export type Interaction = (request: DirectoryRequest) => Promise<DirectoryResponse>;

/**
 * Makes the handler of an interaction. It comes after `authenticate` and, for a search by POST, after `searchForm`.
 * @param rendering called before a response is written in a form other than the stored JSON; it may refuse the request
 */
export function respond(interaction: Interaction, rendering?: (req: Request) => Promise<void>): RequestHandler {
  return async (req, res) => {
    const { json, representation, version } = await interaction(requestOf(req, res));
    if (version) {
      res.set({
        ETag: version.etag,
        'Last-Modified': new Date(version.lastUpdated).toUTCString(),
        'Content-Location': version.location,
      });
      if (mayBeOtherFormat(req, representation)) {
        delete req.headers['if-none-match'];
        delete req.headers['if-modified-since'];
      }
      setCaching(res, representation);
      if (isFresh(req)) {
        res.status(304).end();
        return;
      }
    }
    if (!isStoredForm(representation)) await rendering?.(req);
    await sendResource(req, res, json, representation);
  };
}

/** Converts an HTTP request to the request of an interaction. Call it after `authenticate`. */
export function requestOf({ url, headers, params }: Request, res: Response): DirectoryRequest {
  return { url, headers, params, form: formOf(res), token: tokenOf(res), abandoned: () => res.destroyed };
}

/**
 * Checks whether a request for XML may carry the entity tag of the JSON at the same address. A browser stores the JSON but never the XML
 * (`setCaching`), so it may send the tag of the stored JSON with a request for XML. A 304 would then make the browser use the stored JSON.
 */
function mayBeOtherFormat({ headers }: Request, { format }: Representation): boolean {
  return format === 'xml' && headers['sec-fetch-site'] !== undefined;
}
