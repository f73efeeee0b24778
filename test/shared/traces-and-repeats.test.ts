// What accompanies work and what repeats it: spans of a trace, refusals that are reported, one piece of work for several callers, and work
// that goes on until it is stopped.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { basePath, isBelow } from '#shared/base-path.ts';
import { limitReached, onLimitReached } from '#shared/limits-reached.ts';
import { printNotice } from '#shared/operator-messages.ts';
import { present } from '#shared/present.ts';
import { bytesDone, bytesRead } from '#shared/progress.ts';
import { oneAtATime, repeat } from '#shared/promises.ts';
import {
  currentContext,
  currentRequestId,
  notePhase,
  type StartedSpan,
  type Tracer,
  traced,
  tracedAlone,
  withinContext,
} from '#shared/request-context.ts';

describe('a trace', () => {
  /** A tracer with all that it was told, in order. A span is named by its name. */
  function recorded() {
    const told: unknown[] = [];
    const tracer: Tracer = {
      start: ({ parent, ...started }: StartedSpan) => {
        told.push(['start', started, ...(parent ? [parent.spanId] : [])]);
        const own = started.name;
        return {
          traceId: 'trace',
          spanId: own,
          set: () => {},
          rename: () => {},
          end: (failed) => void told.push(failed === undefined ? ['end', own] : ['end', own, failed]),
        };
      },
    };
    return { told, tracer, root: tracer.start({ name: 'root' }) };
  }

  it('has a span for each part of the work, below the one before, and ends it with the work', async () => {
    const { told, tracer, root } = recorded();
    const result = await withinContext({ requestId: 'ref', tracer, span: root }, () =>
      traced('outer', { kind: 'client', attributes: { rows: 1 } }, async (outer) => {
        await null;
        const inner = traced('inner', {}, (span) => [span?.spanId, currentContext()?.span?.spanId]);
        notePhase('waited', 7);
        return [outer?.spanId, currentRequestId(), ...inner];
      }),
    );
    expect(result).toEqual(['outer', 'ref', 'inner', 'inner']);
    expect(told).toEqual([
      ['start', { name: 'root' }],
      ['start', { name: 'outer', kind: 'client', attributes: { rows: 1 } }, 'root'],
      ['start', { name: 'inner', kind: 'internal', attributes: {} }, 'outer'],
      ['end', 'inner'],
      ['start', { name: 'waited', ago: 7 }, 'outer'],
      ['end', 'waited'],
      ['end', 'outer'],
    ]);
  });

  it('is none where nothing is traced: the work runs all the same', () => {
    const { told, tracer, root } = recorded();
    const work = () => traced('x', {}, (span) => [span, currentContext()]);
    const phase = () => notePhase('x', 1);
    phase();
    expect([work(), currentContext(), currentRequestId()]).toEqual([[undefined, undefined], undefined, undefined]);
    const contexts = [{}, { tracer }, { span: root }];
    for (const context of contexts) {
      expect(withinContext(context, work)).toEqual([undefined, context]);
      withinContext(context, phase);
    }
    expect(told).toEqual([['start', { name: 'root' }]]);
  });

  it('begins anew for work that no request waits for, which belongs to no request', () => {
    const { told, tracer, root } = recorded();
    const work = () => currentContext();
    expect(tracedAlone('mail', {}, work)).toBeUndefined();
    expect(withinContext({ requestId: 'ref' }, () => tracedAlone('mail', {}, work))).toEqual({});
    const seen = withinContext({ requestId: 'ref', tracer, span: root }, () => tracedAlone('mail', { to: 1 }, work));
    expect(seen).toEqual({ tracer, span: expect.objectContaining({ spanId: 'mail' }) });
    expect(told.slice(1)).toEqual([
      ['start', { name: 'mail', attributes: { to: 1 } }],
      ['end', 'mail'],
    ]);
  });

  it.each([
    [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET'],
    [Object.assign(new TypeError('x'), { code: 'a sentence' }), 'TypeError'],
    [Object.assign(new Error('x'), { code: 'c'.repeat(40) }), 'c'.repeat(40)],
    [Object.assign(new RangeError('x'), { code: 'c'.repeat(41) }), 'RangeError'],
    [Object.assign(new RangeError('x'), { code: 7 }), 'RangeError'],
    [Object.assign(new Error('x'), { name: 'N'.repeat(60) }), 'N'.repeat(60)],
    [Object.assign(new Error('x'), { name: 'N'.repeat(61) }), 'Error'],
    [undefined, 'Error'],
  ])('names the kind of %p, and never its message', async (error, kind) => {
    for (const work of [() => Promise.reject(error), () => raise(error)]) {
      const { told, tracer, root } = recorded();
      const run = async () => withinContext({ tracer, span: root }, () => traced('x', {}, work));
      await expect(run()).rejects.toBe(error);
      expect(told.at(-1)).toEqual(['end', 'x', kind]);
    }
  });

  function raise(error: unknown): never {
    throw error;
  }
});

it('a refusal by a limit is reported to who listens, until they do no more', () => {
  const heard: string[] = [];
  const end = onLimitReached((limit) => void heard.push(limit));
  limitReached('mails');
  end();
  limitReached('batches');
  expect(heard).toEqual(['mails']);
});

describe('work for several', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is done once for all who wait for it, and anew for the next, after a failure too', async () => {
    const ends: ((failed: boolean) => void)[] = [];
    const work = oneAtATime(
      () =>
        new Promise((resolve, reject) =>
          ends.push((failed) => (failed ? reject(new Error('no')) : resolve(ends.length))),
        ),
    );
    const [first, second] = [work(), work()];
    ends[0]?.(false);
    expect([await first, await second]).toEqual([1, 1]);
    const failing = work();
    ends[1]?.(true);
    await expect(failing).rejects.toThrow('no');
    const last = work();
    ends[2]?.(false);
    expect(await last).toBe(3);
  });

  it('is repeated, never twice at a time, at once where it is asked for, and no more after the stop', async () => {
    const failures: unknown[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const begun = () => ends.length;
    const { now, stop } = repeat(
      () => new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
      1000,
      (error) => void failures.push(error),
    );
    await jest.advanceTimersByTimeAsync(999);
    expect(begun()).toBe(0);
    await jest.advanceTimersByTimeAsync(3001);
    expect(begun()).toBe(1);
    ends[0]?.(new Error('first'));
    await jest.advanceTimersByTimeAsync(0);
    // Three callers waited for it.
    expect(new Set(failures.map(String))).toEqual(new Set(['Error: first']));
    const asked = now();
    expect(begun()).toBe(2);
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(5000);
    expect([begun(), stopped]).toEqual([2, false]);
    ends[1]?.(new Error('last'));
    await expect(asked).rejects.toThrow('last');
    await stopping;
    expect([begun(), stopped, jest.getTimerCount()]).toEqual([2, true, 0]);
  });
});

describe('small values', () => {
  it('the path of an address ends without a slash, and others are below it by whole names', () => {
    expect(
      ['https://a.example', 'https://a.example/', 'https://a.example/b//', 'https://a.example/b/c?d'].map(basePath),
    ).toEqual(['', '', '/b', '/b/c']);
    expect([isBelow('/b', '/b'), isBelow('/b/c', '/b'), isBelow('/bc', '/b'), isBelow('/c', '/b')]).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it('progress counts whole mebibytes', () => {
    expect([bytesRead('reading', 1.5 * 2 ** 20), bytesRead('reading', 2 ** 19 - 1)]).toEqual([
      { name: 'reading', count: 2, unit: 'MiB' },
      { name: 'reading', count: 0, unit: 'MiB' },
    ]);
    expect(bytesDone('writing', 0.25, 8 * 2 ** 20)).toEqual({ name: 'writing', count: 2, unit: 'MiB', done: 0.25 });
  });

  it('members without a value are left out; empty ones are values', () => {
    expect(present({ a: undefined, b: null, c: 0, d: '', e: false })).toEqual({ c: 0, d: '', e: false });
  });

  it('a notice is a line on standard error, without what drives a terminal', () => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    printNotice('one\ntwo\u001b[2J');
    const written = write.mock.calls.map(([text]) => text);
    write.mockRestore();
    expect(written).toEqual(['one\ntwo\\x1b[2J\n']);
  });
});
