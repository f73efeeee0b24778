// The words and numbers of the audit trail: digests, records of events, what a verification says of each fault, and what is read of it.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AUDIT_EVENTS, type AuditEvent } from '#shared/audit/events.ts';
import { openSeals, type Seals } from '#shared/crypto/seals.ts';
import { withinContext } from '#shared/request-context.ts';
import {
  CHAIN_START,
  type ChainedRow,
  headText,
  nextDigest,
  parseHead,
  sealedCleanUp,
  sealedRecord,
} from '#store/audit/audit-chain.ts';
import { contentOf, recordOf, recordOfRow } from '#store/audit/audit-events.ts';
import { faultOf, followChain, missing } from '#store/audit/verify-trail.ts';

const SECRETS = ['a secret of the operator, long enough to be one'];
const TIME = '2026-11-20T10:00:00.000Z';
const CONTENT = {
  at_ms: Date.parse(TIME),
  event: 'token.issued',
  outcome: 'success',
  actor: 'client:app',
  account_id: 'a',
  client_id: 'app',
  address: '192.0.2.1',
  request_id: 'r',
  details: '{"scope":"openid"}',
};

describe('the chain', () => {
  it('has these digests, which no release may change', () => {
    expect(CHAIN_START).toEqual({ sequence: 0, digest: '1PUrGZoOdLEmudpog1L3m-ddg3KyOxwEqVk4WRayGE8' });
    expect(nextDigest(CHAIN_START, CONTENT)).toBe('Eddaa5VcX7JDKWYMrrAbMLYvulVU9IsfQRGbcsj3Jqc');
    const head = { sequence: 12, digest: CHAIN_START.digest };
    const text = `12:${CHAIN_START.digest}`;
    expect([headText(head), parseHead(text), sealedRecord(head), sealedCleanUp(head)]).toEqual([
      text,
      head,
      CHAIN_START.digest,
      `clean-up ${text}`,
    ]);
    for (const none of ['', '12', `x${text}`, `${text}x`, `1234567890123456:${head.digest}`, text.slice(0, -1)])
      expect(parseHead(none)).toBeUndefined();
  });

  it('covers every column, the number and the digest before', () => {
    const digests = Object.keys(CONTENT).map((name) => nextDigest(CHAIN_START, { ...CONTENT, [name]: 'other' }));
    digests.push(
      nextDigest({ ...CHAIN_START, sequence: 1 }, CONTENT),
      nextDigest({ ...CHAIN_START, digest: '' }, CONTENT),
    );
    expect(new Set([...digests, nextDigest(CHAIN_START, CONTENT)]).size).toBe(12);
  });
});

describe('a record', () => {
  afterEach(() => void jest.useRealTimers());
  const event = (more: Partial<AuditEvent> = {}): AuditEvent => ({ event: 'token.issued', ...more });

  it('is of its event, now, in the request that is under way', () => {
    jest.useFakeTimers({ now: Date.parse(TIME) });
    expect(recordOf(event(), 'service')).toEqual({
      time: TIME,
      event: 'token.issued',
      outcome: 'success',
      actor: 'service',
    });
    const about = {
      account: 'a',
      client: 'c',
      address: 'd',
      actor: 'client:c',
      details: { x: 1, y: undefined, z: ['p', ''] },
    } as const;
    const made = withinContext({ requestId: 'r' }, () => recordOf(event(about as never), 'service'));
    expect(made).toEqual({
      time: TIME,
      event: 'token.issued',
      outcome: AUDIT_EVENTS['token.issued'][0],
      actor: 'client:c',
      account: 'a',
      client: 'c',
      address: 'd',
      requestId: 'r',
      details: { x: 1, z: ['p'] },
    });
    expect(recordOf(event({ details: {} }), 'service')).not.toHaveProperty('details');
    expect(recordOfRow(contentOf(made))).toEqual(made);
    const bare = recordOf(event(), 'service');
    expect(contentOf(bare)).toEqual({
      at_ms: Date.parse(TIME),
      event: 'token.issued',
      outcome: 'success',
      actor: 'service',
      account_id: null,
      client_id: null,
      address: null,
      request_id: null,
      details: null,
    });
    expect(recordOfRow(contentOf(bare))).toEqual(bare);
  });

  it('fits its columns, and says where details were cut', () => {
    const long = 'x'.repeat(5000);
    const made = withinContext({ requestId: long }, () =>
      recordOf(event({ actor: long as 'service', account: long, client: long, address: long }), 'service'),
    );
    const lengths = [made.actor, made.account, made.client, made.address, made.requestId].map((text) => text?.length);
    expect(lengths).toEqual([160, 36, 128, 64, 64]);
    const detailsOf = (details: object) => recordOf(event({ details: details as never }), 'service').details;
    expect(detailsOf({ a: 'y z '.repeat(500) })).toEqual({ a: 'y z '.repeat(500) });
    expect(detailsOf({ a: `${'y z '.repeat(500)}q` })).toEqual({ a: 'y z '.repeat(500), more: true });
    expect(detailsOf({ a: 'y z '.repeat(500), b: 1 })).toEqual({ a: 'y z '.repeat(500), more: true });
    expect(detailsOf({ a: ['y z '.repeat(499), 'pqrs tuv'] })).toEqual({ a: ['y z '.repeat(499), 'pqrs'], more: true });
    expect(detailsOf({ a: 'p\0q\ud800' })).toEqual({ a: 'pq\ufffd' });
  });
});

describe('what a verification says', () => {
  let seals: Seals;
  let none: Seals;
  beforeEach(async () => {
    [seals, none] = [await openSeals(SECRETS), await openSeals([])];
  });
  /** A chain of records, of which some have a seal. */
  const chain = (length: number, sealed: (sequence: number) => string | null | undefined = () => undefined) => {
    const rows: ChainedRow[] = [];
    let head = CHAIN_START;
    for (let sequence = 1; sequence <= length; sequence += 1) {
      head = { sequence, digest: nextDigest(head, CONTENT) };
      const seal = sealed(sequence);
      rows.push({
        ...CONTENT,
        ...head,
        id: sequence * 10,
        seal: seal === undefined ? (seals.seal(head.digest) ?? null) : seal,
      });
    }
    return rows;
  };
  const follow = (rows: ChainedRow[], options: Partial<Parameters<typeof followChain>[1]> = {}) =>
    followChain(
      (async function* () {
        yield rows.slice(0, 2);
        yield rows.slice(2);
      })(),
      { start: CHAIN_START, seals, ...options },
    );
  const named = (sequence: number) => ({ sequence, id: sequence * 10, time: TIME, event: 'token.issued' });

  it('of a sound chain: how long it is, where it begins and ends, and what seals it', async () => {
    const rows = chain(4);
    const [first, last] = [rows[0], rows[3]].map((row) => ({ sequence: row?.sequence, digest: row?.digest }));
    const sound = { faults: [], records: 4, first, last, sealed: 4, unsealed: 0, unchecked: 0, matched: false };
    expect(await follow(rows)).toEqual(sound);
    expect(await follow(rows, { seals: none })).toEqual({ ...sound, sealed: 0, unchecked: 4 });
    expect(await follow(rows, { known: { sequence: 2, digest: rows[1]?.digest ?? '' } })).toEqual({
      ...sound,
      matched: true,
    });
    expect(await follow(chain(4, (at) => (at < 3 ? null : undefined)))).toMatchObject({
      sealed: 2,
      unsealed: 2,
      unsealedUntil: TIME,
      faults: [],
    });
    expect(await follow([])).toEqual({ faults: [], records: 0, sealed: 0, unsealed: 0, unchecked: 0, matched: false });
    // Only the file itself says what came before.
    expect(await follow(rows.slice(1), { start: undefined })).toMatchObject({ faults: [], records: 3 });
  });

  it('of each fault, by the record', async () => {
    const faults = async (...args: Parameters<typeof follow>) => (await follow(...args)).faults;
    const rows = chain(6);
    const gap = (from: number, to: number, id: number) => ({
      sequence: from,
      problem: `missing${from === to ? '' : `, and all up to ${to}`} (before id ${id}, ${TIME})`,
    });
    expect(await faults([...rows.slice(0, 2), ...rows.slice(3)])).toEqual([gap(3, 3, 40)]);
    expect(await faults([...rows.slice(0, 2), ...rows.slice(4)])).toEqual([gap(3, 4, 50)]);
    expect(await faults(rows.slice(1))).toEqual([gap(1, 1, 20)]);
    const [one, two, three, ...rest] = rows as [ChainedRow, ChainedRow, ChainedRow, ...ChainedRow[]];
    expect(await faults([one, { ...two, actor: 'other' }, three])).toEqual([
      {
        ...named(2),
        problem:
          'changed: its content does not give its digest (or the record before it was changed, and its digest made anew)',
      },
    ]);
    expect(await faults([one, two, { ...two, id: 25 }, three])).toEqual([
      { ...named(2), id: 25, problem: 'inserted: there is another record with its number' },
    ]);
    expect(await faults([one, { ...two, id: 5 }, three])).toEqual([
      { ...named(2), id: 5, problem: 'moved: its id is lower than that of the record before' },
    ]);
    expect(await faults([one, { ...two, seal: 'x'.repeat(31) }, three])).toEqual([
      {
        ...named(2),
        problem: expect.stringMatching(
          /^sealed with a key that is not set: HYGIE_KEY_SECRET_OLD, or a head .*\(up to record 2\)$/,
        ),
      },
    ]);
    expect(await faults([one, { ...two, seal: three.seal }, three])).toEqual([
      { ...named(2), problem: 'its seal is wrong: the service did not write its digest' },
    ]);
    expect(await faults([one, { ...two, id: 10 }, three])).toEqual([]);
    const { id: _, ...exported } = two;
    expect(await faults([one, exported as ChainedRow, three, ...rest])).toEqual([]);
    expect(await faults(rows, { known: { sequence: 2, digest: 'other' } })).toEqual([
      { ...named(2), problem: 'another record than the one whose digest was kept elsewhere: rewritten' },
    ]);
  });

  it('of seals that are missing, by stretches, unless a head that was kept elsewhere vouches for them', async () => {
    const rows = chain(8, (at) => ([3, 4, 6].includes(at) ? null : undefined));
    const unsealed = (from: number, to: number) => ({
      ...named(from),
      problem: `has no seal, though records before it have one: written without HYGIE_KEY_SECRET, or not by the service (up to record ${to})`,
    });
    expect((await follow(rows)).faults).toEqual([unsealed(3, 4), unsealed(6, 6)]);
    const known = (sequence: number) => ({ sequence, digest: rows[sequence - 1]?.digest ?? '' });
    expect((await follow(rows, { known: known(4) })).faults).toEqual([unsealed(6, 6)]);
    expect((await follow(rows, { known: known(3) })).faults).toHaveLength(2);
    expect((await follow(rows, { known: known(6) })).faults).toEqual([]);
    const other = await openSeals(['another secret of the operator, long enough']);
    const old = chain(4, (at) => (at < 3 ? (other.seal(`of ${at}`) ?? null) : undefined));
    expect(await follow(old)).toMatchObject({ faults: [], sealed: 2, unchecked: 2 });
    const late = chain(4, (at) => (at > 2 ? (other.seal(`of ${at}`) ?? null) : undefined));
    expect((await follow(late)).faults).toHaveLength(1);
  });

  it('names a record, also one of no possible time, and an end that is cut off', () => {
    const problem = 'changed';
    expect(faultOf({ at_ms: 9e15, event: 'x' }, problem)).toEqual({ time: '9000000000000000', event: 'x', problem });
    expect(faultOf({ at_ms: -8.64e15, event: 'x', id: 3 }, problem)).toEqual({
      id: 3,
      time: '-271821-04-20T00:00:00.000Z',
      event: 'x',
      problem,
    });
    expect(missing(4, 6)).toEqual({ sequence: 4, problem: 'missing, and all up to 6: the end is cut off' });
    expect(missing(4, 4)).toEqual({ sequence: 4, problem: 'missing: the end is cut off' });
    expect(missing(4, 4, { at_ms: 0 } as ChainedRow).problem).toBe(
      'missing (before the record of 1970-01-01T00:00:00.000Z)',
    );
  });
});
