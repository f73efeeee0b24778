// Answers a batch: a Bundle of reads and searches (STU3 http.html#transaction). Scopes are checked for each entry, each entry counts
// against the rate limit, and each entry gets its own status. `limits.ts` limits the size of a batch, the number of its entries, and the
// batches of one client at the same time.

import type { RequestHandler } from 'express';
import { type FhirError, fhirError, operationOutcomeJson, refusalForNow, shownName } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { callerOf, personOf } from '#directory/middleware/authenticate.ts';
import { type DirectoryRequest, requestOf } from '#directory/middleware/interaction.ts';
import type { CountRequest } from '#directory/middleware/limit-requests.ts';
import { type DirectoryLog, refusalOf } from '#directory/middleware/operation-outcome.ts';
import { isLenient, parseQuery, rawQuery } from '#directory/middleware/raw-query.ts';
import { bodyReader } from '#directory/middleware/request-body.ts';
import { sendResourceText } from '#directory/middleware/send-response.ts';
import { representationOfDescription } from '#directory/requested-representation.ts';
import { Abandoned, createYielder } from '#search-index/index.ts';
import { type FairQueue, fairQueue } from '#shared/fair-queue.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { currentContext, currentRequestId, traced } from '#shared/request-context.ts';
import {
  type BatchForm,
  type BatchRoutes,
  batchResponse,
  type EntryAnswer,
  type EntryRequest,
  entryText,
  parseEntry,
  routeEntry,
} from './entries.ts';

interface BatchOptions extends BatchRoutes {
  /**
   * Counts an entry against the rate limit of the client. It is not called for the first entry of a batch, because the request that carries
   * the batch was already counted.
   */
  count: CountRequest;
  /**
   * Called when an entry has been answered. `path` is relative to the base address. `seconds` is the time that the answer to the entry
   * took.
   */
  entryAnswered?: ((path: string, status: number, seconds: number) => void) | undefined;
  log?: DirectoryLog | undefined;
}

/**
 * Makes the handler of batches, which must run after `authenticate`. A refused entry does not keep the other entries from being answered.
 */
export function batch(options: BatchOptions): RequestHandler {
  const { base, count, entryAnswered, log } = options;
  const readBody = bodyReader(LIMITS.batchBytes);
  // A response is in memory until it is complete. To limit this memory, the batches of a client wait in a queue, and only a few are
  // answered at the same time. Each client of clients.yaml has at most two queues: one for all its users, and one for its own token
  // (`callerOf`).
  const queues = new Map<string, FairQueue>();
  const inTurn = async (token: DirectoryRequest['token'], answered: () => Promise<void>): Promise<void> => {
    if (!token) return answered();
    const caller = callerOf(token);
    const queue = queues.get(caller) ?? fairQueue(OF_ONE_CLIENT);
    queues.set(caller, queue);
    return queue({ lane: 'known', group: '', member: personOf(token) ?? '' }, answered);
  };

  const answer = async ({ url, isKnown }: EntryRequest, batchRequest: DirectoryRequest): Promise<EntryAnswer> => {
    const { headers, token, abandoned } = batchRequest;
    const { interaction, check, params } = routeEntry(options, url);
    // The header `Accept` of the batch is not passed on to its entries, because the format was chosen once for the whole batch.
    const request = { url, params, headers: { prefer: headers.prefer }, form: '', token, abandoned };
    check?.(request);
    const response = await interaction(request);
    return { status: isKnown(response.version) ? 304 : 200, response };
  };
  const settled = async (entry: unknown, number: number, batchRequest: DirectoryRequest): Promise<EntryAnswer> => {
    const started = performance.now();
    let url = '';
    const done = (one: EntryAnswer) => {
      entryAnswered?.(url.replace(/\?.*/, ''), one.status, (performance.now() - started) / 1000);
      return one;
    };
    try {
      if (number > 0 && batchRequest.token) count(batchRequest.token);
      const request = parseEntry(entry, base);
      url = request.url;
      return done(await answer(request, batchRequest));
    } catch (error) {
      if (error instanceof Abandoned) throw error;
      return done(refused(refusalOf(error, 'GET', log)));
    }
  };
  const answers = async (
    entries: readonly unknown[],
    request: DirectoryRequest,
    form: BatchForm,
  ): Promise<string[]> => {
    const yielder = createYielder(request.abandoned);
    const written: string[] = [];
    let size = 0;
    for (let from = 0; from < entries.length; from += LIMITS.batchEntriesAtOnce) {
      if (request.abandoned()) throw new Abandoned('nobody waits for this batch any more');
      const together = entries.slice(from, from + LIMITS.batchEntriesAtOnce);
      const isFull = size > LIMITS.batchResponse;
      const results = await Promise.all(
        together.map((entry, number) => (isFull ? TOO_LARGE : settled(entry, from + number, request))),
      );
      for (const one of results) {
        size += one.response?.json.length ?? 0;
        written.push(entryText(size > LIMITS.batchResponse ? TOO_LARGE : one, form));
        if (yielder.due()) await yielder.yield();
      }
    }
    return written;
  };

  return async (req, res) => {
    const request = requestOf(req, res);
    const form = formOfBatch(request);
    if (!JSON_TYPE.test(req.headers['content-type'] ?? '')) throw wrongMediaType();
    const entries = entriesOf(await readBody(req, res));
    const context = currentContext();
    if (context) context.entries = entries.length;
    const attributes = { 'hygie.batch.entries': entries.length };
    await inTurn(request.token, async () => {
      const texts = await traced('directory batch', { attributes }, () => answers(entries, request, form));
      await sendResourceText(req, res, batchResponse(texts, form), form);
    });
  };
}

function refused({ status, issues }: FhirError): EntryAnswer {
  return { status, outcome: operationOutcomeJson(issues, currentRequestId()) };
}

/** Options of the queue for the batches of one client. The users of the client get their turns round robin. */
const OF_ONE_CLIENT = {
  running: LIMITS.batchesAtOnce,
  waiting: LIMITS.batchesWaiting,
  refusal() {
    limitReached('batches');
    return refusalForNow(429, 2, 'Too many batches of this client wait for their turn: try again in 2 s.');
  },
};

const TOO_LARGE = refused(
  fhirError(
    400,
    'too-costly',
    'The response to this batch has no room for this entry: ask for it in another batch, or for smaller pages.',
  ),
);

/**
 * Matches a `Content-Type` with one of the media types of JSON that content negotiation knows. A charset other than UTF-8 does not match.
 */
const JSON_TYPE =
  /^(?:application\/(?:fhir\+json|json|json\+fhir)|text\/json)\s*(?:;(?!.*charset\s*=\s*(?!"?utf-?8\b)).*)?$/i;

function wrongMediaType(): FhirError {
  return fhirError(
    415,
    'not-supported',
    'A batch takes Content-Type: application/fhir+json, in UTF-8. XML is not read here: send JSON, and ask for XML by Accept.',
  );
}

/**
 * Returns the format and layout of the response, by `_format`, `_pretty` and `Accept` of the batch. Throws FhirError 400 for other
 * parameters, and 406 for a format that is not offered.
 */
function formOfBatch(request: DirectoryRequest): BatchForm {
  const other = parseQuery(rawQuery(request)).find(([name]) => name !== '_format' && name !== '_pretty')?.[0];
  if (other !== undefined && !isLenient(request))
    throw fhirError(
      400,
      'not-supported',
      `A batch takes _format and _pretty, not ${shownName(other)}: write parameters into the url of its entries.`,
      { parameter: shownName(other) },
    );
  const { format, pretty } = representationOfDescription('Bundle', request);
  return { format, pretty };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body, and returns the entries of the batch. Throws FhirError 400 if the body is no Bundle of type batch, or if it has more
 * entries than `LIMITS.batchEntries`.
 */
function entriesOf(body: Uint8Array | undefined): readonly unknown[] {
  let bundle: Record<string, unknown> | undefined;
  try {
    bundle = Object(JSON.parse(utf8.decode(body)));
  } catch {
    throw fhirError(400, 'structure', 'The body is no JSON in UTF-8: send a Bundle of type batch.');
  }
  const { resourceType, type, entry = [] } = bundle ?? {};
  if (resourceType === 'Bundle' && type === 'transaction')
    throw fhirError(
      400,
      'not-supported',
      'The directory is read-only, so a transaction has nothing to change: send the same entries in a Bundle of type batch.',
    );
  if (resourceType !== 'Bundle' || type !== 'batch' || !Array.isArray(entry))
    throw fhirError(400, 'structure', 'The base address takes a Bundle of type batch, with a list of entries.');
  if (entry.length > LIMITS.batchEntries)
    throw fhirError(400, 'too-costly', `A batch takes ${LIMITS.batchEntries} entries at most: split it.`);
  return entry;
}
