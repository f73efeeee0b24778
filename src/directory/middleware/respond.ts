// Sends the response of an interaction over HTTP, with the headers of its version, or 304 if the client has it (STU3 http 2.20.0.3).

import type { Request, RequestHandler, Response } from 'express';
import { isStoredForm, type Representation } from '#directory/format/serialize.ts';
import { tokenOf } from './authenticate.ts';
import type { DirectoryRequest, Interaction } from './interaction.ts';
import { formOf } from './request-body.ts';
import { isFresh, sendResource, setCaching } from './send-response.ts';

/**
 * Handler of an interaction, behind `authenticate` and, for a search by POST, `searchForm`.
 * @param rendering is called before a response is written anew, and may refuse it
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

/** The request of an interaction, behind `authenticate`. */
export function requestOf({ url, headers, params }: Request, res: Response): DirectoryRequest {
  return { url, headers, params, form: formOf(res), token: tokenOf(res), abandoned: () => res.destroyed };
}

/**
 * Checks whether the tag of a request for XML may belong to JSON. A browser sends the tag of the JSON that it stored for the same address,
 * and would take 304 as a confirmation of it. XML itself is never stored.
 */
function mayBeOtherFormat({ headers }: Request, { format }: Representation): boolean {
  return format === 'xml' && headers['sec-fetch-site'] !== undefined;
}
