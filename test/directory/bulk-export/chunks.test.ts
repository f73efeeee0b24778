// The chunks of a file: which resources each holds, what the index is asked for it, and Bundles of what was removed.

import { describe, expect, it } from '@jest/globals';
import express, { type Response } from 'express';
import request from 'supertest';
import { download } from '#directory/bulk-export/download.ts';
import { chunksOf, type ExportFile, isAnyGone } from '#directory/bulk-export/files.ts';
import type { SearchQuery, Snapshot } from '#search-index/index.ts';

const SINCE = Date.UTC(2026, 10, 20);
const AFTER = '2026-11-20T00:00:00.001Z';
const BEFORE = '2026-11-20T00:00:00.000Z';
const clauses = [{ field: '_lastUpdated', match: 'range', anyOf: [{ from: SINCE + 1 }] }];

/** A source that writes down what it is asked. `changed` are positions; `gone` are removed resources. */
function source({ changed = [] as number[], gone = [] as { id: string; goneSince: string }[] } = {}) {
  const asked: unknown[] = [];
  let turns = 0;
  const snapshot = {
    scan: async (type: string, range: object) => {
      asked.push([type, range]);
      return `${JSON.stringify(range)}\n`;
    },
    search: async (query: SearchQuery) => {
      asked.push(query);
      const found = changed.filter((position) => position > (query.after ?? -1));
      const matches = found.slice(0, query.limit).map((position) => ({ position, json: `{"p":${position}}` }));
      return { matches, more: found.length > query.limit };
    },
    listGone: async (type: string, { after, limit }: { after: string; limit: number }) => {
      asked.push([type, after, limit]);
      return gone.filter(({ id }) => id > after).slice(0, limit);
    },
  } as unknown as Snapshot;
  const made = {
    open: async () => snapshot,
    ownTurn: async () => {
      turns += 1;
    },
  };
  const chunks = async (file: Partial<ExportFile>, from?: number) => {
    const all = [];
    const whole = { type: 'Organization', from: 0, to: 0, gone: false, ...file } as ExportFile;
    for await (const { at, text } of chunksOf(whole, made, from)) all.push([at, text]);
    return all;
  };
  return { chunks, asked, made, turns: () => turns };
}

describe('the chunks of a file', () => {
  it('of all resources have 200 each, from any of them on', async () => {
    const { chunks, asked, turns } = source();
    expect(await chunks({ from: 100, to: 550 })).toEqual([
      [100, '{"from":100,"to":300}\n'],
      [300, '{"from":300,"to":500}\n'],
      [500, '{"from":500,"to":550}\n'],
    ]);
    expect([asked[0], turns()]).toEqual([['Organization', { from: 100, to: 300 }], 3]);
    expect(await chunks({ from: 100, to: 500 }, 300)).toEqual([[300, '{"from":300,"to":500}\n']]);
  });

  it('of changes go on behind the last one, and end at the end of the file', async () => {
    const positions = Array.from({ length: 201 }, (_, at) => at * 2);
    const { chunks, asked, turns } = source({ changed: positions });
    const text = (from: number, to: number) =>
      positions
        .filter((at) => at >= from && at < to)
        .map((at) => `{"p":${at}}\n`)
        .join('');
    expect(await chunks({ to: 1000, since: SINCE })).toEqual([
      [0, text(0, 400)],
      [399, text(400, 401)],
    ]);
    const query = { type: 'Organization', clauses, limit: 200, total: false };
    expect([asked, turns()]).toEqual([[query, { ...query, after: 398 }], 2]);
    expect(await source({ changed: positions }).chunks({ from: 5, to: 9, since: SINCE })).toEqual([[5, text(5, 9)]]);
    expect(await source({ changed: positions }).chunks({ from: 1, to: 9, since: SINCE }, 7)).toEqual([[7, text(7, 9)]]);
    expect(await source({ changed: [50] }).chunks({ to: 9, since: SINCE })).toEqual([]);
    expect(await source().chunks({ to: 9, since: SINCE })).toEqual([]);
  });

  it('of removals are Bundles, a thousand looked at for each, without those of before', async () => {
    const many = Array.from({ length: 1001 }, (_, at) => ({ id: `g${String(at).padStart(4, '0')}`, goneSince: AFTER }));
    const { chunks, asked } = source({ gone: many });
    const bundle = (...ids: string[]) => {
      const entry = ids.map((id) => ({ request: { method: 'DELETE', url: `Organization/${id}` } }));
      return `${JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry })}\n`;
    };
    const ids = many.map(({ id }) => id);
    expect(await chunks({ gone: true, since: SINCE })).toEqual([
      [0, bundle(...ids.slice(0, 1000))],
      [0, bundle('g1000')],
    ]);
    expect(asked).toEqual([
      ['Organization', '', 1000],
      ['Organization', 'g0999', 1000],
    ]);
    const mixed = source({
      gone: [
        { id: 'a', goneSince: BEFORE },
        { id: 'b', goneSince: AFTER },
      ],
    });
    expect(await mixed.chunks({ gone: true, since: SINCE })).toEqual([[0, bundle('b')]]);
    expect(await isAnyGone(mixed.made, 'Organization', SINCE)).toBe(true);
    const before = source({ gone: [{ id: 'a', goneSince: BEFORE }] });
    expect([
      await before.chunks({ gone: true, since: SINCE }),
      await isAnyGone(before.made, 'Organization', SINCE),
    ]).toEqual([[], false]);
  });

  it('a download ends when the client takes nothing for a minute', async () => {
    const timers: number[] = [];
    const app = express().get('/', async (req, res: Response) => {
      res.setTimeout = (milliseconds: number) => {
        timers.push(milliseconds);
        return res;
      };
      const { chunks: _, made } = source();
      const file = { type: 'Organization', from: 0, to: 1, gone: false } as const;
      await download({ name: 'x', chunks: () => chunksOf(file, made), ended: () => {} }, req, res);
    });
    const answer = await request(app).get('/').buffer();
    expect([answer.status, timers]).toEqual([200, [60_000]]);
  });
});
