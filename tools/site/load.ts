// Drives load from one process over kept-alive connections, and compares what two servers do with it. Loopback only.

import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { processorSeconds, type Resident, residentOf } from './proc.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as it was sent. */
  bytes: Buffer;
}

export interface Call {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Where a request for a public address goes, and with which further headers: one with https is sent as a proxy on this machine would, which ends
 * TLS and has the service at the port of the same number.
 */
export function behindProxy(address: string | URL): { url: string; headers: Record<string, string> } {
  const { href, protocol } = new URL(address);
  return protocol === 'https:'
    ? { url: href.replace('https:', 'http:'), headers: { 'x-forwarded-proto': 'https' } }
    : { url: href, headers: {} };
}

/** Sends one request and reads the whole answer. */
export function send(agent: Agent, address: string, { method = 'GET', headers, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const { url, headers: forwarded } = behindProxy(address);
    const call = request(url, { agent, method, headers: { ...headers, ...forwarded, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString(), bytes });
      });
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** A POST of these fields. */
export const form = (fields: Record<string, string>): Call => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** One step of work over a kept connection. Throws when the answer is not the right one. */
export type Unit = (agent: Agent) => Promise<void>;

/** Fetches an address, which has to answer 200. */
export const get =
  (url: string, headers: Record<string, string> = {}): Unit =>
  async (agent) => {
    const { status } = await send(agent, url, { headers });
    if (status !== 200) throw new Error(`${url} answered ${status}`);
  };

/** Milliseconds. */
export interface Spread {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** Median, 99th percentile and maximum of times in milliseconds; the list is sorted in place. */
export function spreadOf(times: number[]): Spread {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { count: times.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

export interface Measurement extends Spread {
  /** Completed units of work per second. */
  rate: number;
  /** Milliseconds of the server's processor time for one unit, on all its threads. */
  processor: number;
}

/** A server and what it is asked for. */
export interface Side {
  name: string;
  pid: number;
  unit: Unit;
}

/**
 * Runs the unit on `parallel` connections for `seconds`; a unit that throws ends the bench. With `awake`, the load spins while it waits for
 * answers, and takes a core of its own. Otherwise it sleeps whenever the server is slower, and each answer has to wake it: some 20
 * microseconds on a virtual machine, which count as processor time of the server.
 */
export async function measure(
  seconds: number,
  parallel: number,
  { pid, unit }: Omit<Side, 'name'>,
  awake = false,
): Promise<Measurement> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const times: number[] = [];
  const used = processorSeconds(pid);
  const started = performance.now();
  const end = started + seconds * 1000;
  const worker = async () => {
    while (performance.now() < end) {
      const before = performance.now();
      await unit(agent);
      times.push(performance.now() - before);
    }
  };
  const spin = () => void (performance.now() < end && setImmediate(spin));
  if (awake) spin();
  await Promise.all(Array.from({ length: parallel }, worker));
  const elapsed = performance.now() - started;
  agent.destroy();
  return measurementOf(times, times.length, elapsed, processorSeconds(pid) - used);
}

/** @param times of all units, in milliseconds; `answered` of them were completed within `elapsed` milliseconds, for `processor` seconds */
export function measurementOf(times: number[], answered: number, elapsed: number, processor: number): Measurement {
  return { rate: answered / (elapsed / 1000), ...spreadOf(times), processor: (processor * 1000) / answered };
}

export interface Comparison {
  ours: Measurement[];
  reference: Measurement[];
  /** Median of the ratios ours / reference, round by round. */
  ratio: number;
}

/** Rounds that are not counted. It is even, so that the first counted round begins like the first one. */
const WARM_UP = 2;

/**
 * Measures the two in turn, A B B A ..., so that neither a drifting machine nor the place in a pair favours one of them. Two rounds are
 * not counted: a service runs for months, and its code is compiled by then. A single one would not be enough, because the first pause
 * after it costs again: of two equal services, the one that paused took 7 % more for a discovery document in the second round.
 */
export async function compare(
  rounds: number,
  ours: () => Promise<Measurement>,
  reference: () => Promise<Measurement>,
): Promise<Comparison> {
  const result: Comparison = { ours: [], reference: [], ratio: 0 };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const order = [['ours', ours] as const, ['reference', reference] as const];
    for (const [side, one] of round % 2 === 0 ? order : order.reverse()) {
      const measured = await one();
      if (round >= 0) result[side].push(measured);
    }
  }
  result.ratio = ratioOf(result, ({ rate }) => rate);
  return result;
}

/** Median of the ratios ours / reference of one figure, round by round. */
export function ratioOf(
  { ours, reference }: Pick<Comparison, 'ours' | 'reference'>,
  figure: (one: Measurement) => number,
): number {
  return median(ours.map((one, round) => figure(one) / figure(reference[round] as Measurement)));
}

export interface Choices {
  /** Length of one measurement. */
  seconds: number;
  rounds: number;
  parallel: number;
  /** The load spins instead of sleeping (`measure`). */
  awake?: boolean;
}

/** Two servers under the same load: medians of the rounds, and medians of the ratios ours / reference, round by round. */
export interface Compared {
  what: string;
  names: readonly [ours: string, reference: string];
  ours: Measurement;
  reference: Measurement;
  ratio: { rate: number; processor: number };
  /** Ours, after the last round. */
  memory: Resident;
}

/** Compares two servers with the same load. */
export async function compareSides(
  what: string,
  { seconds, rounds, parallel, awake }: Choices,
  ours: Side,
  reference: Side,
): Promise<Compared> {
  const result = await compare(
    rounds,
    () => measure(seconds, parallel, ours, awake),
    () => measure(seconds, parallel, reference, awake),
  );
  return comparedOf(what, [ours.name, reference.name], result, residentOf(ours.pid));
}

export function comparedOf(what: string, names: Compared['names'], result: Comparison, memory: Resident): Compared {
  return {
    what,
    names,
    ours: medianOf(result.ours),
    reference: medianOf(result.reference),
    ratio: { rate: result.ratio, processor: ratioOf(result, ({ processor }) => processor) },
    memory,
  };
}

/** The medians of rounds; the sum of their counts, and the highest time of all. */
function medianOf(all: readonly Measurement[]): Measurement {
  const of = (key: keyof Measurement) => median(all.map((one) => one[key]));
  return {
    rate: of('rate'),
    p50: of('p50'),
    p99: of('p99'),
    processor: of('processor'),
    count: all.reduce((sum, { count }) => sum + count, 0),
    max: Math.max(...all.map(({ max }) => max)),
  };
}

/** Prints rates, times and processor time of both, and the ratios. */
export function printCompared({ what, names, ours, reference, ratio, memory }: Compared, choices: Choices): void {
  const row = (name: string, { rate, p50, p99, processor }: Measurement) =>
    `  ${name.padEnd(38)} ${rate.toFixed(0).padStart(7)}/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   processor ${processor.toFixed(3)} ms\n`;
  process.stdout.write(
    `${what}, ${choices.parallel} connections, median of ${choices.rounds} rounds of ${choices.seconds} s\n` +
      `${row(names[0], ours)}${row(names[1], reference)}` +
      `  ratio ${ratio.rate.toFixed(2)} of rates, ${ratio.processor.toFixed(2)} of processor time; then ${memory.rss.toFixed(0)} MB in memory (RSS)\n\n`,
  );
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
