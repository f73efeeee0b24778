// Drives load from one process over kept-alive connections, and compares what two servers do with it. Loopback only.

import { Agent, type IncomingHttpHeaders, request } from 'node:http';

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

/** Sends one request and reads the whole answer. */
export function send(agent: Agent, url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
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
}

/** Runs `unit` on `parallel` connections for `seconds`; a unit that throws ends the bench. */
export async function measure(seconds: number, parallel: number, unit: Unit): Promise<Measurement> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const times: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  const worker = async () => {
    while (performance.now() < end) {
      const before = performance.now();
      await unit(agent);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const elapsed = (performance.now() - started) / 1000;
  agent.destroy();
  return { rate: times.length / elapsed, ...spreadOf(times) };
}

export interface Comparison<Measured extends Measurement = Measurement> {
  ours: Measured[];
  reference: Measured[];
  /** Median of the ratios ours / reference, round by round. */
  ratio: number;
}

/**
 * Measures the two in turn, A B B A ..., so that neither a drifting machine nor the place in a pair favours one of them. A first
 * round of each is not counted: a service runs for months, and its code is compiled by then.
 */
export async function compare<Measured extends Measurement>(
  rounds: number,
  ours: () => Promise<Measured>,
  reference: () => Promise<Measured>,
): Promise<Comparison<Measured>> {
  const result: Comparison<Measured> = { ours: [], reference: [], ratio: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    const order = [['ours', ours] as const, ['reference', reference] as const];
    for (const [side, one] of round % 2 === 0 ? order : order.reverse()) {
      const measured = await one();
      if (round > 0) result[side].push(measured);
    }
  }
  result.ratio = ratioOf(result, ({ rate }) => rate);
  return result;
}

/** Median of the ratios ours / reference of one figure, round by round. */
export function ratioOf<Measured extends Measurement>(
  { ours, reference }: Pick<Comparison<Measured>, 'ours' | 'reference'>,
  figure: (one: Measured) => number,
): number {
  return median(ours.map((one, round) => figure(one) / figure(reference[round] as Measured)));
}

/** Compares two units with the same load and prints their rates and times. */
export async function printComparison(
  title: string,
  { seconds, rounds, parallel }: { seconds: number; rounds: number; parallel: number },
  ours: [name: string, unit: Unit],
  reference: [name: string, unit: Unit],
): Promise<void> {
  const result = await compare(
    rounds,
    () => measure(seconds, parallel, ours[1]),
    () => measure(seconds, parallel, reference[1]),
  );
  const row = (name: string, all: Measurement[]) => {
    const of = (key: 'rate' | 'p50' | 'p99') => median(all.map((one) => one[key]));
    return `  ${name.padEnd(38)} ${of('rate').toFixed(0).padStart(7)}/s   p50 ${of('p50').toFixed(2)} ms   p99 ${of('p99').toFixed(2)} ms`;
  };
  process.stdout.write(
    `${title}, ${parallel} connections, median of ${rounds} rounds of ${seconds} s\n${row(ours[0], result.ours)}\n` +
      `${row(reference[0], result.reference)}\n  ratio ${result.ratio.toFixed(2)}\n\n`,
  );
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
