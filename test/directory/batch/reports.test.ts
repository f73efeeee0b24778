// SEC-82: what is told of a batch beside its answer: to metrics, to the log of requests, and to the operator.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { batch } from '#directory/batch/batch.ts';
import { fhirError } from '#directory/errors.ts';
import { type RequestContext, withinContext } from '#shared/request-context.ts';
import { batchOf } from '#support/directory/batching.ts';
import { PUBLIC_BASE } from '#support/directory/set-up.ts';

describe('SEC-82 what a batch reports', () => {
  it('each entry with its path, status and time, the entries of the request, and failures without the query', async () => {
    const answered: [path: string, status: number, isTime: boolean][] = [];
    const counted: unknown[] = [];
    const logged: unknown[] = [];
    const context: RequestContext = { requestId: 'r-1' };
    const refuse = () => {
      throw new Error('no route of this test');
    };
    const search = async () => {
      throw new Error('disk');
    };
    const app = express();
    const token = { active: true, clientId: 'c', accountId: 'a', scopes: new Set() };
    app.post(
      '/',
      (_req, res, next) => {
        res.locals['token'] = token;
        withinContext(context, next);
      },
      batch({
        base: PUBLIC_BASE,
        metadata: refuse,
        history: refuse,
        searchOfAllTypes: refuse,
        types: [{ type: 'Practitioner', check: undefined, search, read: search }],
        unknownAddress: (path) => fhirError(404, 'not-found', `unknown ${path}`),
        count: (one) => counted.push(one),
        entryAnswered: (path, status, seconds) => answered.push([path, status, seconds >= 0 && seconds < 60]),
        log: { error: (...line) => logged.push(line) },
      }),
    );
    const body = JSON.stringify(
      batchOf('Practitioner?name=duval', 'Patient/1?x=y', { method: 'PUT', url: 'Practitioner/1' }),
    );
    const answer = await request(app).post('/').set('Content-Type', 'application/fhir+json').send(body);
    expect(JSON.parse(answer.text).entry.map(({ response }: { response: object }) => response)).toEqual(
      [
        [
          '500 Internal Server Error',
          'exception',
          'The directory failed to answer. The operator finds the cause in the log.',
        ],
        ['404 Not Found', 'not-found', 'unknown /Patient/1'],
        [
          '405 Method Not Allowed',
          'not-supported',
          'PUT is not possible here, the directory is read-only: a batch takes GET, for searches too.',
        ],
      ].map(([status, code, diagnostics]) => ({
        status,
        outcome: { resourceType: 'OperationOutcome', id: 'r-1', issue: [{ severity: 'error', code, diagnostics }] },
      })),
    );
    // Some entries are answered at the same time.
    expect(answered.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual([
      ['', 405, true],
      ['/Patient/1', 404, true],
      ['/Practitioner', 500, true],
    ]);
    expect([counted, context.entries]).toEqual([[token, token], 3]);
    expect(logged).toEqual([[{ err: new Error('disk'), method: 'GET' }, 'directory request failed']]);
  });
});
